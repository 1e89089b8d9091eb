"""One attempt to drive a run on, and when to look at it again: what every engine does, however it queues and waits."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from remit.contracts.items import Waiting
from remit.core.frozen import frozen
from remit.engine.port import Drive, Report
from remit.errors import FormatError, JournalError, LeaseError
from remit.journal.ports import Store

SOON: Final = 0.5
LATE: Final = 30.0
"""Seconds until a run that somebody else drives is looked at again: at first, and at most."""

FAILED: Final = 60.0
DAY: Final = 24 * 3600.0
"""Seconds until a run that today's code or configuration could not drive is tried again: at first, and at most."""

FAR: Final = 10 * 365 * 24 * 3600.0
"""A deadline further away than so many seconds is none."""

LOOK_BACK: Final = 10_000
"""So many of the newest runs of an application are looked through for such as have not ended."""


class Next(NamedTuple):
    """When to look at a run again: in ``seconds``; None for when it is woken, or never.

    ``tries`` counts the attempts in vain so far. ``questions`` are what it waits for.
    """

    seconds: float | None = None
    tries: int = 0
    questions: tuple[str, ...] = ()


@frozen
class Attempts:
    """Drives runs on, one attempt at a time. What goes wrong with one run is of no concern to the others."""

    store: Store
    drive: Drive
    clock: Callable[[], float]
    report: Report

    async def attempt(self, run: str, tries: int, leave: asyncio.Event) -> Next:
        """Drive ``run`` on, if there is something to do.

        Where it cannot be driven, that is reported, and it is tried again ever more rarely.
        """
        try:
            return await self._on(run, tries, leave)
        except LeaseError:
            return _again(tries)
        except Exception as error:  # noqa: BLE001 - whatever today's code raises ends the driving of this one run
            self.report(run, error)
            passing = isinstance(error, JournalError) and not isinstance(error, FormatError)
            return _again(tries) if passing else _again(tries, FAILED, DAY)

    async def decided(self, questions: Sequence[str]) -> bool:
        """Whether one of ``questions`` is open no more."""
        return await self._until_next(questions) <= 0

    async def _on(self, run: str, tries: int, leave: asyncio.Event) -> Next:
        row = await self.store.find_run(run)
        if row is None or row.status not in ("running", "waiting"):
            return Next()
        if row.status == "waiting" and not await self.store.cancelled(run):
            questions = await self._waits_for(run)
            seconds = await self._until_next(questions)
            if seconds > 0:
                return Next(_near(seconds), 0, questions)
        rest = await self.drive(run, leave)
        if rest.status != "waiting":
            return Next()
        seconds = await self._until_next(rest.questions)
        return Next(_near(seconds), 0, rest.questions) if seconds > 0 else _again(tries)

    async def _waits_for(self, run: str) -> tuple[str, ...]:
        items = [position.item for position in await self.store.read(run)]
        return next((item.questions for item in reversed(items) if isinstance(item, Waiting)), ())

    async def _until_next(self, questions: Sequence[str]) -> float:
        """Seconds until the first of them expires; 0 if one is open no more."""
        seconds = math.inf
        for question in questions:
            row = await self.store.find_question(question)
            if row is not None:
                left = row.question.expires - self.clock() if row.status == "open" else 0.0
                seconds = min(seconds, max(left, 0.0))
        return seconds


async def unfinished(store: Store, application: str, since: float = -math.inf) -> tuple[list[str], float]:
    """The runs of an application that were opened ``since`` and have not ended, and when the newest was opened."""
    limit = 64
    while True:
        rows = await store.runs(application=application, limit=limit)
        if len(rows) < limit or limit >= LOOK_BACK or rows[-1].opened < since:
            break
        limit = min(limit * 4, LOOK_BACK)
    found = [row.run for row in rows if row.opened >= since and row.status in ("running", "waiting")]
    return found[::-1], rows[0].opened if rows else since


def _again(tries: int, first: float = SOON, most: float = LATE) -> Next:
    return Next(min(first * 2 ** min(tries, 16), most), tries + 1)


def _near(seconds: float) -> float | None:
    return seconds if seconds < FAR else None
