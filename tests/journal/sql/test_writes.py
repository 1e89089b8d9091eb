"""What the writes of one transaction lock and wake."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs
from sqlalchemy import Connection

from remit.errors import JournalError
from remit.journal.conversations import conversation_key
from remit.journal.sql.locks import LockKeys, conversation_lock
from remit.journal.sql.store import SqlStore
from remit.journal.sql.writes import Append
from remit.record.artifact import digest_of
from remit.record.items import DETACHED, DecisionItem, QuestionClosed, RunStalled, RunSuspended
from remit.record.ledger import Consumption
from remit.testing.store_suite.due import due_runs, leave_run, suspension
from remit.testing.store_suite.samples import header_item, note, positions, question, question_item, yes

Opening = Callable[[Path | str], SqlStore]


def now(_connection: Connection) -> float:
    return 1000.0


def test_an_append_locks_its_run_what_it_opens_and_every_question_that_it_concerns() -> None:
    given = digest_of(b"given to the run")
    header = structs.replace(header_item(conversation="talk"), arguments=f'{{"file":"{given}"}}')
    items = [
        header,
        note(digest_of(b"written by the run")),
        question_item(question("q1")),
        DecisionItem(call="call", question="q2", body=yes("q2").to_json()),
        QuestionClosed(call="call", question="q3"),
        RunSuspended(call="run", questions=("q4",)),
        RunStalled(call="run", questions=("q5",), reason="the model is away", retry_at=1.0),
    ]
    append = Append("run", 1, positions("run", items), Consumption(("q6",), "run", "call"), now)
    names = {"run", given, conversation_lock(conversation_key(header))}
    assert append.lock_keys == LockKeys(frozenset(names), frozenset({"q1", "q2", "q3", "q4", "q5", "q6"}))
    alone = Append("run", 1, positions("run", [header_item()]), None, now)
    assert alone.lock_keys == LockKeys(frozenset({"run"}))


async def test_a_decision_wakes_no_run_of_the_conversation_that_waits_for_another_question(
    opening: Opening, file: Path
) -> None:
    store = opening(file)
    for run, name, after in (("asks", "q1", ""), ("alone", "q2", DETACHED)):
        asked = question_item(question(name, run=run, conversation="talk"))
        await leave_run(store, run, asked, suspension(run, name), conversation="talk", after=after)
    await store.decide(yes("q1"))
    assert await due_runs(store) == ["asks"]


async def test_what_a_call_has_reserved_cannot_be_returned_to_a_closed_store(opening: Opening, tmp_path: Path) -> None:
    store = opening(tmp_path / "journal.db")
    await store.close()
    with pytest.raises(JournalError):
        await store.release_uses("run", "call", ["subject"])
