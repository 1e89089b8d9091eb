"""A runtime behind a server in this process: what figures send it over HTTP and by AG-UI, as one person or another."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, Final
from uuid import NAMESPACE_OID, uuid5

import httpx
from starlette.applications import Starlette
from starlette.requests import Request

from figures.agui_reader import read_frames
from remit import Principal, Runtime
from remit.engines import Engine
from remit.server import Identity, ServerSettings, build_server

POLL_SECONDS: Final = 0.02
_PATIENCE: Final = 600


class Served:
    """A runtime behind a server. Each request is made by the principal who is given.

    Args:
        server: the server.
        http: sends requests to it.
        senders: the principals by the header that names them.
    """

    def __init__(self, server: Starlette, http: httpx.AsyncClient, senders: dict[str, Principal]) -> None:
        self._server, self._http, self._senders, self._count = server, http, senders, count(1)

    async def ask(self, by: Principal, method: str, path: str, **options: Any) -> httpx.Response:
        """Send a request."""
        name = str(next(self._count))
        self._senders[name] = by
        headers = {"authorization": name, **options.pop("headers", {})}
        return await self._http.request(method, path, headers=headers, **options)

    async def call(
        self, by: Principal, tool: str, arguments: Mapping[str, Any], *, key: str = "", **options: Any
    ) -> httpx.Response:
        """Call a tool."""
        body = {"arguments": arguments, **options}
        return await self.ask(by, "POST", f"/api/tools/{tool}", json=body, headers={"idempotency-key": key})

    async def send_envelope(
        self, by: Principal, tool: str, arguments: Mapping[str, Any], *, key: str, target: str = ""
    ) -> httpx.Response:
        """Call a tool with an envelope."""
        request = {
            "request_id": str(uuid5(NAMESPACE_OID, key)),
            "user_id": by.name,
            "operation": "tool_execution",
            "payload": {"tool_name": tool, "parameters": arguments},
        }
        return await self.ask(by, "POST", "/api/requests", json=request, params={"target": target})

    async def say(self, by: Principal, text: str, conversation: str, **fields: Any) -> httpx.Response:
        """Say something to an agent by AG-UI, and read the stream until the run ends or asks."""
        message = {"id": "m", "role": "user", "content": text}
        body = {"threadId": conversation, "runId": str(next(self._count)), "messages": [message], **fields}
        return await self.ask(by, "POST", "/agui", json=body)

    async def answer(
        self, by: Principal, question: str, payload: object, conversation: str = "", status: str = "resolved"
    ) -> httpx.Response:
        """Answer a question by AG-UI."""
        resume = [{"interruptId": question, "status": status, "payload": payload}]
        return await self.say(by, "", conversation, messages=[], resume=resume)

    async def decide(self, by: Principal, question: str, **decision: Any) -> httpx.Response:
        """Decide a question."""
        return await self.ask(by, "POST", f"/api/questions/{question}/decision", json=decision)

    def end_streams(self) -> None:
        """End all streams, as a server does that is about to stop."""
        self._server.state.serving.stopping.set()

    def begin_streams(self) -> None:
        """Let streams stay open again."""
        self._server.state.serving.stopping.clear()


@asynccontextmanager
async def serve(runtime: Runtime, engine: Engine | None = None, *, executes: bool = True) -> AsyncGenerator[Served]:
    """Serve a runtime. Unless it ``executes`` nothing, ``engine`` executes runs, by default one of this process."""
    senders = dict[str, Principal]()

    async def authenticate(request: Request) -> Identity | None:
        principal = senders.get(request.headers.get("authorization", ""))
        return None if principal is None else Identity(principal)

    settings = ServerSettings(poll_seconds=POLL_SECONDS, concurrency=8 if executes else 0)
    server = build_server(runtime, authenticate, settings, engine=engine)
    transport = httpx.ASGITransport(server, raise_app_exceptions=False)
    log = logging.getLogger("remit.server")
    log.disabled = True  # what it would say is provoked
    try:
        async with (
            server.router.lifespan_context(server),
            httpx.AsyncClient(transport=transport, base_url="http://served", timeout=_PATIENCE) as http,
        ):
            yield Served(server, http, senders)
    finally:
        log.disabled = False


def events_of(response: httpx.Response) -> list[dict[str, Any]]:
    """The events of a stream; none if the request was refused."""
    return [event for _, event in read_frames(response.text)] if response.is_success else []


async def wait_until_at_rest(runtime: Runtime) -> None:
    """Wait until a run has been opened, and all runs have ended or wait for a person."""
    while True:
        found = {row.status for row in await runtime.store.list_runs()}
        if found and found.isdisjoint({"running", "queued", "scheduled"}):
            return
        await asyncio.sleep(POLL_SECONDS)
