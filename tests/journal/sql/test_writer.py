"""One thread writes: each job for itself, many with one commit, and whoever waits is always answered."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from sqlalchemy import URL, Connection, Engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import Pool, QueuePool

from remit.errors import JournalError, LeaseError, RequestError
from remit.journal.crashpoint import ignore_crash_point, set_crash_hook
from remit.journal.sql import worker_thread
from remit.journal.sql.tables import open_engine
from remit.journal.sql.writer import Writer
from remit.testing.crash import record_crash_points


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """A database in which a child without a parent is refused when it is committed."""
    engine = open_engine(URL.create("sqlite", database=str(tmp_path / "writer.db")))

    def enforce(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA foreign_keys=ON")

    event.listen(engine, "connect", enforce)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE said (word TEXT NOT NULL UNIQUE)")
        connection.exec_driver_sql(
            "CREATE TABLE child (parent TEXT REFERENCES said (word) DEFERRABLE INITIALLY DEFERRED)"
        )
    yield engine
    engine.dispose()


@pytest.fixture
def writer(engine: Engine) -> Iterator[Writer]:
    writer = Writer(engine)
    yield writer
    writer.close()


def saying(word: str) -> Callable[[Connection], str]:
    def work(connection: Connection) -> str:
        connection.exec_driver_sql("INSERT INTO said VALUES (?)", (word,))
        return word

    return work


def words(engine: Engine) -> list[str]:
    with engine.connect() as connection:
        return [row[0] for row in connection.exec_driver_sql("SELECT word FROM said ORDER BY rowid")]


class Busy:
    """A job that keeps the writer busy until the test lets it go."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.go = threading.Event()

    def __call__(self, _connection: Connection) -> str:
        self.begun.set()
        assert self.go.wait(20)
        return "busy"


async def submitted(writer: Writer, *jobs: Callable[[Connection], object]) -> list[asyncio.Future[object]]:
    """Jobs that wait in the queue, in this order."""
    tasks = [asyncio.ensure_future(writer.submit(job)) for job in jobs]
    await asyncio.sleep(0)
    return tasks


async def test_a_job_gives_its_result_once_it_is_committed(writer: Writer, engine: Engine) -> None:
    assert await writer.submit(saying("one")) == "one"
    assert words(engine) == ["one"]


async def test_each_commit_has_a_place_to_die_at_before_and_after_it(writer: Writer, engine: Engine) -> None:
    passed: list[tuple[str, list[str]]] = []
    set_crash_hook(lambda name: passed.append((name, words(engine))))
    try:
        await writer.submit(saying("one"))
    finally:
        set_crash_hook(ignore_crash_point)
    assert passed == [("before commit", []), ("after commit", ["one"])]


async def test_jobs_run_in_the_order_in_which_they_were_submitted(writer: Writer, engine: Engine) -> None:
    names = [f"word{index}" for index in range(50)]
    assert await asyncio.gather(*(writer.submit(saying(name)) for name in names)) == names
    assert words(engine) == names


async def test_jobs_that_queued_up_share_commits_of_256(writer: Writer) -> None:
    busy = Busy()
    (first,) = await submitted(writer, busy)
    await asyncio.to_thread(busy.begun.wait, 20)
    rest = await submitted(writer, *(saying(f"word{index}") for index in range(300)))
    with record_crash_points() as points:
        busy.go.set()
        await asyncio.gather(first, *rest)
    assert points.count("after commit") == 1 + 2


@pytest.mark.parametrize("error", [LeaseError("taken over"), RequestError("no such question")])
async def test_our_own_errors_pass_as_they_are_and_their_job_leaves_nothing(
    writer: Writer, engine: Engine, error: Exception
) -> None:
    def half(connection: Connection) -> None:
        saying("half")(connection)
        raise error

    outcomes = await asyncio.gather(
        writer.submit(saying("before")), writer.submit(half), writer.submit(saying("after")), return_exceptions=True
    )
    assert outcomes == ["before", error, "after"]
    assert words(engine) == ["before", "after"]


async def test_a_job_that_the_database_refuses_leaves_the_others(writer: Writer, engine: Engine) -> None:
    outcomes = await asyncio.gather(
        *(writer.submit(saying(word)) for word in ("one", "one", "two")), return_exceptions=True
    )
    assert (outcomes[0], outcomes[2]) == ("one", "two")
    assert isinstance(outcomes[1], Exception)
    assert words(engine) == ["one", "two"]


async def test_a_job_that_the_database_refuses_is_a_journal_error(writer: Writer) -> None:
    await writer.submit(saying("one"))
    with pytest.raises(JournalError, match="could not be written"):
        await writer.submit(saying("one"))


