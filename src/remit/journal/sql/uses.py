"""What calls use of windows over several runs, counted in the database for all processes that share it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select

from remit.errors import JournalError
from remit.journal.sql.attached_calls import SqlAttachedCalls
from remit.journal.sql.locks import LockKeys
from remit.journal.sql.statements import Command, Query
from remit.journal.sql.tables import USES
from remit.journal.sql.writes import Change
from remit.journal.use_counter import MARKS_KEPT, keeps_only_latest
from remit.record.uses import UseRefusal, UseRequest, counts_after

_OF_SUBJECT: Final = USES.c.subject == bindparam("the_subject")
_OF_ANOTHER: Final = or_(USES.c.run != bindparam("the_run"), USES.c.call != bindparam("the_call"))
_SELECT_USED: Final = Query(select(func.sum(USES.c.amount).label("used")).where(_OF_SUBJECT, _OF_ANOTHER))
_SELECT_LATEST: Final = Query(select(USES.c.at).where(_OF_SUBJECT, _OF_ANOTHER).order_by(USES.c.at.desc()).limit(1))
_SELECT_TIMES: Final = Query(select(USES.c.at).where(_OF_SUBJECT).order_by(USES.c.at.desc()).limit(MARKS_KEPT))
_DELETE_EARLIER: Final = Command(delete(USES).where(_OF_SUBJECT, USES.c.at <= bindparam("since")))
_DELETE_OWN: Final = Command(
    delete(USES).where(_OF_SUBJECT, USES.c.run == bindparam("the_run"), USES.c.call == bindparam("the_call"))
)
_INSERT: Final = Command(insert(USES))


class SqlUses(SqlAttachedCalls):
    """The part of a store in SQL that counts uses of windows."""

    async def reserve_uses(self, run: str, call: str, requests: Sequence[UseRequest]) -> UseRefusal | None:
        """Reserve all of what a call would use, or nothing; return what does not fit."""

        def work(connection: Connection) -> UseRefusal | None:
            return _reserve(connection, run, call, requests, self._now(connection))

        locks = LockKeys(frozenset(request.subject for request in requests))
        return await self._writer.submit(Change(work, locks))

    def release_uses(self, run: str, call: str, subjects: Sequence[str]) -> asyncio.Future[None]:
        """Return what a call has reserved of subjects."""

        def work(connection: Connection) -> None:
            _delete_own(connection, run, call, subjects)

        released = asyncio.get_running_loop().create_future()
        try:
            self._writer.submit(Change(work, LockKeys(frozenset(subjects))), released)
        except JournalError as error:
            released.set_exception(error)
        return released

    async def latest_use(self, subject: str, run: str, call: str) -> float | None:
        """When a subject was last used, other than by this call of this run; None for never."""
        values = {"the_subject": subject, "the_run": run, "the_call": call}
        row = await self._submit_read(lambda connection: _SELECT_LATEST.first(connection, **values))
        return None if row is None else row.at


def _reserve(
    connection: Connection, run: str, call: str, requests: Sequence[UseRequest], now: float
) -> UseRefusal | None:
    for request in requests:
        _delete_earlier(connection, request, now)
        values = {"the_subject": request.subject, "the_run": run, "the_call": call}
        row = _SELECT_USED.first(connection, **values)
        used = 0.0 if row is None or row.used is None else row.used
        if not request.fits(used):
            return UseRefusal(request, used)
    _delete_own(connection, run, call, [request.subject for request in requests])
    rows = ({"subject": each.subject, "run": run, "call": call, "at": now, "amount": each.amount} for each in requests)
    _INSERT.execute(connection, *rows)
    return None


def _delete_earlier(connection: Connection, request: UseRequest, now: float) -> None:
    """Delete the uses of a subject that no longer count."""
    since = counts_after(request.every, now)
    if keeps_only_latest(request):
        kept = _SELECT_TIMES.all(connection, the_subject=request.subject)
        since = math.nextafter(kept[-1].at, -math.inf) if kept else now
    _DELETE_EARLIER.execute(connection, {"the_subject": request.subject, "since": since})


def _delete_own(connection: Connection, run: str, call: str, subjects: Sequence[str]) -> None:
    rows = ({"the_subject": each, "the_run": run, "the_call": call} for each in subjects)
    _DELETE_OWN.execute(connection, *rows)
