"""Runs calls concurrently, so that none is lost because another fails or waits for a person."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

from remit.errors import Suspended

T = TypeVar("T")


async def run_parallel(works: Sequence[Callable[[], Awaitable[T]]], limit: int) -> list[T]:
    """Run all works, at most ``limit`` at a time, and return their results in order.

    Raises:
        Suspended: some wait for decisions or cannot continue now. It is raised after all others have ended, and holds
            all questions.
    """
    semaphore = asyncio.Semaphore(limit)

    async def run(work: Callable[[], Awaitable[T]]) -> T | Suspended:
        async with semaphore:
            return await _run_or_wait(work)

    if min(limit, len(works)) <= 1:
        return _collect([await _run_or_wait(work) for work in works])
    tasks = [asyncio.create_task(run(work)) for work in works]
    try:
        await asyncio.wait(tasks)
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        raise
    failed = [error for task in tasks if not task.cancelled() and (error := task.exception())]
    if failed:
        raise failed[0]
    return _collect([task.result() for task in tasks])


def join_signals(signals: Iterable[Suspended]) -> Suspended:
    """Merge suspensions into one: all questions, the first reason, and the longest time."""
    known = list(signals)
    seconds = [each.retry_after for each in known if each.retry_after is not None]
    reason = next((each.reason for each in known if each.reason), "")
    questions = dict.fromkeys(question for each in known for question in each.questions)
    return Suspended(*questions, reason=reason, retry_after=max(seconds, default=None))


async def _run_or_wait(work: Callable[[], Awaitable[T]]) -> T | Suspended:
    """The result, or the signal that the work waits for a decision."""
    try:
        return await work()
    except Suspended as signal:
        return signal


def _collect(outcomes: Sequence[T | Suspended]) -> list[T]:
    waiting = [outcome for outcome in outcomes if isinstance(outcome, Suspended)]
    if waiting:
        raise join_signals(waiting)
    return [outcome for outcome in outcomes if not isinstance(outcome, Suspended)]
