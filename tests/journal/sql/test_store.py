"""What the store in an SQL database does beyond its ports: it keeps, groups, isolates, and says clearly what failed."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
import threading
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, Engine, event
from sqlalchemy.pool import Pool

from remit.database.urls import parse_url
from remit.errors import JournalError, JournalFormatError, LeaseError, RequestError
from remit.journal.sql.store import SqlStore
from remit.journal.sql.tables import open_engine
from remit.record.items import Item
from remit.testing.crash import crash_at, record_crash_points
from remit.testing.store_suite.samples import (
    Run,
    acquire_run,
    begin,
    header_item,
    no,
    note,
    positions,
    question,
    question_item,
    read_decisions,
    yes,
)
from tests.journal.programs import Program

Opening = Callable[[Path | str], SqlStore]

UNMAPPED = "the database's own exception passes through instead of a JournalError"


def script(file: Path, *statements: str) -> None:
    """Do to the database what somebody else might."""
    with closing(sqlite3.connect(file)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


@contextmanager
def without_grants(where: str) -> Generator[None]:
    """Their table is not there meanwhile."""
    engine = open_engine(parse_url(where))
    with engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE remit_grants RENAME TO elsewhere")
    yield
    with engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO remit_grants")
    engine.dispose()


@contextmanager
def listening(to: str, listener: Callable[..., None]) -> Generator[None]:
    """Hear of what every engine does meanwhile."""
    event.listen(Engine, to, listener)
    try:
        yield
    finally:
        event.remove(Engine, to, listener)


def limit(connection: sqlite3.Connection, _record: object) -> None:
    """Let the database hold no more than this, as on a disk that is full after it."""
    connection.execute("PRAGMA max_page_count=60")


async def stored(store: SqlStore, run: str) -> list[Item]:
    return [p.item for p in await store.read(run)]


# --- what was stored stays ------------------------------------------------------------------------------------


async def test_a_store_that_is_opened_again_sees_everything(where: str, opening: Opening) -> None:
    first = opening(where)
    run = await begin(first, conversation="talk")
    await run.append(question_item(question("q1")), question_item(question("q2", asked=1001)))
    await first.decide(yes("q1"))
    await run.start("q1")
    await first.request_cancel("run", "ada")
    await first.erase("run", [1])
    before = (await first.read("run"), await first.list_runs(), await first.list_questions(only_open=False))
    await first.close()

    again = opening(where)
    assert (await again.read("run"), await again.list_runs(), await again.list_questions(only_open=False)) == before
    assert await read_decisions(again, "run") == [yes("q1")]
    assert await again.cancel_requested_by("run") == "ada"
    with pytest.raises(LeaseError, match="executed by driver"):
        await again.acquire("run", "second", 10)
    await again.append("run", run.epoch, positions("run", [note()], first=run.next))


async def test_two_stores_on_one_journal_see_one_another_at_once(sql: SqlStore, where: str, opening: Opening) -> None:
    other = opening(where)
    run = await begin(sql)
    assert await stored(other, "run") == [header_item()]
    await run.append(question_item(question()))
    await other.decide(no())
    assert await read_decisions(sql, "run") == [no()]
    with pytest.raises(LeaseError):
        await other.acquire("run", "second", 10)


OTHER = """
import asyncio, sys
from remit.journal.sql.store import SqlStore
from remit.testing.store_suite.samples import Clock, Run, begin, note, yes

async def main():
    store = SqlStore(sys.argv[1], Clock())
    print([p.item.kind for p in await store.read("run")], flush=True)
    await store.decide(yes())
    theirs = await begin(store, "theirs", at=2000.0)
    print("decided", flush=True)
    sys.stdin.readline()
    print([p.item.kind for p in await store.read("run")])
    await theirs.append(note("still mine"))
    await store.close()

