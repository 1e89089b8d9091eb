"""One attempt to drive a run on, and when to look at it again: what every engine does, however it queues and waits."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from remit.contracts.items import RunSuspended
from remit.engine.port import ErrorHandler, ExecuteFunction
from remit.errors import JournalError, JournalFormatError, LeaseError
from remit.journal.ports import Store

LEASE_RETRY_FIRST_SECONDS: Final = 0.5
LEASE_RETRY_MAX_SECONDS: Final = 30.0
"""Seconds until a run that somebody else drives is looked at again: at first, and at most."""

FAILURE_RETRY_FIRST_SECONDS: Final = 60.0
FAILURE_RETRY_MAX_SECONDS: Final = 24 * 3600.0
"""Seconds until a run that today's code or configuration could not drive is tried again: at first, and at most."""

MAX_DELAY_SECONDS: Final = 10 * 365 * 24 * 3600.0
"""A deadline further away than so many seconds is none."""

MAX_SCANNED_RUNS: Final = 10_000
"""So many of the newest runs of an application are looked through for such as have not ended."""


class Next(NamedTuple):
    """When to look at a run again: in ``delay``; None for when it is woken, or never.

    ``failed_attempts`` counts the attempts in vain so far. ``questions`` are what it waits for.
    """

    delay: float | None = None
    failed_attempts: int = 0
    questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScheduler:
    """Drives runs on, one attempt at a time. What goes wrong with one run is of no concern to the others."""

    store: Store
    execute: ExecuteFunction
    clock: Callable[[], float]
    on_error: ErrorHandler

    async def attempt_run(self, run: str, failed_attempts: int, release_requested: asyncio.Event) -> Next:
        """Drive ``run`` on, if there is something to do.

        Where it cannot be driven, that is reported, and it is tried again ever more rarely.
        """
        try:
            return await self._attempt(run, failed_attempts, release_requested)
        except LeaseError:
            return _retry_later(failed_attempts)
        except Exception as error:  # noqa: BLE001 - whatever today's code raises ends the driving of this one run
            self.on_error(run, error)
            is_transient = isinstance(error, JournalError) and not isinstance(error, JournalFormatError)
            return (
                _retry_later(failed_attempts)
                if is_transient
                else _retry_later(failed_attempts, FAILURE_RETRY_FIRST_SECONDS, FAILURE_RETRY_MAX_SECONDS)
            )

    async def has_closed_question(self, questions: Sequence[str]) -> bool:
        """Whether one of ``questions`` is open no more."""
        return await self._seconds_until_expiry(questions) <= 0

    async def _attempt(self, run: str, failed_attempts: int, release_requested: asyncio.Event) -> Next:
        row = await self.store.find_run(run)
        if row is None or row.status not in ("running", "waiting"):
            return Next()
        if row.status == "waiting" and not await self.store.cancel_requested_by(run):
            questions = await self._read_waiting_questions(run)
            seconds = await self._seconds_until_expiry(questions)
            if seconds > 0:
                return Next(_delay_or_none(seconds), 0, questions)
        result = await self.execute(run, release_requested)
        if result.status != "waiting":
            return Next()
        seconds = await self._seconds_until_expiry(result.questions)
        return Next(_delay_or_none(seconds), 0, result.questions) if seconds > 0 else _retry_later(failed_attempts)

    async def _read_waiting_questions(self, run: str) -> tuple[str, ...]:
        items = [position.item for position in await self.store.read(run)]
        return next((item.questions for item in reversed(items) if isinstance(item, RunSuspended)), ())

    async def _seconds_until_expiry(self, questions: Sequence[str]) -> float:
        """Seconds until the first of them expires; 0 if one is open no more."""
        seconds = math.inf
        for question in questions:
            row = await self.store.find_question(question)
            if row is not None:
                remaining = row.question.expires - self.clock() if row.status == "open" else 0.0
                seconds = min(seconds, max(remaining, 0.0))
        return seconds


async def find_unfinished_runs(store: Store, application: str, since: float = -math.inf) -> tuple[list[str], float]:
    """The runs of an application that were opened ``since`` and have not ended, and when the newest was opened."""
    limit = 64
    while True:
        rows = await store.list_runs(application=application, limit=limit)
        if len(rows) < limit or limit >= MAX_SCANNED_RUNS or rows[-1].opened < since:
            break
        limit = min(limit * 4, MAX_SCANNED_RUNS)
    found = [row.run for row in rows if row.opened >= since and row.status in ("running", "waiting")]
    return found[::-1], rows[0].opened if rows else since


def _retry_later(
    failed_attempts: int, first_delay: float = LEASE_RETRY_FIRST_SECONDS, max_delay: float = LEASE_RETRY_MAX_SECONDS
) -> Next:
    return Next(min(first_delay * 2 ** min(failed_attempts, 16), max_delay), failed_attempts + 1)


def _delay_or_none(seconds: float) -> float | None:
    return seconds if seconds < MAX_DELAY_SECONDS else None
