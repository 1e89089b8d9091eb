"""Who follows a run gets each answer once, from its beginning, and asks the store for no more than that takes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from figures.stream_world import Elsewhere
from remit.chat.streaming import AnswerSink, Delta
from remit.client.following import DeltaEvent, DropEvent, ItemEvent, StreamEvent, follow_run
from remit.engine.open_answers import RunAnswers, encode_deltas
from remit.engine.watching import wake_streams
from remit.journal.memory import InMemoryStore
from remit.journal.ports import AnswerPiece
from remit.record.items import Message, ModelFailure
from remit.testing.store_suite.samples import Run, begin

pytestmark = pytest.mark.looptime

LONG = 1000.0


class Counting(InMemoryStore):
    """Counts how often readers ask for pieces, and for items."""

    watches = reads = 0

    async def watch(self, run: str, seconds: float) -> None:
        self.watches += 1
        await super().watch(run, seconds)

    async def read(self, run: str, after: int = -1) -> Any:
        self.reads += 1
        return await super().read(run, after)


class World:
    """A run whose model writes here; readers are here or elsewhere."""

    def __init__(self) -> None:
        self.store = Counting(asyncio.get_running_loop().time)
        self.last_seq = 0

    async def begin(self) -> tuple[Run, RunAnswers]:
        run = await begin(self.store)
        return run, RunAnswers(self.store, "run", run.epoch, lambda: self.last_seq, is_expected=True)

    def follow(self, poll_seconds: float = LONG, *, is_here: bool = True) -> AsyncGenerator[StreamEvent]:
        async def is_over() -> bool:
            return False

        return follow_run(self.store if is_here else Elsewhere(self.store), "run", -1, poll_seconds, is_over)  # pyright: ignore[reportArgumentType] - it is a store


async def opened(answers: RunAnswers) -> AnswerSink:
    sink = await answers.open("ask")
    assert sink is not None
    return sink


async def texts(events: AsyncGenerator[StreamEvent], count: int) -> list[str]:
    """The next events: what is written, and the kinds of the others."""
    found = list[str]()
    for _ in range(count):
        async with asyncio.timeout(2 * LONG):
            event = await anext(events)
        match event:
            case ItemEvent():
                found.append(event.item.kind)
            case DeltaEvent():
                found.append(event.text)
            case DropEvent():
                found.append("dropped")
    return found


async def test_an_answer_that_is_begun_anew_comes_from_its_beginning_though_no_item_says_so() -> None:
    world = World()
    _, answers = await world.begin()
    with answers:
        sink, events = await opened(answers), world.follow()
        sink(Delta("first."))
        assert await texts(events, 2) == ["opened", "first."]
        sink.restart()
        sink(Delta("the second."))
        assert await texts(events, 2) == ["dropped", "the second."]
        await events.aclose()
    assert asyncio.get_running_loop().time() < LONG


async def test_pieces_of_an_answer_come_without_a_look_for_items() -> None:
    world = World()
    _, answers = await world.begin()
    with answers:
        sink, events = await opened(answers), world.follow()
        sink(Delta("0."))
        await texts(events, 2)
        reads = world.store.reads
        for number in range(1, 9):
            sink(Delta(f"{number}."))
            assert await texts(events, 1) == [f"{number}."]
        await events.aclose()
    assert world.store.reads == reads


async def test_an_item_of_a_request_other_than_its_answer_holds_up_no_piece() -> None:
    world = World()
    run, answers = await world.begin()
    with answers:
        sink, events = await opened(answers), world.follow()
        sink(Delta("first."))
        assert await texts(events, 2) == ["opened", "first."]
        await run.append(ModelFailure(call="ask", content="{}"))
        sink(Delta("again."))
        wake_streams("run", for_items=True)
        assert await texts(events, 2) == ["failure", "again."]
        await events.aclose()
    assert asyncio.get_running_loop().time() < LONG


@pytest.mark.parametrize("is_here", [True, False])
async def test_pieces_wait_until_the_item_that_their_answer_follows_is_stored(is_here: bool) -> None:
    world = World()
    run, answers = await world.begin()
    with answers:
        events = world.follow(is_here=is_here)
        assert await texts(events, 1) == ["opened"]
        await world.store.watch("run", LONG)
        world.last_seq = 1
        sink, following = await opened(answers), asyncio.create_task(texts(events, 2))
        sink(Delta("second."))
        await asyncio.wait({following}, timeout=10)
        assert not following.done()
        await run.append(ModelFailure(call="another", content="{}"))
        wake_streams("run", for_items=True)
        assert await following == ["failure", "second."]
        await events.aclose()
    assert asyncio.get_running_loop().time() < LONG


async def test_a_piece_names_the_item_that_its_answer_follows_and_so_does_one_that_begins_anew() -> None:
    world = World()
    run, answers = await world.begin()
    with answers:
        sink, events = await opened(answers), world.follow()
        sink(Delta("first."))
        found = [await anext(events), await anext(events)]
        await run.append(ModelFailure(call="ask", content="{}"))
        world.last_seq = 1
        sink.restart()
        sink(Delta("again."))
        wake_streams("run", for_items=True)
        found += [await anext(events), await anext(events), await anext(events)]
        await events.aclose()
    assert [each.follows for each in found if isinstance(each, DeltaEvent)] == [0, 1]


class Recorded(Elsewhere):
    """A store in which an answer is recorded while its pieces are on their way to a reader."""

    def __init__(self, store: InMemoryStore, run: Run) -> None:
        super().__init__(store)
        self._run = run

    async def read_pieces(self, run: str) -> Any:
        found = await self._store.read_pieces(run)
        await self._run.append(Message(call="ask", agent="root", text='{"role":"assistant","content":"whole"}'))
        return found


async def test_an_answer_that_is_recorded_while_its_pieces_are_read_comes_as_its_item_only() -> None:
    world = World()
    run, _ = await world.begin()
    await world.store.write_pieces("run", run.epoch, [AnswerPiece("ask", 1, 0, encode_deltas([Delta("who.")]), 0)])

    async def is_over() -> bool:
        return True

    store: Any = Recorded(world.store, run)
    events = [event async for event in follow_run(store, "run", -1, LONG, is_over)]
    assert [each.item.kind if isinstance(each, ItemEvent) else each for each in events] == ["opened", "message"]


@pytest.mark.parametrize(("is_here", "watches"), [(False, 4), (True, 0)])
async def test_a_reader_elsewhere_asks_for_pieces_twice_a_minute_and_one_here_never(
    is_here: bool, watches: int
) -> None:
    world = World()
    _, answers = await world.begin()
    with answers:
        events = world.follow(0.5, is_here=is_here)
        assert await texts(events, 1) == ["opened"]
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(100):
                await texts(events, 1)
    assert world.store.watches == watches
