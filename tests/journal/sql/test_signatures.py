"""What SQL alone writes about questions, grants, cancellations and the end of a run is refused; keys are files."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import make_url

from remit.errors import BrokenJournalError, JournalError, SetupError
from remit.journal.sql import key_file
from remit.journal.sql.key_file import KEY_VARIABLE, configured_key_file, create_key, locate_key_file, read_key
from remit.journal.sql.store import SqlStore
from remit.record.items import DecisionItem
from remit.record.ledger import Consumption
from remit.testing.store_suite.samples import Run, begin, no, note, positions, question, question_item, start_item, yes
from tests.core.test_files import disown
from tests.journal.sql.test_tampering import GRANT, Opening, execute

SIGNATURES = (("runs", "signature"), ("runs", "cancel_signature"), ("questions", "signature"), ("grants", "signature"))

Rows = list[tuple[object, ...]]


@pytest.fixture
async def store(file: Path, opening: Opening) -> SqlStore:
    """Two runs of a conversation with a question each, and two grants."""
    store = opening(file)
    for run, name in (("run", "q1"), ("other", "q2")):
        begun = await begin(store, run)
        await begun.append(question_item(question(name, run=run, conversation="talk")))
        await store.release(run, begun.epoch)
    for name in ("g1", "g2"):
        await store.add_grant(replace(GRANT, id=name, count=2))
    return store


def read_rows(file: Path, table: str) -> Rows:
    with closing(sqlite3.connect(file)) as database:
        return database.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 - a test's own


def put_back(file: Path, table: str, rows: Rows) -> None:
    """Replace the rows of a table by older copies of them."""
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(f"DELETE FROM {table}")  # noqa: S608
        database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' for _ in rows[0])})", rows)  # noqa: S608


def key_of(file: Path) -> Path:
    return Path(f"{file}.key")


def remove(*files: Path) -> None:
    for each in files:
        each.unlink()


async def take(store: SqlStore, run: str = "run") -> Run:
    lease = await store.acquire(run, "next", 10)
    held = Run(store, run, lease.epoch)
    held.next = lease.item_count
    return held


async def test_a_decision_that_sql_wrote_is_none(store: SqlStore, file: Path) -> None:
    forged = f"status = 'approved', decision = '{yes().to_json()}'"
    execute(file, f"UPDATE remit_questions SET {forged} WHERE question = 'q1'")  # noqa: S608
    with pytest.raises(BrokenJournalError, match="the row of question q1 was changed: its signature does not match"):
        await store.acquire("run", "next", 10)
    assert (await store.acquire("other", "next", 10)).epoch == 2


@pytest.mark.parametrize("column", ["signature", "status = 'denied', decision", "decision", "status"])
async def test_the_decision_on_another_question_is_none(store: SqlStore, file: Path, column: str) -> None:
    await store.decide(yes("q2"))
    name = column.rpartition(" ")[2]
    execute(file, f"UPDATE remit_questions SET {column} = (SELECT {name} FROM remit_questions WHERE question = 'q2')")  # noqa: S608
    with pytest.raises(BrokenJournalError, match="the row of question q1 was changed"):
        await store.find_question("q1")


async def test_a_changed_question_cannot_be_decided_expired_or_erased(store: SqlStore, file: Path) -> None:
    """A new signature would make the change valid."""
    execute(file, "UPDATE remit_questions SET body = replace(body, 'about', 'home') WHERE question = 'q1'")
    broken = pytest.raises(BrokenJournalError, match="the row of question q1 was changed: its signature does not match")
    with broken:
        await store.decide(yes())
    with broken:
        await store.erase("run", [1])
    other = await take(store, "other")
    with broken:
        await other.append(DecisionItem(call="call", question="q1", body=yes().to_json()))


@pytest.mark.parametrize(
    "change",
    [
        "used = 0",
        "revoked = ''",
        "revoked = 'eve'",
        "signature = NULL",
        "body = replace(body, '{}', '{ }')",
        "signature = 'text'",
    ],
)
async def test_a_changed_grant_covers_nothing(store: SqlStore, file: Path, change: str) -> None:
    held = await take(store)
    assert await store.use_grant("g1", "run", held.epoch)
    await store.revoke_grant("g1", "cleo")
    execute(file, f"UPDATE remit_grants SET {change} WHERE \"grant\" = 'g1'")  # noqa: S608
    assert [row.grant.id for row in await store.list_grants(tenant="default")] == ["g2"]
    with pytest.raises(BrokenJournalError, match="the row of grant g1 was changed: its signature does not match"):
        await store.use_grant("g1", "run", held.epoch)


async def test_a_cancellation_that_sql_wrote_is_none(store: SqlStore, file: Path) -> None:
    execute(file, "UPDATE remit_runs SET cancelled = 'eve' WHERE run = 'run'")
    broken = pytest.raises(BrokenJournalError, match="the row of run run was changed: its signature does not match")
    with broken:
        await store.cancel_requested_by("run")
    with broken:
        await store.acquire("run", "next", 10)
    await store.request_cancel("run", "bob")
    assert (await store.acquire("run", "next", 10)).cancel_requested_by == "bob"
    execute(file, "UPDATE remit_runs SET cancelled = '' WHERE run = 'run'")
    with broken:
        await store.cancel_requested_by("run")


async def test_a_chain_that_sql_continued_is_refused(store: SqlStore, file: Path) -> None:
    """It links and has the length that its row counts."""
    forged = positions("run", [*[each.item for each in await store.read("run")], note("forged")])[-1]
    row = (forged.run, forged.seq, 1, forged.at, forged.item.kind, forged.item.call, forged.body, forged.digest)
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(f"INSERT INTO remit_items VALUES ({', '.join('?' * 9)})", (*row, forged.chain))  # noqa: S608
        database.execute("UPDATE remit_runs SET next_seq = next_seq + 1 WHERE run = 'run'")
    with pytest.raises(BrokenJournalError, match="the row of run run was changed: its signature does not match"):
        await store.acquire("run", "next", 10)


async def test_an_older_copy_of_a_used_approval_is_used_by_no_other_run(store: SqlStore, file: Path) -> None:
    await store.decide(yes())
    approved = read_rows(file, "remit_questions")
    user = await begin(store, "second", conversation="talk")
    await user.start("q1")
    put_back(file, "remit_questions", approved)
    row = await store.find_question("q1")
    assert row is not None
    assert row.status == "approved"
    other = await take(store, "other")
    with pytest.raises(BrokenJournalError, match="the row of question q1 was changed: run second has used it"):
        await other.append(start_item("again", question="q1"), take=Consumption(("q1",), "other", "again"))


async def test_a_run_is_acquired_with_the_questions_of_other_runs_that_it_has_used(store: SqlStore, file: Path) -> None:
    """Its chain must know that, also if the run alone was taken back to an earlier state."""
    await store.decide(yes())
    user = await begin(store, "second", conversation="talk")
    await user.start("q1")
    execute(file, "UPDATE remit_runs SET until = 0")
    assert [row.question.id for row in (await store.acquire("second", "next", 10)).questions] == ["q1"]


async def test_a_denial_of_another_run_is_consumed(store: SqlStore) -> None:
    await store.decide(no())
    user = await begin(store, "second", conversation="talk")
    await user.append(note(), take=Consumption(("q1",), "second", "call", approved=False))
    row = await store.find_question("q1")
    assert row is not None
    assert row.consumed_by == ("second", "call")


async def test_the_key_is_beside_the_journal_for_its_owner_only(tmp_path: Path, opening: Opening) -> None:
    await opening(tmp_path / "new.db").list_runs()
    key = tmp_path / "new.db.key"
    assert key.stat().st_mode & 0o777 == 0o600
    key.chmod(0o640)
    with pytest.raises(JournalError, match=r"others can read the key of the journal, .*new\.db\.key; run: chmod 600"):
        await opening(tmp_path / "new.db").list_runs()


async def test_a_missing_or_changed_key_is_named_with_the_way_out(file: Path, opening: Opening) -> None:
    key = key_of(file)
    remove(key)
    with pytest.raises(JournalError, match=r"journal\.db\.key of the journal .*journal\.db does not exist; restore it"):
        await opening(file).list_runs()
    create_key(key)
    with pytest.raises(JournalError, match=r"is not the one that signed it; restore .* as it is: remit audit accept"):
        await opening(file).list_runs()


@pytest.mark.parametrize("has_key", [True, False])
async def test_a_journal_without_its_key_is_accepted_as_it_is_on_request(
    store: SqlStore, file: Path, opening: Opening, *, has_key: bool
) -> None:
    await store.request_cancel("run", "bob")
    await store.close()
    if not has_key:
        remove(key_of(file))
    opened = opening(file)
    await opened.accept_rows()
    assert (await opened.acquire("run", "next", 10)).cancel_requested_by == "bob"
    assert [len(await opened.list_questions()), len(await opened.list_grants(tenant="default"))] == [2, 2]


async def test_a_deleted_journal_begins_anew_with_its_old_key(tmp_path: Path, opening: Opening) -> None:
    await opening(tmp_path / "new.db").list_runs()
    key = (tmp_path / "new.db.key").read_text()
    remove(tmp_path / "new.db", tmp_path / "new.db-wal", tmp_path / "new.db-shm")
    assert await opening(tmp_path / "new.db").list_runs() == []
    assert (tmp_path / "new.db.key").read_text() == key


async def test_a_store_may_be_given_its_key(tmp_path: Path) -> None:
    store = SqlStore(f"sqlite:///{tmp_path / 'new.db'}", key_file=tmp_path / "secret.key")
    await store.list_runs()
    await store.close()
    assert (tmp_path / "secret.key").exists()
    assert not (tmp_path / "new.db.key").exists()


async def test_a_journal_in_memory_has_its_own_store(opening: Opening) -> None:
    with pytest.raises(JournalError, match="use InMemoryStore"):
        await opening("sqlite:///file::memory:?cache=shared&uri=true").list_runs()


def test_a_journal_in_postgres_needs_the_path_of_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    url = make_url("postgresql://remit@db.example/remit")
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    with pytest.raises(SetupError, match=f"set {KEY_VARIABLE} to the path of a file"):
        configured_key_file(url, None)
    monkeypatch.setenv(KEY_VARIABLE, "/etc/remit.key")
    assert configured_key_file(url, None) == Path("/etc/remit.key")
    assert configured_key_file(url, Path("given")) == Path("given")


def test_the_key_of_a_journal_in_a_file_is_beside_it_unless_another_is_configured() -> None:
    assert locate_key_file("sqlite:////data/a.db", "") == Path("/data/a.db.key")
    assert locate_key_file("sqlite:////data/a.db", "given") == Path("given")


@pytest.mark.parametrize("text", ["", "text", "abcd", "é"])
def test_what_is_no_key_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "journal.key"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(JournalError, match="is not the key of a journal, which has 64 hexadecimal digits"):
        read_key(path)


def test_a_key_that_cannot_be_read_or_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=r"the key of the journal, .*, could not be read: Is a directory"):
        read_key(tmp_path)
    with pytest.raises(JournalError, match=r"the key of the journal, .*, could not be written: No such file"):
        create_key(tmp_path / "missing" / "journal.key")


def test_the_key_of_the_process_that_comes_first_stands(tmp_path: Path) -> None:
    path = tmp_path / "journal.key"
    assert create_key(path) == create_key(path) == read_key(path)
    assert list(tmp_path.iterdir()) == [path]


def test_a_key_is_created_where_folders_are_not_synced_and_read_where_files_have_no_modes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_file, "_IS_POSIX", False)
    path = tmp_path / "journal.key"
    key = create_key(path)
    path.chmod(0o644)
    assert read_key(path) == key


def test_a_key_that_another_user_owns_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.key"
    create_key(path)
    disown(path, monkeypatch)
    with pytest.raises(SetupError, match=r"another user owns .*journal\.key and can change it"):
        read_key(path)
