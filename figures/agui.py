"""AG-UI: the stream of a run is cut at every event and joined again by the id of the last one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any, Final, NamedTuple

import looptime

from figures.agui_reader import AguiReader, read_frames
from figures.figure import Figure, no_violations
from figures.stream_world import PERSON, RUN, Elsewhere, World
from remit.server.agui.place import StreamPlace
from remit.server.agui.streaming import Names, RunStream

_NEVER: Final = 500


class Outcome(NamedTuple):
    """What a reader made of its events, beside one who came when the run had ended."""

    lost: int
    doubled: int
    misplaced: int
    events: int


def figures(*, short: bool) -> Iterator[Figure]:
    """Texts, calls and values that a reader missed, got twice, or got in another order than a late reader."""
    yield from _count(list(_play_all(short=short)))


def sample() -> Iterator[Figure]:
    """A few cuts, for mutants."""
    yield from _count(list(_play_all(short=True)))


def _count(outcomes: Sequence[Outcome]) -> Iterator[Figure]:
    how = (
        "AG-UI streams of a run of nested agents that write at once, cut at every event, also within deltas; joined "
        "again at once or later by the id of the last event, in the process of the executor and in another, past "
        "discarded answers and replaced executors; beside the stream of a reader who came at the end"
    )
    n = len(outcomes)
    yield no_violations("agui.lost", sum(each.lost for each in outcomes), n, f"{how}; what never came")
    yield no_violations("agui.doubled", sum(each.doubled for each in outcomes), n, f"{how}; what came twice")
    misplaced = sum(each.misplaced for each in outcomes)
    yield no_violations("agui.misplaced", misplaced, n, f"{how}; live order unlike late order")


def _play_all(*, short: bool) -> Iterator[Outcome]:
    for is_here in (True, False):
        whole = _play(_NEVER, is_here=is_here)
        yield whole
        for cut in range(1, whole.events, 9 if short else 1):
            for pause in (cut % 2,) if short else (0, 1):
                yield _play(cut, is_here=is_here, pause=pause)
        for moment in (1.3,) if short else range(1, 16, 2):
            yield _play(7, is_here=is_here, release_after=moment)


def _play(cut: int, *, is_here: bool, pause: int = 0, release_after: float | None = None) -> Outcome:
    """Follow a run, leave the stream at each ``cut``-th event, and join again by its id."""

    async def play() -> Outcome:
        world = World()
        async with asyncio.TaskGroup() as group:
            group.create_task(world.execute(release_after))
            following = group.create_task(_follow(world, cut, pause, is_here=is_here))
        live = following.result()
        late = AguiReader().add_all([event async for _, event in _events(world, "", is_here=True)])
        return _compare(live, late)

    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        return runner.run(asyncio.wait_for(play(), 600))


async def _follow(world: World, cut: int, pause: int, *, is_here: bool) -> tuple[AguiReader, int]:
    reader, place, count, seen = AguiReader(), "", 0, -1
    await asyncio.sleep(0.01)
    while seen < count < _NEVER:  # a stream without events is the end
        seen = count
        async with contextlib.aclosing(_events(world, place, is_here=is_here)) as events:
            async for ident, event in events:
                if event["type"] == "RUN_STARTED":
                    place = place or ident
                    continue
                reader.add(event)
                place, count = ident, count + 1
                if event["type"] in ("RUN_FINISHED", "RUN_ERROR"):
                    return reader, count
                if count % cut == 0:
                    break
        await asyncio.sleep(0.7 * pause)
    return reader, count


async def _events(world: World, place: str, *, is_here: bool) -> AsyncGenerator[tuple[str, dict[str, Any]]]:
    store: Any = world.store if is_here else Elsewhere(world.store)
    client = world.runtime(store).client(PERSON)
    stream = RunStream(client, RUN, StreamPlace.parse(RUN, place), Names("t", RUN), tells_prompt=True)
    async with contextlib.aclosing(stream.frames()) as frames:
        async for frame in frames:
            for found in read_frames(frame.decode()):
                yield found


def _compare(live: tuple[AguiReader, int], late: AguiReader) -> Outcome:
    reader, events = live
    lost = sum(reader.shown.get(name) != value for name, value in late.shown.items()) + reader.broken
    extra = sum(name not in late.shown for name in reader.shown)
    is_ordered = _begins(reader) == _begins(late)
    return Outcome(lost, reader.doubled + extra, int(not lost and not extra and not is_ordered), events)


def _begins(reader: AguiReader) -> list[str]:
    """What a reader shows, in order. That a text is complete is told when it is recorded, which may be later."""
    return [name for name in reader.shown if not name.endswith(" ended")]
