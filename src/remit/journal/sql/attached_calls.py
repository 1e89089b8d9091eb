"""The runs that repeated calls attach to, in the database."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, bindparam, delete, insert, select

from remit.journal.sql.answers import SqlAnswers
from remit.journal.sql.locks import LockKeys
from remit.journal.sql.statements import Command, Query
from remit.journal.sql.tables import ATTACHED
from remit.journal.sql.writes import Change

_SELECT: Final = Query(select(ATTACHED.c.run).where(ATTACHED.c.call == bindparam("call")))
_INSERT: Final = Command(insert(ATTACHED))
_DELETE: Final = Command(
    delete(ATTACHED).where(ATTACHED.c.call == bindparam("the_call"), ATTACHED.c.run == bindparam("the_run"))
)


class SqlAttachedCalls(SqlAnswers):
    """The part of a store in SQL that keeps the runs of attached calls."""

    async def attach_call(self, call: str, run: str) -> str:
        """Keep ``run`` as that of a call, unless the call has one; return the run of the call."""

        def work(connection: Connection) -> str:
            stored = _SELECT.first(connection, call=call)
            if stored is None:
                _INSERT.execute(connection, {"call": call, "run": run})
            return run if stored is None else stored.run

        return await self._writer.submit(Change(work, LockKeys(frozenset({call}))))

    async def detach_call(self, call: str, run: str) -> None:
        """Forget the run of a call, if it still is ``run``."""

        def work(connection: Connection) -> None:
            _DELETE.execute(connection, {"the_call": call, "the_run": run})

        await self._writer.submit(Change(work, LockKeys(frozenset({call}))))
