"""Server-sent events: streams that stay open, end with the server, and end with the reader's session."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import StreamingResponse

from remit.server.identity import SignInError
from remit.server.serving import Serving

EVENT_STREAM: Final = "text/event-stream"
_HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}
_COMMENT: Final = b":\n\n"
_encode = msgspec.json.Encoder().encode


def frame(ident: str, value: object, event: str = "") -> bytes:
    """One event with its id, its name and its data as JSON."""
    name = f"event: {event}\n".encode() if event else b""
    return b"id: %b\n%bdata: %b\n\n" % (ident.encode(), name, _encode(value))


def stream_response(frames: AsyncGenerator[bytes], request: Request, serving: Serving) -> StreamingResponse:
    """A response that streams frames.

    A comment keeps a silent stream open. Each time, the reader must still be signed in as the same principal.
    """
    return StreamingResponse(_attend(frames, request, serving), media_type=EVENT_STREAM, headers=_HEADERS)


async def _attend(frames: AsyncGenerator[bytes], request: Request, serving: Serving) -> AsyncGenerator[bytes]:
    now, pause = asyncio.get_running_loop().time, serving.settings.keep_alive_seconds
    check_at, reader = now() + pause, await _reader(request, serving)
    stopping = asyncio.ensure_future(serving.stopping.wait())
    following: asyncio.Future[bytes] | None = None
    try:
        while not stopping.done():
            following = following or asyncio.ensure_future(anext(frames, b""))
            await asyncio.wait((following, stopping), timeout=pause, return_when=asyncio.FIRST_COMPLETED)
            if now() >= check_at:
                check_at = now() + pause
                if await _reader(request, serving) != reader:
                    return
                yield _COMMENT
            if following.done():
                text, following = following.result(), None
                if not text:
                    return
                yield text
    finally:
        stopping.cancel()
        if following is not None:
            following.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await following
        await frames.aclose()


async def _reader(request: Request, serving: Serving) -> tuple[str, str] | None:
    try:
        principal = (await serving.identify(request)).principal
    except SignInError:
        return None
    return principal.name, principal.tenant
