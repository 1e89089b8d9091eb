"""A changed row is refused by name and hides no other; a journal whose file was replaced stores nothing."""

from __future__ import annotations

import logging
import os
import re
import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Table

from remit.call.reply import Reply
from remit.errors import BrokenJournalError, JournalError, RemitError
from remit.journal.ledger import RunLedger
from remit.journal.sql.store import SqlStore
from remit.journal.sql.tables import GRANTS, ITEMS, QUESTIONS, RUNS
from remit.journal.verify import verify_lease
from remit.record.grant import Grant
from remit.testing.store_suite.samples import Clock, begin, question, question_item, start_item, yes
from tests.engine.roots import GOOD, Stage

Opening = Callable[[Path | str], SqlStore]

GRANT = Grant(
    id="g1",
    tenant="default",
    tool="pay",
    arguments="{}",
    principal="ada",
    definition="d1",
    policy="p1",
    who="approvals:decide",
    by="cleo",
    given=1000.0,
    expires=2000.0,
    count=1,
)


@pytest.fixture
async def store(file: Path, opening: Opening) -> SqlStore:
    """Two runs with a question each, and two grants."""
    store = opening(file)
    for run, name in (("run", "q1"), ("other", "q2")):
        await (await begin(store, run)).append(question_item(question(name, run=run)))
    for name in ("g1", "g2"):
        await store.add_grant(replace(GRANT, id=name))
    return store


def execute(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(statement)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("body = 'text'", "the row of question q1 was changed"),
        ("conversation = 'another'", "the column conversation differs from the body"),
        ("match = 'another'", "the column match differs from the body"),
        ("approval = 'another'", "the column approval differs from the body"),
        ("asked = 'noon'", "the column asked differs from the body"),
        ("status = 'approved'", "it is approved, but its decision is missing"),
        ("status = 'unknown'", "the row of question q1 was changed"),
        (f"status = 'denied', decision = '{yes('q1').to_json()}'", "it is denied, but its decision is {"),
        (f"decision = '{yes('q1').to_json()}'", "it is open, but its decision is {"),
        (f"status = 'approved', decision = '{yes('q2').to_json()}'", "the column question differs from the body"),
        ("decision = 'text'", "the row of question q1 was changed: its decision cannot be read"),
    ],
)
async def test_a_changed_question_is_refused_by_name_and_hides_no_other(
    store: SqlStore, file: Path, change: str, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    execute(file, f"UPDATE remit_questions SET {change} WHERE question = 'q1'")  # noqa: S608 - a test's own
    with pytest.raises(BrokenJournalError, match=message) as refused:
        await store.find_question("q1")
    assert "\n" not in str(refused.value)
    with caplog.at_level(logging.WARNING):
        rows = await store.list_questions(only_open=False)
    assert [row.question.id for row in rows] == ["q2"]
    assert message in caplog.text


async def test_a_copy_of_a_question_under_another_id_is_refused(store: SqlStore, file: Path) -> None:
    columns = (
        "run, conversation, match, status, asked, body, decision, taken_run, taken_call, signature, approval, tenant, "
        "expires, changed, request_key"
    )
    execute(file, f"INSERT INTO remit_questions SELECT 'copy', {columns} FROM remit_questions WHERE question = 'q1'")  # noqa: S608
    with pytest.raises(BrokenJournalError, match="the column question differs from the body"):
        await store.find_question("copy")


@pytest.mark.parametrize(
    "change", ["count = 9", "expires = 1e9", "tool = 'refund'", "given = 1", "body = 'text'", "\"grant\" = 'g3'"]
)
async def test_a_changed_grant_is_not_listed_and_hides_no_other(
    store: SqlStore, file: Path, change: str, caplog: pytest.LogCaptureFixture
) -> None:
    execute(file, f"UPDATE remit_grants SET {change} WHERE \"grant\" = 'g1'")  # noqa: S608 - a test's own
    assert [row.grant.id for row in await store.list_grants(tenant="default")] == ["g2"]
    assert "the row of grant g" in caplog.text


async def test_a_grant_of_another_tenant_is_not_listed(store: SqlStore, file: Path) -> None:
    execute(file, "UPDATE remit_grants SET tenant = 'acme'")
    assert await store.list_grants(tenant="acme") == []


async def test_a_changed_run_is_refused_by_name_and_hides_no_other(
    store: SqlStore, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    execute(file, "UPDATE remit_runs SET opened = 'noon' WHERE run = 'run'")
    with pytest.raises(BrokenJournalError, match="the row of run run was changed"):
        await store.find_run("run")
    assert [row.run for row in await store.list_runs()] == ["other"]
    assert "the row of run run was changed" in caplog.text


def replace_file(file: Path) -> None:
    file.rename(file.with_name("old.db"))
    shutil.copy(file.with_name("old.db"), file)


def beside(suffix: str, change: Callable[[Path], object]) -> Callable[[Path], object]:
    return lambda file: change(file.with_name(file.name + suffix))


def cut(part: float) -> Callable[[Path], object]:
    return lambda file: os.truncate(file, int(file.stat().st_size * part))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (Path.unlink, "was removed"),
        (replace_file, "was replaced"),
        (beside("-wal", Path.unlink), "-wal was removed"),
        (beside("-wal", replace_file), "-wal was replaced"),
        (beside("-shm", Path.unlink), "-shm was removed"),
        (beside("-wal", cut(0)), "-wal was cut short"),
        (beside("-wal", cut(0.5)), "-wal was cut short"),
        (cut(0), "was cut short"),
    ],
    ids=["removed", "replaced", "wal removed", "wal replaced", "shm removed", "wal emptied", "wal cut", "emptied"],
)
async def test_a_run_stops_before_its_next_effect_when_a_file_of_the_journal_is_gone_or_cut(
    file: Path, opening: Opening, clock: Clock, change: Callable[[Path], object], message: str
) -> None:
    effects: list[str] = []

    async def root(ledger: RunLedger) -> Reply:
        await ledger.commit(start_item("first"))
        effects.append("first")
        change(file)
        await ledger.commit(start_item("second"))
        effects.append("second")
        return GOOD

    with pytest.raises(JournalError, match=message):
        await Stage(opening(file), clock).begin(root)
    assert effects == ["first"]


