"""Servers for tests: those of the official SDK, a process that does what it is told, and a scripted HTTP server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from remit.mcp.peers import REVISION, SESSION_REVISIONS
from remit.mcp.upstream.child import ChildTransport
from remit.mcp.upstream.connection import Hooks
from remit.mcp.upstream.http import HttpTransport
from remit.mcp.upstream.upstream import Upstream
from remit.mcp.wire import Result
from tests.loopback import serve

HERE: Final = Path(__file__).parent
BOTH: Final = (REVISION, SESSION_REVISIONS[0])
"""A revision without and one with sessions."""

OFFICIAL: Final = (sys.executable, str(HERE / "official_server.py"))
ODD: Final = (sys.executable, str(HERE / "odd_server.py"))

Params = dict[str, Any]


def child(command: tuple[str, ...], newest: str = REVISION, hooks: Hooks | None = None, **settings: Any) -> Upstream:
    """A server as a child process."""
    return Upstream("files", lambda: ChildTransport("files", command, **settings), hooks, newest=newest)


def behind(port: int, newest: str = REVISION, hooks: Hooks | None = None, **settings: Any) -> Upstream:
    """A server behind an address of this machine."""
    url = f"http://127.0.0.1:{port}/mcp"
    return Upstream("files", lambda: HttpTransport("files", url, **settings), hooks, newest=newest)


@contextlib.asynccontextmanager
async def official_http() -> AsyncGenerator[int]:
    """The port of a server of the official SDK."""
    import uvicorn

    from tests.mcp.upstream.official_server import build_server

    app = build_server().streamable_http_app()
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="on"))
    serving = asyncio.create_task(server.serve())
    try:
        while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.01)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await serving


class Received:
    """A request as a scripted server got it."""

    def __init__(self, head: str, body: bytes) -> None:
        self.verb = head.split(" ", 1)[0]
        lines = [each.partition(":") for each in head.split("\r\n")[1:] if each]
        self.headers = {name.lower(): value.strip() for name, _, value in lines}
        self.message: Params = json.loads(body) if body else {}

    @property
    def method(self) -> str:
        """The method of the protocol."""
        return self.message.get("method", "")


Script = Callable[[Received], bytes | Awaitable[bytes]]
"""What a scripted server sends back for a request: a response of HTTP, to the byte. Nothing closes the connection."""


@contextlib.asynccontextmanager
async def scripted(script: Script) -> AsyncGenerator[int]:
    """The port of a server that answers as its script says."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = int(head.lower().split("content-length:")[1].split("\r\n")[0]) if "POST" in head else 0
            answer = script(Received(head, await reader.readexactly(length)))
            content = answer if isinstance(answer, bytes) else await answer
            writer.write(content)
            await writer.drain()
            told, _, body = content.partition(b"\r\n\r\n")
            if b"content-length: %d\r\n" % len(body) not in told + b"\r\n":
                return

    async with serve(handle) as port:
        yield port


def respond(message: Params | None, status: int = 200, kind: str = "application/json", **headers: str) -> bytes:
    """A response with one message, or with none."""
    body = b"" if message is None else json.dumps(message).encode()
    told = {
        "content-type": kind,
        "content-length": str(len(body)),
        **{k.replace("_", "-"): v for k, v in headers.items()},
    }
    lines = "\r\n".join(f"{name}: {value}" for name, value in told.items())
    return f"HTTP/1.1 {status} X\r\n{lines}\r\n\r\n".encode() + body


def stream(*frames: str) -> bytes:
    """A response that is a stream of events, and ends with the connection."""
    return b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + "".join(frames).encode()


def frame(message: Params, **fields: object) -> str:
    """An event with a message."""
    told = "".join(f"{name}: {value}\n" for name, value in fields.items())
    return f"{told}data: {json.dumps(message)}\n\n"


def result_for(received: Received, result: Result) -> Params:
    """The response to a request."""
    return {"jsonrpc": "2.0", "id": received.message["id"], "result": result}


def discovered(**capabilities: object) -> Result:
    """What a server of the newest revision says of itself."""
    return {"resultType": "complete", "supportedVersions": [REVISION], "capabilities": {"tools": {}, **capabilities}}


def answer_discovery(received: Received) -> Params:
    """The answer to the beginning of a connection without sessions."""
    return result_for(received, discovered())
