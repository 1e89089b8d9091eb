"""Limits of the time of a task."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import weakref
from collections.abc import Callable

import pytest

from remit.core.deadline import Deadline

pytestmark = pytest.mark.looptime


def limit(seconds: float, name: str = "limit") -> Deadline:
    return Deadline(seconds, lambda _error: TimeoutError(name))


async def test_a_block_that_ends_in_time_is_left_alone_and_a_late_one_raises_its_error() -> None:
    with limit(5):
        await asyncio.sleep(4)
    with pytest.raises(TimeoutError, match="limit"), limit(5):
        await asyncio.sleep(6)
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_of_two_limits_the_one_that_is_over_first_raises_whichever_is_outer() -> None:
    with pytest.raises(TimeoutError, match="inner"), limit(9, "outer"), limit(5, "inner"):
        await asyncio.sleep(10)
    with pytest.raises(TimeoutError, match="outer"), limit(5, "outer"), limit(9, "inner"):
        await asyncio.sleep(10)


async def test_limits_of_tasks_side_by_side_each_come_at_their_own_time() -> None:
    ended: list[tuple[str, float]] = []
    begun = asyncio.get_running_loop().time()

    async def wait(name: str, seconds: float) -> None:
        try:
            with limit(seconds, name):
                await asyncio.sleep(60)
        except TimeoutError as error:
            ended.append((str(error), asyncio.get_running_loop().time() - begun))

    await asyncio.gather(wait("late", 9), wait("soon", 3), wait("last", 20))
    assert ended == [("soon", 3), ("late", 9), ("last", 20)]


async def test_a_cancellation_from_outside_stays_one_even_when_the_time_is_over_too() -> None:
    async def wait(release: Callable[[], None]) -> None:
        with limit(5):
            try:
                await asyncio.sleep(60)
            finally:
                release()
                await asyncio.sleep(10)

    stopped = asyncio.Event()
    task = asyncio.create_task(wait(stopped.set))
    await asyncio.sleep(1)
    task.cancel()
    await stopped.wait()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_swallows_the_cancellation_ends_without_an_error() -> None:
    with limit(5), contextlib.suppress(asyncio.CancelledError):
        await asyncio.sleep(60)
    await asyncio.sleep(1)  # nothing of it is left


def test_each_event_loop_has_its_own_limits() -> None:
    async def wait() -> None:
        with pytest.raises(TimeoutError), limit(0.001):
            await asyncio.sleep(60)

    for _ in range(2):
        asyncio.run(wait())


async def test_nothing_that_a_task_refers_to_is_kept_once_its_block_is_left() -> None:
    class Held:
        """What a context refers to."""

    held = contextvars.ContextVar[Held]("held")

    async def limited() -> weakref.ref[Held]:
        held.set(Held())
        with limit(1000):
            await asyncio.sleep(0)
        return weakref.ref(held.get())

    left = await asyncio.create_task(limited())
    await asyncio.sleep(0)  # the loop forgets what woke this task
    gc.collect()
    assert left() is None