asyncio.run(main())
"""


@pytest.mark.process
async def test_two_processes_on_one_journal_see_one_another(sql: SqlStore, where: str) -> None:
    run = await begin(sql)
    await run.append(question_item(question()))
    other = Program(OTHER, where)
    assert await asyncio.to_thread(other.says) == "['opened', 'question']"
    assert await asyncio.to_thread(other.says) == "decided"
    assert await read_decisions(sql, "run") == [yes()]
    assert [row.run for row in await sql.list_runs()] == ["theirs", "run"]
    with pytest.raises(LeaseError, match="executed by driver"):
        await sql.acquire("theirs", "second", 10)
    with pytest.raises(RequestError, match="already approved by bob"):
        await sql.decide(no())
    await run.start("q1")
    other.told()
    assert await asyncio.to_thread(other.ends) == ["['opened', 'question', 'started']"]
    assert await stored(sql, "theirs") == [header_item("theirs"), note("still mine")]


async def test_a_new_journal_and_its_folder_are_their_owners_alone(tmp_path: Path, opening: Opening) -> None:
    file = tmp_path / "home" / "remit" / "journal.db"
    assert await opening(file).list_runs() == []
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "home" / "remit").stat().st_mode) == 0o700


async def test_every_commit_is_synced_and_readers_do_not_wait_for_writers(file: Path, opening: Opening) -> None:
    sql = opening(file)
    await begin(sql)
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    sync: list[int] = []

    def look(connection: Connection) -> None:
        sync.append(int(connection.exec_driver_sql("PRAGMA synchronous").scalar_one()))

    with listening("begin", look):
        await sql.request_cancel("run", "ada")  # SQLAlchemy takes part in it
    assert sync
    assert set(sync) == {2}, "FULL"


# --- one writer thread ----------------------------------------------------------------------------------------


async def test_appends_that_wait_together_share_a_commit(sql: SqlStore) -> None:
    runs = await asyncio.gather(*(acquire_run(sql, f"run{index}") for index in range(200)))
    with record_crash_points() as points:
        await asyncio.gather(*(run.append(header_item(run.run), note()) for run in runs))
    assert 1 <= points.count("after commit") <= 20
    assert len(await sql.list_runs(limit=300)) == 200
    for run in runs[::20]:
        assert await stored(sql, run.run) == [header_item(run.run), note()]


async def test_an_append_that_is_refused_spoils_none_of_its_batch(sql: SqlStore) -> None:
    runs = [await begin(sql, f"run{index}") for index in range(20)]
    late = Run(sql, "run7", epoch=9)
    outcomes = await asyncio.gather(
        *(run.append(note(run.run)) for run in runs[:10]),
        late.append(note("late")),
        *(run.append(note(run.run)) for run in runs[10:]),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes if isinstance(outcome, BaseException)] == [LeaseError]
    for run in runs:
        assert (await stored(sql, run.run))[1:] == [note(run.run)]


async def test_the_writer_goes_on_while_the_loop_never_idles(sql: SqlStore) -> None:
    run = await begin(sql)
    loop = asyncio.get_running_loop()
    give_up = loop.time() + 10
    writing = asyncio.create_task(run.append(note()))
    while not writing.done() and loop.time() < give_up:  # noqa: ASYNC110 - the loop must not idle
        await asyncio.sleep(0)
    assert writing.done(), "the writer thread starved"
    await writing


async def test_a_closed_store_takes_nothing_more(where: str, opening: Opening) -> None:
    store = opening(where)
    run = await begin(store)
    await store.close()
    with pytest.raises(JournalError, match="the journal is closed"):
        await run.append(note())


async def test_a_closed_store_tells_nothing_more(where: str, opening: Opening) -> None:
    store = opening(where)
    await store.list_runs()
    await store.close()
    with pytest.raises(JournalError, match="the journal is closed"):
        await store.list_runs()


async def test_closing_finishes_what_was_submitted(where: str, opening: Opening) -> None:
    store = opening(where)
    runs = [await begin(store, f"run{index}") for index in range(20)]
    writing = [asyncio.create_task(run.append(note())) for run in runs]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*writing)
    again = opening(where)
    for run in runs:
        assert (await stored(again, run.run))[1:] == [note()]


async def test_a_store_that_was_never_used_and_one_that_is_closed_can_be_closed(tmp_path: Path) -> None:
    store = SqlStore.at(tmp_path / "journal.db")
    await store.close()
    await store.close()
    assert not (tmp_path / "journal.db").exists()


# --- when the database refuses --------------------------------------------------------------------------------


async def test_on_a_full_disk_whoever_is_told_that_it_is_stored_finds_it_stored(file: Path, opening: Opening) -> None:
    with listening("connect", limit):
        store = opening(file)
        runs = [await begin(store, name) for name in ("before", "large", "after")]
    said = [note("x" * 500_000) if run.run == "large" else note() for run in runs]
    begun, go = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        assert go.wait(20)

    with crash_at(1, wait):
        first = asyncio.create_task(store.renew("before", 1, 1e6))
        await asyncio.to_thread(begun.wait, 20)
        writing = [asyncio.create_task(run.append(item)) for run, item in zip(runs, said, strict=True)]
        await asyncio.sleep(0)
        go.set()
        outcomes = await asyncio.gather(*writing, return_exceptions=True)
        await first
    for run, item, outcome in zip(runs, said, outcomes, strict=True):
        told = not isinstance(outcome, BaseException)
        assert (run.run, item in await stored(store, run.run)) == (run.run, told)


async def test_on_a_full_disk_the_error_says_so(file: Path, opening: Opening) -> None:
    with listening("connect", limit):
        run = await begin(opening(file))
    with pytest.raises(JournalError, match="database or disk is full"):
        await run.append(note("x" * 500_000))


async def test_what_the_database_refuses_is_a_journal_error_and_nothing_is_stored(file: Path, opening: Opening) -> None:
    sql = opening(file)
    run = await begin(sql)
    script(file, "CREATE TRIGGER no BEFORE INSERT ON remit_items BEGIN SELECT RAISE(ABORT, 'disk on fire'); END")
    with pytest.raises(JournalError, match="disk on fire"):
        await run.append(note())
    assert await stored(sql, "run") == [header_item()]


async def test_what_cannot_be_read_is_a_journal_error(file: Path, opening: Opening) -> None:
    sql = opening(file)
    await begin(sql)
    script(file, "DROP TABLE remit_items")
    with pytest.raises(JournalError):
        await sql.read("run")


async def test_reads_that_wait_together_share_a_connection(sql: SqlStore) -> None:
    runs = [await begin(sql, f"run{index}") for index in range(3)]
    taken: list[object] = []

    def count(connection: object, *_more: object) -> None:
        taken.append(connection)

    event.listen(Pool, "checkout", count)
    try:
        found = await asyncio.gather(*(stored(sql, run.run) for run in runs), sql.list_runs())
    finally:
        event.remove(Pool, "checkout", count)
    assert found[:3] == [[header_item(run.run)] for run in runs]
    assert len(taken) == 1


async def test_a_read_that_fails_spoils_none_that_waited_with_it(sql: SqlStore) -> None:
    run = await begin(sql)
    answers = await asyncio.gather(
        stored(sql, "run"), sql.list_runs(conversation="half \ud83d"), sql.find_run("half \ud83d"), stored(sql, "run"),
        return_exceptions=True,
    )  # fmt: skip
    assert answers[0] == answers[3] == [header_item(run.run)]
    assert [type(answer) for answer in answers[1:3]] == [JournalError, JournalError]


async def test_a_table_that_cannot_be_read_spoils_no_other(where: str, sql: SqlStore) -> None:
    await begin(sql)
    with without_grants(where):
        answers = await asyncio.gather(
            sql.list_grants(tenant=""), stored(sql, "run"), sql.list_grants(tenant=""), return_exceptions=True
        )
    assert [type(answer) for answer in answers] == [JournalError, list, JournalError]
    assert await sql.list_grants(tenant="") == []


async def test_where_there_is_no_connection_to_be_had_every_read_says_so(tmp_path: Path, opening: Opening) -> None:
    home = tmp_path / "home"
    sql = opening(home / "journal.db")
    await begin(sql)
    begun, go = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        assert go.wait(20)

    with crash_at(1, wait):
        writing = asyncio.create_task(sql.renew("run", 1, 1e6))
        await asyncio.to_thread(begun.wait, 20)
        away = home.rename(tmp_path / "away")
        answers = await asyncio.gather(*(stored(sql, "run") for _ in range(2)), return_exceptions=True)
        away.rename(home)
        go.set()
        await writing
    assert [type(answer) for answer in answers] == [JournalError, JournalError]
    assert "unable to open database file" in str(answers[0])
    assert await stored(sql, "run") == [header_item()]


async def test_a_file_that_is_no_database_is_named_by_a_journal_error(tmp_path: Path, opening: Opening) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary, this is no database. " * 100)
    with pytest.raises(JournalError, match=r"notes\.txt"):
        await opening(path).list_runs()


async def test_an_item_of_a_newer_version_is_refused_by_its_kind(file: Path, opening: Opening) -> None:
    sql = opening(file)
    run = await begin(sql)
    await run.append(note())
    script(file, "UPDATE remit_items SET kind = 'teleported' WHERE seq = 1")
    with pytest.raises(JournalFormatError, match="'teleported'"):
        await sql.read("run")


async def test_a_conversation_that_utf8_cannot_hold_cannot_be_stored(sql: SqlStore) -> None:
    run = await acquire_run(sql)
    with pytest.raises(JournalError):
        await run.append(header_item(conversation="half \ud83d"))


async def test_a_conversation_that_utf8_cannot_hold_cannot_be_looked_for(sql: SqlStore) -> None:
    with pytest.raises(JournalError):
        await sql.list_runs(conversation="half \ud83d")


async def test_where_an_item_cannot_be_read_nothing_is_erased_and_it_is_said(sql: SqlStore) -> None:
    """Which question it is about, and so which row must go with it, is not known."""
    run = await begin(sql)
    asked, kept = positions("run", [question_item(question()), note("kept")], epoch=run.epoch, first=1)
    await sql.append("run", run.epoch, [replace(asked, body="{"), kept])
    with pytest.raises(JournalFormatError, match="item 'question' does not have the fields"):
        await sql.erase("run", [1, 2])
    assert await sql.read("run", after=1) == [kept]