async def test_a_job_alone_that_is_refused_does_not_run_again(writer: Writer) -> None:
    runs: list[str] = []

    def refused(_connection: Connection) -> None:
        runs.append("run")
        raise LeaseError("taken over")

    with pytest.raises(LeaseError):
        await writer.submit(refused)
    assert runs == ["run"]


async def test_each_job_of_a_batch_is_told_why_the_database_could_not_be_prepared(engine: Engine) -> None:
    def prepare(_engine: Engine) -> None:
        raise JournalError("the key is missing")

    writer = Writer(engine, prepare=prepare)
    outcomes = await asyncio.gather(*(writer.submit(saying(word)) for word in ("one", "two")), return_exceptions=True)
    await asyncio.to_thread(writer.close)
    assert [str(outcome) for outcome in outcomes] == ["the key is missing"] * 2
    assert words(engine) == []


async def test_a_text_that_cannot_be_stored_is_not_taken_for_a_damaged_row(writer: Writer) -> None:
    with pytest.raises(JournalError, match="could not be written: 'utf-8' codec can't encode"):
        await writer.submit(saying("\ud800"))


async def test_a_writer_of_another_process_is_not_ready_here(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    await writer.submit(saying("one"))
    await writer.wait_until_ready()
    assert writer.is_own
    process = os.getpid()
    monkeypatch.setattr(worker_thread, "os", SimpleNamespace(getpid=lambda: process + 1))
    assert not writer.is_own
    with pytest.raises(JournalError, match="the journal was opened by the process that this one was forked from"):
        await writer.wait_until_ready()
    monkeypatch.undo()


async def test_a_commit_that_the_database_refuses_is_told_to_all_of_the_batch(writer: Writer, engine: Engine) -> None:
    def orphan(connection: Connection) -> None:
        connection.exec_driver_sql("INSERT INTO child VALUES ('nobody')")

    def refused(_connection: Connection) -> None:
        raise LeaseError("its own")

    busy = Busy()
    (first,) = await submitted(writer, busy)
    await asyncio.to_thread(busy.begun.wait, 20)
    rest = await submitted(writer, saying("one"), refused, orphan)
    busy.go.set()
    assert await first == "busy"
    outcomes = await asyncio.gather(*rest, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [JournalError, LeaseError, JournalError]
    assert "the journal could not be written: " in str(outcomes[0])
    assert "FOREIGN KEY" in str(outcomes[0])
    assert words(engine) == []
    assert await writer.submit(saying("later")) == "later"


async def test_when_the_database_ends_the_transaction_nobody_is_told_that_it_is_stored(
    writer: Writer, engine: Engine
) -> None:
    """SQLite does so by itself when the disk is full, broken or out of memory."""

    def ended(connection: Connection) -> None:
        connection.exec_driver_sql("INSERT OR ROLLBACK INTO said VALUES ('one')")

    await writer.submit(saying("one"))
    busy = Busy()
    (first,) = await submitted(writer, busy)
    await asyncio.to_thread(busy.begun.wait, 20)
    names = ["two", "ended", "three"]
    rest = await submitted(writer, saying("two"), ended, saying("three"))
    busy.go.set()
    await first
    outcomes = await asyncio.gather(*rest, return_exceptions=True)
    told = [name for name, outcome in zip(names, outcomes, strict=True) if not isinstance(outcome, Exception)]
    assert words(engine) == ["one", *told]
    assert all("UNIQUE" in str(outcome) for outcome in outcomes)


async def test_a_batch_whose_connection_was_lost_is_not_run_again(writer: Writer) -> None:
    """It is unknown whether it was stored."""
    runs: list[str] = []

    def lose(_connection: Connection) -> None:
        runs.append("lost")
        raise DBAPIError("INSERT", None, ConnectionError("the server is gone"), connection_invalidated=True)

    busy = Busy()
    (first,) = await submitted(writer, busy)
    await asyncio.to_thread(busy.begun.wait, 20)
    rest = await submitted(writer, saying("one"), lose)
    busy.go.set()
    await first
    outcomes = await asyncio.gather(*rest, return_exceptions=True)
    assert ([type(each) for each in outcomes], runs) == ([JournalError, JournalError], ["lost"])


async def test_whoever_no_longer_waits_has_written_all_the_same(writer: Writer, engine: Engine) -> None:
    busy = Busy()
    first, second = await submitted(writer, busy, saying("one"))
    await asyncio.to_thread(busy.begun.wait, 20)
    second.cancel()
    busy.go.set()
    await first
    assert await writer.submit(saying("two")) == "two"
    assert second.cancelled()
    assert words(engine) == ["one", "two"]


async def test_jobs_of_a_loop_that_was_closed_meanwhile_harm_nobody(writer: Writer, engine: Engine) -> None:
    busy = Busy()

    def another_loop() -> None:
        async def leave() -> None:
            await submitted(writer, busy, saying("from the other"))
            await asyncio.to_thread(busy.begun.wait, 20)

        asyncio.run(leave())

    await asyncio.to_thread(another_loop)
    busy.go.set()
    assert await writer.submit(saying("from this")) == "from this"
    assert words(engine) == ["from the other", "from this"]


async def test_two_loops_share_a_writer(writer: Writer, engine: Engine) -> None:
    busy = Busy()
    (first,) = await submitted(writer, busy)
    await asyncio.to_thread(busy.begun.wait, 20)
    mine = await submitted(writer, saying("mine"))

    def another_loop() -> object:
        async def say() -> object:
            (theirs,) = await submitted(writer, saying("theirs"))
            busy.go.set()
            return await theirs

        return asyncio.run(say())

    assert await asyncio.to_thread(another_loop) == "theirs"
    assert await asyncio.gather(first, *mine) == ["busy", "mine"]
    assert words(engine) == ["mine", "theirs"]


async def test_closing_waits_for_what_was_submitted(writer: Writer, engine: Engine) -> None:
    tasks = await submitted(writer, *(saying(f"word{index}") for index in range(20)))
    await asyncio.to_thread(writer.close)
    assert len(words(engine)) == 20
    await asyncio.gather(*tasks)


def threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "remit-journal"}


async def test_closing_ends_the_thread(writer: Writer) -> None:
    before = threads()
    await writer.submit(saying("one"))
    (mine,) = threads() - before
    await asyncio.to_thread(writer.close)
    assert not mine.is_alive()
    writer.close()


async def test_a_closed_writer_refuses_what_comes_later(writer: Writer) -> None:
    await writer.submit(saying("one"))
    writer.close()
    with pytest.raises(JournalError, match="closed"):
        await writer.submit(saying("late"))


@pytest.fixture
def checkouts() -> Iterator[list[object]]:
    """The connections that were taken from the pool."""
    found: list[object] = []

    def count(connection: object, *_more: object) -> None:
        found.append(connection)

    event.listen(Pool, "checkout", count)
    yield found
    event.remove(Pool, "checkout", count)


async def test_the_writer_keeps_its_connection_until_something_fails(writer: Writer, checkouts: list[object]) -> None:
    for word in ("one", "two", "three"):
        await writer.submit(saying(word))
    assert len(checkouts) == 1
    with pytest.raises(JournalError):
        await writer.submit(saying("one"))
    assert await writer.submit(saying("four")) == "four"
    assert len(checkouts) == 2


async def test_a_failed_transaction_leaves_nothing_locked(writer: Writer, engine: Engine) -> None:
    await writer.submit(saying("one"))
    with pytest.raises(JournalError):
        await writer.submit(saying("one"))
    with engine.begin() as connection:
        saying("two")(connection)
    assert await writer.submit(saying("three")) == "three"


async def test_a_closed_writer_has_given_its_connection_back(writer: Writer, engine: Engine) -> None:
    await writer.submit(saying("one"))
    assert cast("QueuePool", engine.pool).checkedout() == 1
    await asyncio.to_thread(writer.close)
    assert cast("QueuePool", engine.pool).checkedout() == 0


async def test_a_writer_waits_while_another_one_writes_and_says_so_if_that_takes_too_long(
    writer: Writer, engine: Engine
) -> None:
    await writer.submit(lambda connection: connection.exec_driver_sql("PRAGMA busy_timeout=1"))
    with engine.begin() as connection:
        saying("theirs")(connection)
        with pytest.raises(JournalError, match="database is locked"):
            await writer.submit(saying("mine"))
    assert await writer.submit(saying("later")) == "later"
    assert words(engine) == ["theirs", "later"]


async def test_what_an_operation_does_by_sqlalchemy_and_by_the_driver_is_one_transaction(
    writer: Writer, engine: Engine
) -> None:
    def both(connection: Connection) -> None:
        connection.connection.cursor().execute("INSERT INTO said VALUES ('driver')")
        saying("sqlalchemy")(connection)
        raise LeaseError("taken over")

    with pytest.raises(LeaseError):
        await writer.submit(both)
    assert words(engine) == []
    assert await writer.submit(saying("later")) == "later"
    assert words(engine) == ["later"]


async def test_a_transaction_that_the_database_ended_is_not_taken_for_stored(writer: Writer, engine: Engine) -> None:
    def swallow(connection: Connection) -> str:
        with contextlib.suppress(DBAPIError):
            connection.exec_driver_sql("INSERT OR ROLLBACK INTO said VALUES ('one')")
        return "stored"

    await writer.submit(saying("one"))
    with pytest.raises(JournalError, match="no transaction is active"):
        await writer.submit(swallow)
    assert words(engine) == ["one"]
