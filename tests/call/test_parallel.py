"""Works run side by side: none is lost because another fails, waits for a person, or is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from remit.call.parallel import run_parallel
from remit.errors import ConflictError, Suspended


class Works:
    """Works that note that they have ended."""

    def __init__(self) -> None:
        self.ended: list[str] = []

    def make(self, name: str, seconds: float, error: BaseException | None = None) -> Callable[[], Awaitable[str]]:
        """A work that takes ``seconds`` and returns its name, or raises."""

        async def work() -> str:
            try:
                await asyncio.sleep(seconds)
            finally:
                self.ended.append(name)
            if error is not None:
                raise error
            return name

        return work


@pytest.mark.looptime
async def test_results_have_the_order_of_the_works() -> None:
    works = Works()
    assert await run_parallel([works.make("a", 2), works.make("b", 1)], 2) == ["a", "b"]
    assert works.ended == ["b", "a"]
    assert await run_parallel([works.make("c", 2), works.make("d", 1)], 1) == ["c", "d"]
    assert works.ended[2:] == ["c", "d"]


@pytest.mark.looptime
async def test_those_that_wait_are_raised_together_after_the_others_have_ended() -> None:
    works = Works()
    several = [works.make("a", 1, Suspended("q1")), works.make("b", 3), works.make("c", 2, Suspended("q2", "q3"))]
    with pytest.raises(Suspended) as signal:
        await run_parallel(several, 3)
    assert (signal.value.questions, works.ended) == (("q1", "q2", "q3"), ["a", "c", "b"])


@pytest.mark.looptime
async def test_a_failure_is_raised_after_the_others_have_ended() -> None:
    works = Works()
    with pytest.raises(ConflictError):
        await run_parallel([works.make("a", 1, ConflictError("no")), works.make("b", 2, Suspended("q"))], 2)
    assert works.ended == ["a", "b"]


@pytest.mark.looptime
async def test_a_cancellation_ends_all_of_them_first() -> None:
    works = Works()
    running = asyncio.create_task(run_parallel([works.make("a", 5), works.make("b", 5)], 2))
    await asyncio.sleep(1)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert works.ended == ["a", "b"]
