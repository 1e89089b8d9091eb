"""A store in an SQL database, SQLite or Postgres: SQLAlchemy Core on one writer thread."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar, Unpack

from sqlalchemy import URL, Connection, Engine, Row, Select, select, update
from sqlalchemy.exc import SQLAlchemyError

from remit.core.argument_types import UNCHECKED
from remit.core.call_checks import check_arguments
from remit.core.checks import as_clock, as_path
from remit.core.files import create_folder
from remit.database.urls import describe_location, ensure_private_database, parse_url
from remit.errors import JournalError
from remit.journal.changes import ChangePage, Place
from remit.journal.conversations import conversation_key
from remit.journal.index import approval_key, is_expired, lease_lost_error, with_expiry
from remit.journal.ports import (
    AcquiredLease,
    AppendFuture,
    ConversationChange,
    ConversationFilter,
    ConversationKey,
    ConversationRow,
    QuestionFilter,
    QuestionRow,
    RunFilter,
    RunRow,
)
from remit.journal.sql.artifacts import ArtifactTables, find_digests
from remit.journal.sql.change_watch import ChangeWatch
from remit.journal.sql.changes import read_changes
from remit.journal.sql.conversations import (
    change_conversation,
    conversation_row,
    find_conversation,
    select_conversations,
)
from remit.journal.sql.grants import add_grant, find_grant, revoke_grant, use_grant
from remit.journal.sql.key_file import configured_key_file
from remit.journal.sql.leases import Acquisition
from remit.journal.sql.listing import select_grants, select_questions, select_runs
from remit.journal.sql.locks import LockKeys, conversation_lock
from remit.journal.sql.migrations import accept_rows, migrate
from remit.journal.sql.queries import (
    SELECT_CANCELLED,
    SELECT_DUE_RUNS,
    SELECT_ITEMS,
    SELECT_LAST_APPROVAL,
    SELECT_LEASE,
    SELECT_RUN,
    UPDATE_LEASE_EXPIRY,
    clock_reader,
    read_database_time,
)
from remit.journal.sql.question_rows import check_decidable, find_question
from remit.journal.sql.rows import (
    cancel_request,
    decode_positions,
    grant_row,
    question_row,
    readable_rows,
    run_row,
)
from remit.journal.sql.run_summaries import SqlRunSummaries
from remit.journal.sql.signatures import signer_of
from remit.journal.sql.statements import Query
from remit.journal.sql.tables import QUESTIONS, RUNS, open_engine, sqlite_file
from remit.journal.sql.turns import take_turn
from remit.journal.sql.worker_thread import DatabaseOperation, WorkerThread, run_reads
from remit.journal.sql.writer import Writer, database_message
from remit.journal.sql.writes import (
    SELECT_LATEST_RUN,
    Append,
    Change,
    are_seen,
    begin_operations,
    decode_question_items,
    erase_items,
    run_operations,
    select_question_items,
    store_decision,
)
from remit.record.artifact import ArtifactScope
from remit.record.grant import Grant, GrantRow
from remit.record.items import Position
from remit.record.ledger import Consumption, TurnRequest
from remit.record.question import Decision

T = TypeVar("T")


@check_arguments()
class SqlStore(SqlRunSummaries):
    """A store in SQLite or Postgres, with all ports. Opens and migrates its database on first use.

    Args:
        url: ``sqlite:///FILE`` or ``postgresql://USER:PASSWORD@HOST/DATABASE``.
        clock: seconds since the epoch. Without one: on Postgres the clock of the database, which all processes share.
        key_file: the key of the journal's signatures, created with the journal. Without one: for SQLite ``FILE.key``,
            for Postgres the file in ``$REMIT_JOURNAL_KEY``.

    Raises:
        SetupError: the URL is unsupported, a Postgres journal has no key, or the driver is not installed.
    """

    def __init__(
        self,
        url: Annotated[URL | str, UNCHECKED],
        clock: Callable[[], float] | None = None,
        *,
        key_file: Path | None = None,
    ) -> None:
        self._url = parse_url(url)
        self._key_file = configured_key_file(self._url, key_file)
        chosen = clock or (time.time if self._url.get_backend_name() == "sqlite" else None)
        self._now = clock_reader(as_clock("SqlStore", chosen)) if chosen else read_database_time
        self._engine = open_engine(self._url)
        self._artifacts = ArtifactTables(sqlite_file(self._url))
        self._changes = ChangeWatch(self._engine)
        self._writer = Writer(
            self._engine, run_operations, begin=begin_operations, end=self._wake_watchers, prepare=self._prepare
        )
        self._reader = WorkerThread("remit-journal-reads", partial(run_reads, self._engine))

    @staticmethod
    def at(path: Path | str, clock: Callable[[], float] | None = None) -> SqlStore:
        """A store in the SQLite file at ``path``. Creates the folder, accessible to its owner only."""
        path = as_path("SqlStore.at: path", path)
        create_folder(path.parent)
        return SqlStore(URL.create("sqlite", database=str(path)), clock)

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        """Append items to a run and consume decisions, in one transaction."""
        stored: AppendFuture = asyncio.get_running_loop().create_future()
        try:
            self._writer.submit(Append(run, epoch, items, consumption, self._now), stored)
        except JournalError as error:
            stored.set_exception(error)
        return stored

    async def read(self, run: str, after: int = -1) -> list[Position]:
        """The items of a run with a seq above ``after``, in order."""
        return decode_positions(await self._run_query(SELECT_ITEMS, run=run, after=after))

    async def erase(self, run: str, seqs: Sequence[int]) -> None:
        """Erase the bodies of items permanently."""
        items = decode_question_items(await self._run_select(select_question_items(run, seqs)))
        digests = await self._submit_read(lambda connection: find_digests(connection, run))
        talks = {conversation_lock(conversation_key(row)) for row in [await self.find_run(run)] if row}

        def work(connection: Connection) -> None:
            self._artifacts.erase(connection, run, seqs, digests)
            erase_items(connection, run, seqs)

        lock_keys = LockKeys(frozenset({run, *digests, *talks}), frozenset(item.question for item in items))
        await self._writer.submit(Change(work, lock_keys, is_seen=True))

    async def acquire(
        self, run: str, executor: str, seconds: float, after: int = -1, opening: Sequence[Position] = ()
    ) -> AcquiredLease:
        """Acquire the lease of a run and read its state, or open a new run, in one transaction."""
        acquisition = Acquisition(run, executor, seconds, after, opening, self._now)
        acquired, items = await self._writer.submit(Change(acquisition, acquisition.lock_keys, is_seen=bool(opening)))
        return acquired._replace(items=decode_positions(items))

    async def renew(self, run: str, epoch: int, seconds: float) -> None:
        """Extend the lease."""

        def work(connection: Connection) -> None:
            values = {"the_run": run, "the_epoch": epoch, "until": self._now(connection) + seconds}
            if UPDATE_LEASE_EXPIRY.execute(connection, values) != 1:
                raise lease_lost_error(run)

        await self._write(work, run)

    async def release(self, run: str, epoch: int) -> None:
        """Release the lease if it is still held."""
        values = {"the_run": run, "the_epoch": epoch, "until": 0.0}
        await self._write(lambda connection: UPDATE_LEASE_EXPIRY.execute(connection, values), run)

    async def decide(self, decision: Decision) -> None:
        """Store a decision in the inbox of the run. The first decision counts."""

        def work(connection: Connection) -> None:
            check_decidable(connection, decision, self._now(connection))
            store_decision(connection, decision)

        names = frozenset({decision.request_key} if decision.request_key else ())
        await self._writer.submit(Change(work, LockKeys(names, frozenset({decision.question})), is_seen=True))

    async def request_cancel(self, run: str, by: str) -> None:
        """Ask the executor of a run to cancel it."""

        def work(connection: Connection) -> None:
            signature = signer_of(connection).sign("cancel", {"run": run, "cancelled": by})
            values = {"cancelled": by, "cancel_signature": signature, "wake": 0.0}
            connection.execute(update(RUNS).where(RUNS.c.run == run).values(values))

        await self._write(work, run)

    async def cancel_requested_by(self, run: str) -> str:
        """The name of the principal that requested the run's cancellation, or empty."""
        rows = await self._run_query(SELECT_CANCELLED, run=run)
        return cancel_request(rows[0], signer_of(self._engine)) if rows else ""

    async def list_runs(self, **run_filter: Unpack[RunFilter]) -> list[RunRow]:
        """The newest runs, newest first."""
        return readable_rows(await self._run_select(select_runs(**run_filter)), run_row)

    async def find_latest_run(self, conversation: str, *, tenant: str, application: str) -> RunRow | None:
        """The run opened last in a conversation, ignoring direct calls."""
        rows = await self._run_query(SELECT_LATEST_RUN, **ConversationKey(tenant, application, conversation)._asdict())
        return run_row(rows[0]) if rows else None

    async def list_due_runs(self, application: str, limit: int = 1000) -> list[str]:
        """Runs of an application that can continue and that no executor holds, the longest due first."""
        values = {"application": application, "limit": limit}
        query, now = SELECT_DUE_RUNS, self._now
        return [row.run for row in await self._submit_read(lambda each: query.all(each, now=now(each), **values))]

    async def is_held(self, run: str) -> bool:
        """Whether an executor holds a run."""
        return await self._submit_read(lambda c: any(row.until > self._now(c) for row in SELECT_LEASE.all(c, run=run)))

    async def postpone(self, run: str, seconds: float) -> None:
        """Postpone a run by at least ``seconds``, unless a decision or cancellation arrives earlier."""
        postponed = update(RUNS).where(RUNS.c.run == run)
        await self._write(lambda each: each.execute(postponed.values(wake=self._now(each) + seconds)), run)

    async def find_run(self, run: str) -> RunRow | None:
        """The run with this id."""
        rows = await self._run_query(SELECT_RUN, run=run)
        return run_row(rows[0]) if rows else None

    async def list_questions(self, **question_filter: Unpack[QuestionFilter]) -> list[QuestionRow]:
        """Questions, oldest first unless the filter says otherwise."""
        statement = select_questions(**question_filter)
        rows, _ = await self._read_questions(lambda connection: connection.execute(statement).all())
        keeps_expired = "limit" in question_filter or not question_filter.get("only_open", True)
        return [row for row in rows if keeps_expired or row.status == "open"]

    async def find_question(self, question: str) -> QuestionRow | None:
        """The question with this id."""

        def work(connection: Connection) -> QuestionRow | None:
            row = find_question(connection, question)
            return with_expiry(row, self._now(connection)) if row else None

        return await self._submit_read(work)

    async def find_usable_question(self, conversation: str, match: str) -> QuestionRow | None:
        """The newest matching question of a conversation that is open or has an unused decision."""
        where = (QUESTIONS.c.conversation == conversation, QUESTIONS.c.match == match, QUESTIONS.c.taken_run == "")
        statement = select(QUESTIONS).where(*where).order_by(QUESTIONS.c.asked.desc())
        rows, now = await self._read_questions(lambda connection: connection.execute(statement).all())
        return next((row for row in rows if not is_expired(row, now)), None)

    async def find_last_approval(
        self, *, application: str, tenant: str, asker: str, target: str, tool: str, rule: str
    ) -> QuestionRow | None:
        """The newest approved question with that rule, asker, tool and target."""
        key = approval_key(tenant=tenant, asker=asker, target=target, tool=tool, rule=rule)
        rows, _ = await self._read_questions(partial(SELECT_LAST_APPROVAL.all, approval=key, application=application))
        return next(iter(rows), None)

    async def read_changes(self, tenant: str, place: Place | None, limit: int) -> ChangePage:
        """Up to ``limit`` rows of a tenant that changed after a place. Without a place, only the current place."""
        return await self._submit_read(lambda connection: read_changes(connection, tenant, place, limit, self._now))

    def watch_changes(self) -> AbstractContextManager[asyncio.Event]:
        """An event that is set after each change, including changes by other processes, and sometimes spuriously."""
        return self._changes.watch()

    def _wake_watchers(self, operations: Sequence[DatabaseOperation]) -> None:
        if are_seen(operations):
            self._changes.wake()

    async def find_conversation(self, key: ConversationKey) -> ConversationRow | None:
        """The conversation with this key, even if it was deleted."""
        return await self._submit_read(lambda connection: find_conversation(connection, key))

    async def list_conversations(self, **conversation_filter: Unpack[ConversationFilter]) -> list[ConversationRow]:
        """A page of conversations, the most recently active first."""
        rows = await self._run_select(select_conversations(**conversation_filter))
        return readable_rows(rows, partial(conversation_row, self._engine))

    async def change_conversation(self, key: ConversationKey, **change: Unpack[ConversationChange]) -> None:
        """Change a conversation."""
        lock_keys = LockKeys(frozenset({conversation_lock(key)}))
        operation = partial(change_conversation, key=key, change=change)
        await self._writer.submit(Change(operation, lock_keys, is_seen=True))

    async def add_grant(self, grant: Grant) -> None:
        """Store a grant, unless one with its id is stored."""
        await self._write(lambda connection: add_grant(connection, grant), grant.id)

    async def list_grants(
        self, *, tenant: str, tool: str = "", after: str = "", limit: int | None = None
    ) -> list[GrantRow]:
        """A page of the grants of a tenant, optionally for one tool, oldest first."""
        rows = await self._run_select(select_grants(tenant, tool, after, limit))
        return readable_rows(rows, partial(grant_row, signer=signer_of(self._engine)))

    async def find_grant(self, grant: str) -> GrantRow | None:
        """The grant with this id."""
        return await self._submit_read(lambda connection: find_grant(connection, grant))

    async def use_grant(self, grant: str, run: str, epoch: int) -> bool:
        """Count one more call of a grant; False if it allows no more."""

        def work(connection: Connection) -> bool:
            row = SELECT_LEASE.first(connection, run=run)
            if row is None or row.epoch != epoch:
                raise lease_lost_error(run)
            return use_grant(connection, grant, self._now(connection))

        return await self._writer.submit(Change(work, LockKeys(frozenset({run, grant}))))

    async def revoke_grant(self, grant: str, by: str) -> None:
        """Revoke a grant."""
        await self._write(lambda connection: revoke_grant(connection, grant, by), grant)

    async def take_turn(self, request: TurnRequest) -> float:
        """Take the next turn of a rate, and return the seconds until it starts."""
        return await self._write(lambda connection: take_turn(connection, request, self._now(connection)), request.rate)

    async def accept_rows(self) -> None:
        """Accept every row of the journal as it is: sign all with its key, or with a new one if that is lost.

        Raises:
            JournalError: the journal cannot be written.
        """
        with self._translate_errors():
            await asyncio.to_thread(accept_rows, self._engine, self._key_file)

    async def add_artifact(self, digest: str, owner: ArtifactScope, content: bytes | None) -> None:
        """Store content durably, or if None grant ``owner`` access to stored content."""
        prepared = await asyncio.to_thread(self._artifacts.prepare, content)
        await self._write(lambda connection: self._artifacts.add(connection, digest, owner, prepared), digest)

    async def read_artifact(self, digest: str, scope: ArtifactScope) -> bytes | None:
        """The content of an artifact that ``scope`` sees; None if there is no such artifact."""
        return await self._submit_read(lambda connection: self._artifacts.read(connection, digest, scope))

    async def close(self) -> None:
        """Finish submitted operations and close the database. Do nothing in a fork, whose parent has it open."""
        self._changes.close()
        await asyncio.to_thread(self._writer.close)
        await asyncio.to_thread(self._reader.close)
        self._engine.dispose(close=self._writer.is_own)

    async def _write(self, operation: Callable[[Connection], T], lock_name: str) -> T:
        """Change the run, grant or artifact ``lock_name``."""
        return await self._writer.submit(Change(operation, LockKeys(frozenset({lock_name}))))

    async def _read_questions(
        self, read: Callable[[Connection], Sequence[Row[Any]]]
    ) -> tuple[list[QuestionRow], float]:
        """Questions as they are now, and the time."""

        def work(connection: Connection) -> tuple[list[QuestionRow], float]:
            now, decode = self._now(connection), partial(question_row, signer=signer_of(connection))
            return [with_expiry(row, now) for row in readable_rows(read(connection), decode)], now

        return await self._submit_read(work)

    async def _run_query(self, query: Query, **values: object) -> Sequence[Any]:
        return await self._submit_read(lambda connection: query.all(connection, **values))

    async def _run_select(self, statement: Select[Any]) -> Sequence[Row[Any]]:
        return await self._submit_read(lambda connection: connection.execute(statement).all())

    async def _submit_read(self, operation: Callable[[Connection], T]) -> T:
        await self._writer.wait_until_ready()
        with self._translate_errors():
            return await self._reader.submit(operation)

    def _prepare(self, engine: Engine) -> None:
        with self._translate_errors():
            ensure_private_database(sqlite_file(self._url))
            migrate(engine, self._key_file)

    @contextmanager
    def _translate_errors(self) -> Generator[None]:
        """Raise database errors as a `JournalError` that names the database."""
        try:
            yield
        except (SQLAlchemyError, OSError, TypeError, ValueError, KeyError) as error:
            where, problem = describe_location(self._url), database_message(error)
            raise JournalError(f"the journal {where} could not be read: {problem}") from error
