"""A run whose journal was changed is refused, with what was changed, before anything of it runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from remit.errors import BrokenJournalError, JournalError
from remit.journal.ports import AcquiredLease, QuestionRow, RunRow, RunStatus
from remit.journal.sql.store import SqlStore
from remit.journal.verify import matches_items, verify_chain, verify_lease
from remit.record.items import DecisionItem, ErasedItem, Item, ModelUsage, Position, RunFinished, RunSuspended
from remit.testing.store_suite.samples import (
    Clock,
    header_item,
    note,
    positions,
    question,
    question_item,
    start_item,
    yes,
)
from tests.engine.roots import Stage, asks, never

Opening = Callable[[Path | str], SqlStore]


@pytest.fixture
async def stage(file: Path, opening: Opening, clock: Clock) -> Stage:
    """A run that waits for the answer to a question."""
    stage = Stage(opening(file), clock)
    await stage.begin(asks("q1"))
    return stage


def execute(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        for statement in statements:
            database.execute(statement)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE remit_items SET body = replace(body, 'ada', 'eve') WHERE seq = 0", "run run: item 0 was changed"),
        ("UPDATE remit_items SET digest = 'text' WHERE seq = 1", "run run: item 1 was changed"),
        ("UPDATE remit_items SET body = CAST(body AS BLOB) WHERE seq = 1", "run run: item 1 was changed"),
        ("DELETE FROM remit_items WHERE seq = 1", "run run: item 2 was changed, or the one before it"),
        ("DELETE FROM remit_items WHERE seq = 2", "run run has 2 items, but its row counts 3"),
        ("DELETE FROM remit_items", "run run has 0 items, but its row counts 3"),
        ("DELETE FROM remit_runs", "run run has items but no row"),
        ("UPDATE remit_runs SET callee = ''", "run run: its row does not match its items"),
        ("UPDATE remit_runs SET principal = 'eve'", "run run: its row does not match its items"),
        ("UPDATE remit_runs SET status = 'done'", "run run: its row does not match its items"),
        ("DELETE FROM remit_questions", "run run: the row of question q1 was changed or removed"),
        (
            "UPDATE remit_questions SET body = replace(body, 'about', 'home')",
            "the row of question q1 was changed: its signature does not match",
        ),
    ],
)
async def test_a_changed_run_is_refused_and_nothing_of_it_runs(
    stage: Stage, file: Path, statement: str, message: str
) -> None:
    execute(file, statement)
    with pytest.raises(BrokenJournalError, match=message):
        await stage.again(never)


async def test_no_new_run_begins_under_the_id_of_a_run_whose_row_was_removed(stage: Stage, file: Path) -> None:
    execute(file, "DELETE FROM remit_runs", "DELETE FROM remit_items WHERE seq = 0")
    with pytest.raises(BrokenJournalError, match="run run has items but no row"):
        await stage.begin(never)


async def test_no_new_run_begins_under_the_id_of_a_run_whose_items_were_removed(stage: Stage, file: Path) -> None:
    execute(file, "DELETE FROM remit_items")
    with pytest.raises(BrokenJournalError, match="run run has 0 items, but its row counts 3"):
        await stage.begin(never)
    with pytest.raises(BrokenJournalError, match="run run has 0 items, but its row counts 3"):
        await stage.driver().create_run("run", header_item())


@pytest.mark.parametrize("status", ["running", "done"])
@pytest.mark.parametrize(
    ("signature", "message"),
    [("signature", "run run: its row is signed, but has no items"), ("NULL", "its row does not match its items")],
)
async def test_no_run_begins_or_has_ended_whose_row_was_reset_and_whose_items_were_removed(
    stage: Stage, file: Path, status: str, signature: str, message: str
) -> None:
    reset = f"UPDATE remit_runs SET next_seq = 0, ended = 0, status = '{status}', signature = {signature}"  # noqa: S608
    execute(file, "DELETE FROM remit_items", reset)
    for execution in (stage.begin, stage.again):
        with pytest.raises(BrokenJournalError, match=message):
            await execution(never)


async def test_another_run_is_not_affected_by_a_changed_one(stage: Stage, file: Path) -> None:
    await stage.begin(asks("q2", run="other"), run="other")
    execute(file, "DELETE FROM remit_items WHERE run = 'run'")
    assert (await stage.again(asks("q2", run="other"), run="other")).status == "waiting"


async def test_an_unreadable_body_is_a_journal_error(stage: Stage, file: Path) -> None:
    execute(file, "UPDATE remit_items SET body = '7' WHERE seq = 1")
    with pytest.raises(JournalError, match="does not have the fields"):
        await stage.again(never)


def test_the_items_of_another_run_are_refused() -> None:
    with pytest.raises(BrokenJournalError, match="run other: its items are those of run run"):
        verify_chain("other", positions("other", [header_item("run")]))


def test_a_question_of_another_run_is_verified_with_that_run() -> None:
    asked = positions("run", [header_item(), question_item(question(run="other"))])
    verify_lease("run", asked, AcquiredLease(1, asked, 2, row_of("running")))


def erase_start(items: list[Position]) -> list[Position]:
    erased = structs.replace(items[1], item=ErasedItem(call="call", was="started"), body="")
    return [items[0], erased, *items[2:]]


def test_an_unfinished_run_is_refused_if_the_start_of_a_call_was_erased() -> None:
    """The call would run again. The start has no content that would have to be erased."""
    items = erase_start(positions("run", [header_item(), start_item(), note()]))
    with pytest.raises(BrokenJournalError, match="run run: item 1, the start of a call, was erased"):
        verify_lease("run", items, AcquiredLease(1, items, 3, row_of("running")))


def test_an_unfinished_run_is_refused_if_what_a_request_used_was_erased() -> None:
    """Its budget would begin anew. The usage has no content that would have to be erased."""
    usage = ModelUsage(call="call", model="m", finish="stop", prompt_tokens=1, completion_tokens=1, response="r")
    items = positions("run", [header_item(), usage, note()])
    erased = [items[0], structs.replace(items[1], item=ErasedItem(call="call", was="usage"), body=""), items[2]]
    with pytest.raises(BrokenJournalError, match="run run: item 1, the usage of a request, was erased"):
        verify_lease("run", erased, AcquiredLease(1, erased, 3, row_of("running")))


def test_an_ended_run_may_be_erased() -> None:
    items = erase_start(positions("run", [header_item(), start_item(), RunFinished(call="run", status="done")]))
    verify_lease("run", items, AcquiredLease(1, items, 3, row_of("done", 1000.0)))


APPROVED = QuestionRow(question(), "approved", yes(), None)
USED = APPROVED._replace(status="taken", consumed_by=("run", "call"))


@pytest.mark.parametrize(
    ("row", "older_than"),
    [
        (QuestionRow(question(), "open", None, None), 2),
        (APPROVED, 3),
        (APPROVED._replace(status="taken", consumed_by=("other", "call")), 3),
        (USED, None),
        (USED._replace(status="erased"), None),
    ],
)
def test_the_row_of_a_question_that_is_older_than_an_item_is_refused(row: QuestionRow, older_than: int | None) -> None:
    copied = DecisionItem(call="call", question="q1", body=yes().to_json())
    items = positions("run", [header_item(), question_item(question()), copied, start_item(question="q1")])
    lease = AcquiredLease(1, items, 4, row_of("running"), "", [row])
    if older_than is None:
        verify_lease("run", items, lease)
    else:
        with pytest.raises(BrokenJournalError, match=f"run run: the row of a question is older than item {older_than}"):
            verify_lease("run", items, lease)


REPLACEMENT = question_item(question("q2"), call="call")
ERASED_QUESTION = ErasedItem(call="call", was="question")


@pytest.mark.parametrize(
    ("items", "is_used"),
    [
        ([question_item(question())], False),
        ([start_item(), question_item(question())], False),
        ([question_item(question()), start_item("another", question="q1")], False),
        ([ERASED_QUESTION], False),
        ([note()], False),
        ([question_item(question()), note()], False),
        ([start_item(), start_item(attempt=2)], False),
        ([REPLACEMENT, start_item()], False),
        ([structs.replace(ERASED_QUESTION, call="another"), start_item()], False),
        ([question_item(question()), structs.replace(ERASED_QUESTION, call="another")], False),
        ([question_item(question()), question_item(question(), call="another")], False),
        ([question_item(question()), start_item(question="q1")], True),
        ([question_item(question()), ERASED_QUESTION], True),
        ([question_item(question()), note(), REPLACEMENT], True),
        ([ERASED_QUESTION, start_item(question="q1")], True),
    ],
)
def test_a_run_whose_items_are_older_than_the_use_of_its_approval_is_refused(
    items: list[Item], *, is_used: bool
) -> None:
    """Otherwise the call would count as the one that used the approval, and run again."""
    asked = question_item(question())
    written = [structs.replace(asked, call=each.call) if isinstance(each, ErasedItem) else each for each in items]
    placed = positions("run", [header_item(), *written])
    for at, item in enumerate(items, start=1):
        if isinstance(item, ErasedItem):
            placed[at] = structs.replace(placed[at], item=item, body="")
    rows = [USED, QuestionRow(question("q2"), "open", None, None)]
    lease = AcquiredLease(1, placed, len(placed), row_of("running"), "", rows)
    if is_used:
        verify_lease("run", placed, lease)
    else:
        with pytest.raises(BrokenJournalError, match="run run: its items are older than the row of question q1"):
            verify_lease("run", placed, lease)


@pytest.mark.parametrize("is_used", [False, True])
def test_a_run_that_is_older_than_its_use_of_the_approval_of_another_run_is_refused(*, is_used: bool) -> None:
    items = positions("run", [header_item(), start_item(question="q1") if is_used else start_item("another")])
    used = QuestionRow(question(run="first"), "taken", yes(), ("run", "call"))
    lease = AcquiredLease(1, items, len(items), row_of("running"), "", [used])
    if is_used:
        verify_lease("run", items, lease)
    else:
        with pytest.raises(BrokenJournalError, match="run run: its items are older than the row of question q1"):
            verify_lease("run", items, lease)


def row_of(status: RunStatus, ended: float = 0.0) -> RunRow:
    return RunRow(
        run="run",
        status=status,
        tenant="default",
        principal="ada",
        application="app",
        agent="editor",
        callee="cms_createPage",
        conversation="",
        after="",
        opened=1000.0,
        ended=ended,
    )


def test_a_row_matches_the_last_item_that_changes_the_status() -> None:
    items = positions("run", [header_item(), RunSuspended(call="run", questions=("q",)), note()])
    assert matches_items(row_of("waiting"), items)
    assert not matches_items(row_of("running"), items)
    ended = positions("run", [header_item(), RunFinished(call="run", status="failed")])
    assert matches_items(row_of("failed", 1000.0), ended)
    assert not matches_items(row_of("done", 1000.0), ended)
    assert not matches_items(row_of("failed", 999.0), ended)


async def test_a_row_matches_erased_items_as_far_as_they_tell(opening: Opening, file: Path, clock: Clock) -> None:
    stage = Stage(opening(file), clock)
    await stage.begin(asks())
    row = await stage.store.find_run("run")
    assert row is not None
    await stage.store.erase("run", [2])
    without_end = await stage.store.read("run")
    assert matches_items(row, without_end)
    assert not matches_items(row_of("running"), without_end)
    assert not matches_items(replace(row, principal="eve"), without_end)
    await stage.store.erase("run", [0])
    assert matches_items(row, await stage.store.read("run"))
    assert not matches_items(row, positions("run", [note()]))
