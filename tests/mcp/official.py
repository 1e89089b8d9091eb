"""A desk behind a server on this machine, and the official client that calls its tools there."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Any, Final

import httpx2
import mcp_types as types
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.requests import Request

from remit import Runtime
from remit.mcp.settings import McpSettings
from remit.server import Identity, build_server
from tests.mcp.kit import ADA, GRACE, KEY, Desk

MODES: Final = ("auto", "legacy")
"""How the official client begins: with the revision without sessions, or with one that has them."""


async def _authenticate(request: Request) -> Identity | None:
    return Identity(ADA) if request.headers.get("authorization") == "Bearer ada" else None


def still() -> float:
    """A clock that stands still."""
    return 1_000_000.0


@contextlib.asynccontextmanager
async def serving(desk: Desk, **settings: Any) -> AsyncGenerator[str]:
    """The address of a server of a desk, as long as the block."""
    runtime = Runtime(desk.app(), store=desk.store, clock=desk.clock)
    runtime.add_principals(ADA, GRACE)
    app = build_server(runtime, _authenticate, mcp=McpSettings(key=KEY, **settings))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="on"))
    tasks = asyncio.create_task(server.serve())
    try:
        while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        await tasks


@contextlib.asynccontextmanager
async def connected(url: str, mode: Any, **callbacks: Any) -> AsyncGenerator[Client]:
    """The official client, signed in as Ada."""
    headers = {"authorization": "Bearer ada"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode, **callbacks) as client,
    ):
        yield client


async def accept(_context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
    """The person at the client, who confirms what a form shows."""
    assert isinstance(params, types.ElicitRequestFormParams)
    assert params.message.startswith("Erase ")
    return types.ElicitResult(action="accept", content={"approve": True})
