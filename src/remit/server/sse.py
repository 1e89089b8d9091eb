"""Server-sent events: streams that stay open, and end with the server and with what their reader may see."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from remit.chat.encoded_json import encode_json
from remit.core.deadline import Deadline
from remit.errors import RequestDeniedError, RequestNotFoundError
from remit.record.principal import Principal
from remit.server.identity import SignInError, remember_open_stream
from remit.server.serving import Serving

EVENT_STREAM: Final = "text/event-stream"
_HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}
_COMMENT: Final = b":\n\n"
_MOST_UNSENT: Final = 64 * 1024
_CHECK_SECONDS: Final = 1.0
"""For how long it is believed that the reader is still who they were when the stream began."""


def frame(ident: str, value: object, event: str = "") -> bytes:
    """One event with its id, its name and its data as JSON."""
    name = f"event: {event}\n".encode() if event else b""
    return b"id: %b\n%bdata: %b\n\n" % (ident.encode(), name, encode_json(value))


def stream_response(frames: AsyncGenerator[bytes], request: Request, serving: Serving, reader: Principal) -> Response:
    """A response that streams frames to ``reader``, who sent the request.

    A comment keeps a silent stream open. Before it, and before frames, the sender must still be signed in as the same
    principal with the same permissions, or the stream ends: a reader who may still read it connects again. It ends as
    well when the reader may no longer see what it tells. An open stream is no use of a session.
    """
    if request.method == "HEAD":
        return Response(media_type=EVENT_STREAM, headers=_HEADERS)
    remember_open_stream(request)
    return StreamingResponse(_attend(frames, request, serving, reader), media_type=EVENT_STREAM, headers=_HEADERS)


async def _attend(
    frames: AsyncGenerator[bytes], request: Request, serving: Serving, reader: Principal
) -> AsyncGenerator[bytes]:
    now, pause, news = asyncio.get_running_loop().time, serving.settings.keep_alive_seconds, asyncio.Event()
    comment_at, check_at, unsent = now() + pause, now() + _CHECK_SECONDS, _Unsent(news)
    reading, stopping = asyncio.create_task(unsent.fill(frames)), asyncio.create_task(serving.stopping.wait())
    for task in (reading, stopping):
        task.add_done_callback(lambda _task: news.set())
    try:
        while not stopping.done():
            with contextlib.suppress(TimeoutError), Deadline(comment_at - now(), lambda _error: TimeoutError()):
                await news.wait()
            if now() >= check_at:
                if not await _is_reader(request, serving, reader):
                    return
                check_at = now() + _CHECK_SECONDS
            if now() >= comment_at:
                comment_at = now() + pause
                yield _COMMENT
            is_over = reading.done()  # read before the frames, which it can no longer add to
            if text := unsent.take():
                yield text
            if is_over:
                # If the reader may no longer see the rest, the stream just ends.
                with contextlib.suppress(RequestNotFoundError, RequestDeniedError):
                    await reading
                return
    finally:
        for task in (reading, stopping):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task
        await frames.aclose()


class _Unsent:
    """Frames that wait to be sent. Those that come at once are sent at once; a slow reader gets later ones later."""

    def __init__(self, news: asyncio.Event) -> None:
        self._news, self._taken = news, asyncio.Event()
        self._frames = bytearray()

    async def fill(self, frames: AsyncGenerator[bytes]) -> None:
        """Read frames, no further ahead of the reader than the limit."""
        async for each in frames:
            self._frames += each
            self._news.set()
            while len(self._frames) > _MOST_UNSENT:
                self._taken.clear()
                await self._taken.wait()

    def take(self) -> bytes:
        """The frames since the last time."""
        frames = bytes(self._frames)
        self._frames.clear()
        self._news.clear()
        self._taken.set()
        return frames


async def _is_reader(request: Request, serving: Serving, reader: Principal) -> bool:
    """Whether the sender of a request is still signed in, as the same principal with the same permissions."""
    try:
        return (await serving.identify(request)).principal == reader
    except SignInError:
        return False
