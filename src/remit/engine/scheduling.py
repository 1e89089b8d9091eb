"""Executes a run once and computes when to try again. Shared by all engines."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from remit.core.checks import check_functions, check_method
from remit.engine.port import ErrorHandler, ExecuteFunction
from remit.errors import BrokenJournalError, JournalError, JournalFormatError, LeaseError, NoModelError
from remit.journal.index import UNFINISHED_STATUSES
from remit.journal.ports import Store
from remit.record.items import RunSuspended

LEASE_RETRY_FIRST_SECONDS: Final = 0.5
LEASE_RETRY_MAX_SECONDS: Final = 30.0
"""The first and the longest delay in seconds until the next attempt of a run that another executor holds."""

QUEUE_RETRY_SECONDS: Final = 1.0
"""The first delay in seconds until the next attempt of a run that waits for its turn in a conversation."""

FAILURE_RETRY_FIRST_SECONDS: Final = 60.0
FAILURE_RETRY_MAX_SECONDS: Final = 24 * 3600.0
"""The seconds until the next attempt of a run that the current code or configuration cannot execute."""

MAX_DELAY_SECONDS: Final = 10 * 365 * 24 * 3600.0
"""Deadlines further away than this many seconds set no timer."""


class Next(NamedTuple):
    """When to attempt a run again: after ``delay`` seconds, or when it is woken (None).

    ``failed_attempts`` counts consecutive failures.
    """

    delay: float | None = None
    failed_attempts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScheduler:
    """Attempts runs, one at a time. The failure of one run does not affect others."""

    store: Store
    execute: ExecuteFunction
    clock: Callable[[], float]
    on_error: ErrorHandler

    def __post_init__(self) -> None:
        check_method("an engine: store", self.store, "find_run", "give the store of the journal")
        check_functions("an engine", execute=self.execute, clock=self.clock, on_error=self.on_error)

    async def attempt_run(self, run: str, failed_attempts: int, release_requested: asyncio.Event) -> Next:
        """Execute ``run`` if it can continue.

        If it cannot be executed, the error is reported and the delay until the next attempt grows, for every process;
        only for this one if it is this one that lacks the model.
        """
        try:
            return await self._attempt(run, failed_attempts, release_requested)
        except LeaseError:
            return _retry_later(failed_attempts)
        except NoModelError as error:  # other processes may have the model: the run is not postponed for them
            self.on_error(run, error)
            return _retry_later(failed_attempts, FAILURE_RETRY_FIRST_SECONDS, FAILURE_RETRY_MAX_SECONDS)
        except Exception as error:  # noqa: BLE001 - any error ends only the attempt of this run
            self.on_error(run, error)
            if isinstance(error, JournalError) and not isinstance(error, (JournalFormatError, BrokenJournalError)):
                return _retry_later(failed_attempts)
            later = _retry_later(failed_attempts, FAILURE_RETRY_FIRST_SECONDS, FAILURE_RETRY_MAX_SECONDS)
            with contextlib.suppress(JournalError):
                await self.store.postpone(run, later.delay or 0.0)
            return later

    async def _attempt(self, run: str, failed_attempts: int, release_requested: asyncio.Event) -> Next:
        row = await self.store.find_run(run)
        if row is None or row.status not in UNFINISHED_STATUSES:
            return Next()
        if row.status == "waiting" and not await self.store.cancel_requested_by(run):
            questions = await self._read_waiting_questions(run)
            seconds = await self._seconds_until_expiry(questions)
            if seconds > 0:
                return Next(_delay_or_none(seconds))
        result = await self.execute(run, release_requested)
        if result.status == "queued":
            return _retry_later(failed_attempts, first_delay=QUEUE_RETRY_SECONDS)
        if result.status in ("stalled", "scheduled"):
            return Next(max(result.retry_at - self.clock(), 0.0))
        if result.status != "waiting":
            return Next()
        seconds = await self._seconds_until_expiry(result.questions)
        return Next(_delay_or_none(seconds)) if seconds > 0 else _retry_later(failed_attempts)

    async def _read_waiting_questions(self, run: str) -> tuple[str, ...]:
        items = [position.item for position in await self.store.read(run)]
        return next((item.questions for item in reversed(items) if isinstance(item, RunSuspended)), ())

    async def _seconds_until_expiry(self, questions: Sequence[str]) -> float:
        """Seconds until the first of the questions expires; 0 if one is no longer open."""
        seconds = math.inf
        for question in questions:
            row = await self.store.find_question(question)
            if row is not None:
                remaining = row.question.expires - self.clock() if row.status == "open" else 0.0
                seconds = min(seconds, max(remaining, 0.0))
        return seconds


def _retry_later(
    failed_attempts: int, first_delay: float = LEASE_RETRY_FIRST_SECONDS, max_delay: float = LEASE_RETRY_MAX_SECONDS
) -> Next:
    return Next(min(first_delay * 2 ** min(failed_attempts, 16), max_delay), failed_attempts + 1)


def _delay_or_none(seconds: float) -> float | None:
    return seconds if seconds < MAX_DELAY_SECONDS else None
