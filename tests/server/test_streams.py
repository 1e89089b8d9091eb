"""Streams that stay open: they end with the server, with the session, and when their reader leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import StreamingResponse

from remit import Agent, App, Principal, Runtime
from remit.client.client import Client
from remit.errors import RequestDeniedError, RequestError, RequestNotFoundError
from remit.server import Identity, ServerSettings
from remit.server.documents.runs import RunRowDocument
from remit.server.rest.watch import watch_frames
from remit.server.serving import Serving
from remit.server.sse import frame, stream_response
from remit.testing import Scripted

pytestmark = pytest.mark.looptime

ADA = Principal("ada", "bakery")
PAUSE = 10.0


class World:
    """A server whose one person may sign out, and frames that come when they are put."""

    def __init__(self) -> None:
        app = App(name="shop", agents=[Agent("clerk", instructions="Help.")])
        self.runtime = Runtime(app, model=Scripted(["Hello."]))
        self.principal: Principal | None = ADA
        self.queue = asyncio.Queue[bytes]()
        self.is_closed = False
        settings = ServerSettings(keep_alive_seconds=PAUSE)
        self.serving = Serving(runtime=self.runtime, authenticate=self.authenticate, settings=settings, engine=None)

    async def authenticate(self, _request: Request) -> Identity | None:
        return None if self.principal is None else Identity(self.principal)

    async def frames(self) -> AsyncGenerator[bytes]:
        try:
            while True:
                yield await self.queue.get()
        finally:
            self.is_closed = True

    def read(self) -> AsyncGenerator[Any]:
        request = Request({"type": "http", "headers": [], "method": "GET", "path": "/"})
        response = stream_response(self.frames(), request, self.serving, ADA)
        assert isinstance(response, StreamingResponse)
        assert response.headers["cache-control"] == "no-store"
        return response.body_iterator  # pyright: ignore[reportReturnType] - it is the generator that was given


async def test_a_silent_stream_sends_a_comment_and_then_what_comes() -> None:
    world = World()
    reading = world.read()
    assert await anext(reading) == b":\n\n"
    assert asyncio.get_running_loop().time() >= PAUSE
    await world.queue.put(b"one")
    assert await anext(reading) == b"one"
    await reading.aclose()
    assert world.is_closed


async def test_a_stream_ends_when_the_server_is_about_to_stop() -> None:
    world = World()
    reading = asyncio.ensure_future(anext(world.read(), None))
    await asyncio.sleep(1)
    world.serving.stopping.set()
    assert await reading is None
    assert world.is_closed


@pytest.mark.parametrize(
    "principal",
    [None, Principal("eve", "bakery"), Principal("ada", "elsewhere"), Principal("ada", "bakery", frozenset({"a:b"}))],
)
async def test_a_stream_ends_when_its_reader_is_signed_out_or_is_another_or_has_other_permissions(
    principal: Principal | None,
) -> None:
    world = World()
    reading = asyncio.ensure_future(anext(world.read(), None))
    await asyncio.sleep(1)
    world.principal = principal
    assert await reading is None
    assert world.is_closed


async def test_a_busy_stream_of_a_person_who_signed_out_ends_too() -> None:
    world = World()

    async def write() -> None:
        for number in range(100):
            await world.queue.put(str(number).encode())
            await asyncio.sleep(1)

    writing = asyncio.create_task(write())
    world_reading = world.read()
    assert await anext(world_reading) == b"0"
    world.principal = None
    rest = [each async for each in world_reading]
    writing.cancel()
    assert len(rest) <= 2


async def test_frames_that_come_at_once_are_sent_at_once() -> None:
    world = World()
    reading = world.read()
    for number in range(3):
        await world.queue.put(str(number).encode())
    assert await anext(reading) == b"012"
    await reading.aclose()


async def test_a_stream_is_read_no_further_than_its_reader_keeps_up() -> None:
    world, frame = World(), b"x" * 40_000
    reading = world.read()
    for _ in range(5):
        await world.queue.put(frame)
    sizes = list[int]()
    while sum(sizes) < 5 * len(frame):
        sizes.append(len(await anext(reading)))
        await asyncio.sleep(1)
    assert sizes == [2 * len(frame), 2 * len(frame), len(frame)]
    await reading.aclose()


async def test_an_error_of_a_stream_reaches_who_reads_it_and_closes_it() -> None:
    world = World()

    async def fail() -> AsyncGenerator[bytes]:
        yield b"one"
        raise RuntimeError("broken")

    request = Request({"type": "http", "headers": [], "method": "GET", "path": "/"})
    response: Any = stream_response(fail(), request, world.serving, ADA)
    reading = response.body_iterator
    assert await anext(reading) == b"one"
    with pytest.raises(RuntimeError, match="broken"):
        await anext(reading)


@pytest.mark.parametrize("error", [RequestNotFoundError, RequestDeniedError])
async def test_a_stream_of_what_its_reader_may_no_longer_see_just_ends(error: type[RequestError]) -> None:
    world = World()

    async def frames() -> AsyncGenerator[bytes]:
        yield b"one"
        await asyncio.sleep(1)
        raise error("run r does not exist")

    request = Request({"type": "http", "headers": [], "method": "GET", "path": "/"})
    response: Any = stream_response(frames(), request, world.serving, ADA)
    assert [each async for each in response.body_iterator] == [b"one"]


async def test_a_stream_ends_with_its_last_frame() -> None:
    world = World()

    async def frames() -> AsyncGenerator[bytes]:
        yield b"one"

    request = Request({"type": "http", "headers": [], "method": "GET", "path": "/"})
    response: Any = stream_response(frames(), request, world.serving, ADA)
    assert [each async for each in response.body_iterator] == [b"one"]
    assert asyncio.get_running_loop().time() < PAUSE


def test_a_frame_is_one_event_even_if_its_text_has_line_breaks() -> None:
    assert frame("1", {"text": "a\n\ndata: b\r\u2028"}).count(b"\n\n") == 1
    assert frame("1|2", "x", "run") == b'id: 1|2\nevent: run\ndata: "x"\n\n'


async def test_watch_tells_what_changes_and_goes_on_after_any_event() -> None:
    world = World()
    client: Client = world.runtime.client(ADA)
    watching = watch_frames(client, "")
    first = await anext(watching)
    run = (await client.run("Hi.", conversation="c")).run
    told = [await anext(watching) for _ in range(2)]
    await watching.aclose()
    assert b"event: start\n" in first
    assert {each.split(b"\n")[1] for each in told} == {b"event: run", b"event: conversation"}
    assert any(run.encode() in each for each in told)
    place = told[0].split(b"\n")[0].removeprefix(b"id: ").decode()
    again = watch_frames(client, place)
    assert await anext(again) == told[1]
    await again.aclose()
    assert RunRowDocument.of(await client.status(run)).status == "done"


async def test_a_stream_from_the_present_place_on_misses_nothing_and_begins_with_no_start() -> None:
    world = World()
    client: Client = world.runtime.client(ADA)
    place = await client.place()
    run = (await client.run("Hi.")).run
    watching = watch_frames(client, place)
    first = await anext(watching)
    await watching.aclose()
    assert b"event: run\n" in first
    assert run.encode() in first