async def test_a_checkpoint_and_a_compaction_by_another_program_stop_no_run(
    file: Path, opening: Opening, clock: Clock
) -> None:
    async def root(ledger: RunLedger) -> Reply:
        await ledger.commit(start_item("first"))
        for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
            with closing(sqlite3.connect(file)) as database:
                database.execute(statement)
        await ledger.commit(start_item("second"))
        return GOOD

    assert (await Stage(opening(file), clock).begin(root)).status == "done"


async def test_a_journal_that_is_opened_by_a_uri_is_not_watched(file: Path, opening: Opening) -> None:
    store = opening(f"sqlite:///file:{file}?uri=true")
    await begin(store)
    Path.unlink(file)
    assert (await begin(store, "second")).epoch == 1


async def test_a_run_that_is_marked_as_not_opened_does_not_begin_anew(store: SqlStore, file: Path) -> None:
    execute(file, "UPDATE remit_runs SET signature = NULL, callee = '', next_seq = 0, until = 0 WHERE run = 'run'")
    lease = await store.acquire("run", "test", 1.0)
    with pytest.raises(BrokenJournalError, match="nothing was run"):
        verify_lease("run", lease.items, lease)


COLUMNS = [column.name for column in RUNS.columns if column.name != "run"]


@pytest.mark.parametrize("value", ["'noon'", "x'00ff'", "-1", "9e999"])
@pytest.mark.parametrize("column", COLUMNS)
async def test_a_damaged_column_of_a_run_is_refused_in_plain_words(
    store: SqlStore, file: Path, column: str, value: str
) -> None:
    execute(file, f"UPDATE remit_runs SET {column} = {value} WHERE run = 'run'")  # noqa: S608 - a test's own
    reads: list[Callable[[], Awaitable[object]]] = [
        lambda: store.find_run("run"),
        store.list_runs,
        lambda: store.list_due_runs("test"),
        lambda: store.is_held("run"),
        lambda: store.read("run"),
        lambda: store.cancel_requested_by("run"),
        lambda: store.acquire("run", "test", 1.0),
    ]
    for read in reads:
        try:
            await read()
        except RemitError as error:
            assert not re.search("supported|Expected|NoneType|object|class|unpack|must be|required", str(error))  # noqa: PT017


@pytest.mark.parametrize("table", [ITEMS, QUESTIONS, GRANTS], ids=str)
async def test_damaged_columns_are_refused_in_plain_words(store: SqlStore, file: Path, table: Table) -> None:
    for column in table.columns:
        if column.primary_key:
            continue
        for value in ("'noon'", "x'00ff'", "-1"):
            execute(file, f'UPDATE {table.name} SET "{column.name}" = {value}')  # noqa: S608 - a test's own
            for read in (
                lambda: store.read("run"),
                lambda: store.find_question("q1"),
                lambda: store.list_questions(only_open=False),
                lambda: store.list_grants(tenant="default"),
            ):
                try:
                    await read()
                except RemitError as error:
                    assert not re.search("supported|Expected|NoneType|object|class|unpack|must be", str(error))  # noqa: PT017
