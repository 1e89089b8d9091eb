"""Streams: a run is followed with cuts at every event and in answers, here, elsewhere and past a dead executor."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from typing import Final

import looptime

from figures.figure import Figure, no_violations
from figures.stream_kill import follow_killed
from figures.stream_world import Reader, World
from remit.agent.driver import AgentDriver
from remit.items import StreamEvent
from remit.workers import PydanticAIDriver

_NEVER: Final = 10_000


def figures(*, short: bool) -> Iterator[Figure]:
    """Items and pieces that a reader missed, got twice, or got in another order than the recorded one."""
    killed = [follow_killed(cut) for cut in ((3,) if short else range(1, 20, 2))]
    yield from _count([*killed, *_play_all(short=short)])


def sample() -> Iterator[Figure]:
    """The figures without killed processes, for mutants."""
    yield from _count(list(_play_all(short=True)))


def _count(readers: Sequence[Reader]) -> Iterator[Figure]:
    how = (
        "streams of a run of nested agents that write at once, left at every event and rejoined at once, later and by "
        "number, in the process of the executor and in others; executors replaced in mid-message, and killed"
    )
    lost, doubled = sum(each.lost for each in readers), sum(each.doubled for each in readers)
    yield no_violations("stream.lost", lost, len(readers), f"{how}; items and pieces that never came")
    yield no_violations("stream.doubled", doubled, len(readers), f"{how}; items and pieces that came twice")
    misplaced = sum(each.misplaced for each in readers)
    yield no_violations(
        "stream.misplaced", misplaced, len(readers), f"{how}; answers that began before what they follow"
    )


def _play_all(*, short: bool) -> Iterator[Reader]:
    for driver in (None,) if short else (None, PydanticAIDriver()):
        for is_here in (True, False):
            whole = _play(driver, _NEVER, is_here=is_here)
            yield whole
            for cut in range(1, whole.events, 12 if short else 1):
                for way in (cut % 3,) if short else range(3):
                    yield _play(driver, cut, is_here=is_here, way=way)
            for moment in (1.3,) if short else [number / 2 for number in range(1, 40)]:
                yield _play(driver, _NEVER, is_here=is_here, release_after=moment)


def _play(
    driver: AgentDriver | None, cut: int, *, is_here: bool, way: int = 0, release_after: float | None = None
) -> CountingReader:
    """Follow a run, and leave the stream after ``cut`` events: to rejoin at once (0), later (1), or by number (2)."""
    reader = CountingReader()

    async def follow() -> None:
        await asyncio.sleep(0.01)
        has_ended = False
        while not has_ended:
            left = cut - reader.events
            async with contextlib.aclosing(world.follow(reader.after, is_here=is_here)) as events:
                has_ended = True
                async for event in events:
                    reader.add(event)
                    if reader.events == cut:
                        has_ended = False
                        break
            if not has_ended and left > 0:
                await asyncio.sleep(0.6 * (way == 1))
                if way == 2:
                    reader.rejoin_at_item()
        reader.end()

    world = World(driver)

    async def play() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(world.execute(release_after))
            group.create_task(follow())

    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        runner.run(asyncio.wait_for(play(), 300))
    return reader


class CountingReader(Reader):
    """A reader that counts its events."""

    events = 0

    def add(self, event: StreamEvent) -> None:
        """Take one event."""
        self.events += 1
        super().add(event)
