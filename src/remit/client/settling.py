"""Tells whether a run rests or has ended, and waits until it does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from remit.core.deadline import Deadline
from remit.engine.watching import watch_run
from remit.journal.index import RESTING_STATUSES, UNFINISHED_STATUSES
from remit.journal.ports import RunRow, Store
from remit.journal.rest import Rest, find_rest

POLL_SECONDS: Final = 0.5
"""The seconds between two polls of a run that another process executes."""


async def find_lasting_rest(store: Store, row: RunRow, now: float) -> Rest | None:
    """The reason why a run rests; None if it does not rest or can continue now.

    It can continue when its time has come, when a question is no longer open, and when it is to be cancelled.
    """
    if row.status not in RESTING_STATUSES or await store.cancel_requested_by(row.run):
        return None
    rest = find_rest(each.item for each in await store.read(row.run))
    questions = [await store.find_question(each) for each in rest.questions]
    is_over = any(each is not None and each.status != "open" for each in questions)
    return None if is_over or 0 < rest.due <= now else rest


async def wait_until_settled(
    store: Store,
    run: str,
    find_row: Callable[[], Awaitable[RunRow | None]],
    clock: Callable[[], float],
    seconds: float,
    poll_seconds: float = POLL_SECONDS,
) -> None:
    """Wait until a run has ended or rests, at most for ``seconds``; ``find_row`` is asked before each pause."""
    now = asyncio.get_running_loop().time
    end = now() + seconds
    with watch_run(run, pieces=False) as changed:
        while True:
            changed.reset()
            row = await find_row()
            left = end - now()
            if left <= 0 or (row is not None and await _is_settled(store, row, clock())):
                return
            try:
                with Deadline(min(left, poll_seconds), _time_is_over):
                    await changed.wait()
            except TimeoutError:
                pass


async def _is_settled(store: Store, row: RunRow, now: float) -> bool:
    return row.status not in UNFINISHED_STATUSES or await find_lasting_rest(store, row, now) is not None


def _time_is_over(_error: asyncio.CancelledError) -> TimeoutError:
    return TimeoutError()
