"""The lease of a run, acquired with a new run's first items or with the state that the next executor needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Row

from remit.errors import BrokenJournalError
from remit.journal.index import UNFINISHED_STATUSES, lease_held_error
from remit.journal.ports import FIRST_EPOCH, AcquiredLease
from remit.journal.sql.answers import delete_answers
from remit.journal.sql.locks import LockKeys
from remit.journal.sql.queries import (
    INSERT_RUN,
    SELECT_CHAIN,
    SELECT_ITEMS,
    SELECT_LEASE,
    SELECT_QUESTIONS_OF_RUN,
    UNOPENED_RUN,
    UPDATE_LEASE,
)
from remit.journal.sql.rows import cancel_request, check_head, question_row, run_row
from remit.journal.sql.signatures import signer_of
from remit.journal.sql.writes import Append, header_values
from remit.record.items import Position, RunOpened


class Acquisition(Struct, frozen=True):
    """Acquires the lease of a run; see `remit.journal.ports.Leases.acquire`."""

    run: str
    executor: str
    seconds: float
    after: int
    opening: Sequence[Position]
    now: Callable[[Connection], float]

    @property
    def lock_keys(self) -> LockKeys:
        """The keys of the run and of everything that its first items concern."""
        return self._append.lock_keys

    @property
    def _append(self) -> Append:
        return Append(self.run, FIRST_EPOCH, self.opening, None, self.now, is_header_stored=True)

    def __call__(self, connection: Connection) -> tuple[AcquiredLease, Sequence[Row[Any]]]:
        """Acquire the lease; return the state of the run, and the rows of its items above ``after``.

        Raises:
            LeaseError: a live executor holds it.
            BrokenJournalError: the row was changed, or items are missing.
        """
        row, now = SELECT_LEASE.first(connection, run=self.run), self.now(connection)
        lease = {"driver": self.executor, "until": now + self.seconds if self.seconds else 0.0}
        if row is None:
            self._insert_row(connection, lease)
            return AcquiredLease(FIRST_EPOCH, questions=[], is_opened=bool(self.opening)), ()
        if row.until > now:
            raise lease_held_error(self.run, row.driver)
        # A second executor of a run needs no lease to learn how it has ended.
        if row.status not in UNFINISHED_STATUSES:
            return self._read_state(connection, row)
        UPDATE_LEASE.execute(connection, {"the_run": self.run, "epoch": row.epoch + 1, **lease})
        delete_answers(connection, self.run)
        return self._read_state(connection, row)

    def _insert_row(self, connection: Connection, lease: Mapping[str, object]) -> None:
        """Insert the row of a new run, with its first items if it is opened."""
        header: dict[str, object] = {}
        for position in self.opening:
            if isinstance(position.item, RunOpened):
                header = header_values(connection, position, position.item)
        row = {**UNOPENED_RUN, **header, "run": self.run, "epoch": FIRST_EPOCH, **lease}
        if INSERT_RUN.execute(connection, row) != 1:
            raise BrokenJournalError(f"run {self.run} has items but no row; nothing was run")
        if self.opening:
            self._append(connection)

    def _read_state(self, connection: Connection, row: Row[Any]) -> tuple[AcquiredLease, Sequence[Row[Any]]]:
        run, signer = self.run, signer_of(connection)
        items = SELECT_ITEMS.all(connection, run=run, after=self.after)
        last = SELECT_CHAIN.first(connection, run=run, seq=row.next_seq - 1)
        if last is not None:  # otherwise items are missing, which the caller finds by their number
            check_head(row, last.chain, signer)
        elif not row.next_seq and row.signature is not None:
            raise BrokenJournalError(f"run {run}: its row is signed, but has no items; nothing was run")
        asked = SELECT_QUESTIONS_OF_RUN.all(connection, run=run, conversation=row.conversation)
        questions = [question_row(each, signer) for each in asked]
        opened, cancelled = run_row(row) if row.callee else None, cancel_request(row, signer)
        return AcquiredLease(row.epoch + 1, (), row.next_seq, opened, cancelled, questions), items
