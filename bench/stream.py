"""What a run adds to the time that an endpoint's first event takes."""

from __future__ import annotations

import asyncio
import contextlib
import math
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from pathlib import Path
from typing import Final

import httpx2

from bench.world import sql_store
from figures.figure import Figure, at_most
from remit import Agent, App, Principal, Runtime
from remit.items import DeltaEvent
from remit.messages import ChatRequest, Completion, completion_from_message, encode_message
from remit.models import Delta, OpenAI

PERSON: Final = Principal("ann")
REPEATS: Final = 100
PIECES: Final = 1_000
PIECE_SECONDS: Final = 0.0002
FOLLOWED_RUNS: Final = 10
_HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
_CHUNK: Final = b'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"word "}}]}\n\n'
_LAST: Final = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


async def stream() -> AsyncIterator[Figure]:
    """Measure the first piece of an answer, from the request on, in a run and without Remit."""
    async with _serve() as url, httpx2.AsyncClient() as http:
        model = OpenAI("m", base_url=url, api_key="none")
        agent = Agent("writer", instructions="Write.", model=model)
        runtime = Runtime(App(name="bench", agents=(agent,)))
        raw, whole = list[float](), list[float]()
        for _ in range(REPEATS):
            raw.append(await _time_raw(http, url))
            whole.append(await _time_run(runtime))
        await model.close()
    added = (min(whole) - min(raw)) * 1e3
    how = (
        f"from the message to the first piece of the answer in `runtime.stream`, less the first event that httpx2 "
        f"reads from the same endpoint on this machine ({min(raw) * 1e3:.2f} ms), least of {REPEATS}"
    )
    yield at_most("stream.first_event_ms", added, "ms", 2, REPEATS, how)
    with tempfile.TemporaryDirectory(prefix="remit-stream-") as folder:
        store = sql_store(Path(folder))
        writer = Writer()
        agent = Agent("writer", instructions="Write.", model=writer)
        runtime = Runtime(App(name="bench", agents=(agent,)), store=store)
        alone, followed = math.inf, math.inf
        for _ in range(FOLLOWED_RUNS):
            alone = min(alone, await _time_unfollowed(runtime))
            followed = min(followed, await _time_followed(runtime, writer))
        await store.close()
    how = (
        f"CPU time that following a run on SQLite adds to each of {PIECES} pieces, {PIECE_SECONDS * 1e3:g} ms "
        f"apart ({alone / PIECES * 1e6:.0f} µs a piece without a reader), least of {FOLLOWED_RUNS}"
    )
    yield at_most("stream.delta_us", (followed - alone) / PIECES * 1e6, "µs", 60, PIECES * FOLLOWED_RUNS, how)


class Writer:
    """A model that writes one answer piece by piece, and costs almost nothing itself.

    If it ``is_followed``, it waits for `hear` after each piece: pieces that nobody has read yet are joined, and a busy
    machine would read few large ones.
    """

    def __init__(self) -> None:
        self.is_followed = False
        self._heard = asyncio.Event()

    def hear(self) -> None:
        """Let it write the next piece, since the last one was read."""
        self._heard.set()

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """The whole answer."""
        return await self.stream(request, lambda _delta: None)

    async def stream(self, _request: ChatRequest, on_delta: Callable[[Delta], None], /) -> Completion:
        """The answer in pieces, each of which is read before the next is written."""
        for _ in range(PIECES):
            self._heard.clear()
            on_delta(Delta("word "))
            await asyncio.sleep(PIECE_SECONDS)
            if self.is_followed:
                await self._heard.wait()
        return completion_from_message(encode_message({"role": "assistant", "content": "word " * PIECES}))


async def _time_unfollowed(runtime: Runtime) -> float:
    started = time.process_time()
    (await runtime.run("go", by=PERSON)).value()
    return time.process_time() - started


async def _time_followed(runtime: Runtime, writer: Writer) -> float:
    writer.is_followed = True
    started = time.process_time()
    async for event in runtime.stream("go", by=PERSON):
        if isinstance(event, DeltaEvent):
            writer.hear()
    spent = time.process_time() - started
    writer.is_followed = False
    return spent


async def _time_raw(http: httpx2.AsyncClient, url: str) -> float:
    started = time.perf_counter()
    async with http.stream("POST", f"{url}/chat/completions", json={"stream": True}) as response:
        first = 0.0
        async for _ in response.aiter_lines():
            first = first or time.perf_counter()
    return first - started


async def _time_run(runtime: Runtime) -> float:
    started, first = time.perf_counter(), 0.0
    async for event in runtime.stream("go", by=PERSON):
        if isinstance(event, DeltaEvent):
            first = first or time.perf_counter()
    return first - started


@contextlib.asynccontextmanager
async def _serve() -> AsyncGenerator[str]:
    """An endpoint that streams one answer to every request: its first event at once, the rest a little later."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
                await reader.readexactly(length)
                writer.write(_HEAD + _to_chunk(_CHUNK))
                await asyncio.sleep(0.01)
                writer.write(_to_chunk(_LAST) + _to_chunk(b""))
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


def _to_chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)
