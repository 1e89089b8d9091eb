"""Erasure: a store erases every copy of an item's content, including the row of its question."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from remit.errors import ApprovalUsedError, RequestError
from remit.journal.ports import QuestionRow, Store
from remit.record.items import DecisionItem
from remit.record.ledger import Consumption
from remit.record.question import Decision, Question, RepeatReason
from remit.record.sentence import NO_SENTENCE, Sentence
from remit.testing.store_suite.samples import (
    Run,
    begin,
    no,
    note,
    positions,
    question,
    question_item,
    read_decisions,
    start_item,
    yes,
)

ASKED: Final = replace(
    question(),
    arguments='{"a":"SECRET"}',
    shown="SECRET",
    sentence=Sentence((("SECRET", True),)),
    reason="SECRET",
    again=RepeatReason("state", "SECRET"),
    edits="q0",
    editor="eve",
)
EDITED: Final = replace(yes(), arguments='{"b":"SECRET"}', result="SECRET", reason="SECRET")
EMPTY: Final = replace(ASKED, arguments="", shown="", sentence=NO_SENTENCE, reason="", again=None)
UNSAID: Final = yes()


def decision_item(decision: Decision) -> DecisionItem:
    return DecisionItem(call="call", question=decision.question, body=decision.to_json())


async def ask(store: Store, of: Question = ASKED) -> Run:
    run = await begin(store)
    await run.append(question_item(of))
    return run


async def row_of(store: Store, name: str = "q1") -> QuestionRow:
    row = await store.find_question(name)
    assert row is not None
    return row


async def visible_state(store: Store) -> str:
    """Everything that the store returns about the run and its question."""
    return repr(
        (
            await store.read("run"),
            await store.list_questions(only_open=False),
            await store.find_usable_question("talk", "match"),
        )
    )


async def test_the_row_of_an_erased_question_keeps_only_its_ids(store: Store) -> None:
    await ask(store)
    assert "SECRET" in await visible_state(store)
    await store.erase("run", [1])
    assert await row_of(store) == QuestionRow(EMPTY, "erased", None, None)
    assert "SECRET" not in await visible_state(store)


async def test_an_erased_question_cannot_be_decided(store: Store) -> None:
    await ask(store)
    await store.erase("run", [1])
    assert await store.list_questions() == []
    assert await store.find_usable_question("talk", "match") is None
    with pytest.raises(RequestError, match="question q1 was erased, so it can no longer be decided"):
        await store.decide(yes())


async def test_erasing_a_question_erases_its_decision(store: Store) -> None:
    """This holds even if no executor has copied the decision into an item yet."""
    run = await ask(store)
    await store.decide(EDITED)
    await store.erase("run", [1])
    assert await row_of(store) == QuestionRow(EMPTY, "erased", UNSAID, None)
    assert "SECRET" not in await visible_state(store)
    await store.release("run", run.epoch)
    assert list((await store.acquire("run", "next", 10)).decisions) == [UNSAID]


async def test_an_erased_decision_keeps_its_author_and_its_question(store: Store) -> None:
    run = await ask(store, question())
    await store.decide(EDITED)
    await run.append(decision_item(EDITED))
    assert "SECRET" in await visible_state(store)
    await store.erase("run", [2])
    assert await row_of(store) == QuestionRow(question(), "erased", UNSAID, None)
    assert "SECRET" not in await visible_state(store)
    await store.release("run", run.epoch)
    assert list((await store.acquire("run", "next", 10)).decisions) == [UNSAID]


async def test_a_decision_that_is_only_in_an_item_is_erased(store: Store) -> None:
    run = await ask(store, question())
    await run.append(decision_item(EDITED))
    assert (await row_of(store)).decision == EDITED
    await store.erase("run", [2])
    assert (await row_of(store)).decision == UNSAID


@pytest.mark.parametrize("seq", [1, 2], ids=["the question", "the decision"])
async def test_an_erased_approval_is_not_used(store: Store, seq: int) -> None:
    run = await ask(store)
    await store.decide(yes())
    await run.append(decision_item(yes()))
    await store.erase("run", [seq])
    assert await store.find_usable_question("talk", "match") is None
    with pytest.raises(ApprovalUsedError, match="q1 was erased"):
        await run.append(start_item(question="q1"), take=Consumption(("q1",), "run", "call"))
    assert (await row_of(store)).status == "erased"


@pytest.mark.parametrize("seq", [1, 2], ids=["the question", "the decision"])
async def test_an_erased_denial_remains_a_denial(store: Store, seq: int) -> None:
    run = await ask(store)
    await store.decide(no())
    await run.append(decision_item(no()))
    await store.erase("run", [seq])
    row = await row_of(store)
    assert (row.status, row.decision) == ("denied", replace(no(), reason=""))
    assert await store.find_usable_question("talk", "match") == row


@pytest.mark.parametrize("seq", [1, 2], ids=["the question", "the decision"])
async def test_after_an_erasure_the_last_approval_is_an_earlier_one(store: Store, seq: int) -> None:
    earlier = await begin(store, "earlier")
    await earlier.append(question_item(replace(question("q0", run="earlier"), asked=999.0)))
    await store.decide(yes("q0"))
    run = await ask(store, question())
    await store.decide(EDITED)
    await run.append(decision_item(EDITED))
    await run.start("q1")
    for last in ("q1", "q0"):
        row = await store.find_last_approval(
            application="app", tenant="default", asker="ada", target="", tool="cms_deletePage", rule="high risk"
        )
        assert row is not None
        assert row.question.id == last
        await store.erase("run", [seq])


async def test_an_erased_approval_stays_used_and_its_call_may_be_retried(store: Store) -> None:
    run = await ask(store)
    await store.decide(yes())
    await run.append(decision_item(yes()))
    await run.start("q1")
    await store.erase("run", [1, 2])
    assert await row_of(store) == QuestionRow(EMPTY, "taken", UNSAID, ("run", "call"))
    await run.start("q1")


async def test_a_call_whose_edited_arguments_are_erased_is_not_retried(store: Store) -> None:
    """A retry would run the original arguments, which were not approved."""
    run = await ask(store)
    await store.decide(EDITED)
    await run.append(decision_item(EDITED))
    await run.start("q1")
    await store.erase("run", [2])
    assert await row_of(store) == QuestionRow(ASKED, "erased", UNSAID, ("run", "call"))
    with pytest.raises(ApprovalUsedError, match="q1 was erased"):
        await run.start("q1")


async def test_other_questions_and_other_items_stay_as_they_are(store: Store) -> None:
    run = await ask(store)
    await run.append(question_item(question("q2", asked=1000.5)), note("SECRET"))
    await store.decide(EDITED)
    await store.decide(yes("q2", at=1002.0))
    before = await row_of(store), await read_decisions(store, "run")
    await store.erase("run", [2, 3])
    assert (await row_of(store), await read_decisions(store, "run")) == before
    assert (await row_of(store, "q2")).status == "erased"


async def test_copies_of_the_question_in_other_runs_are_erased(store: Store) -> None:
    """Another run of the conversation uses the same question."""
    await ask(store)
    other = await begin(store, "other")
    await other.append(question_item(ASKED, call="again"))
    await store.erase("other", [1])
    assert await row_of(store) == QuestionRow(EMPTY, "erased", None, None)


async def test_a_decision_on_an_unknown_question_is_erased(store: Store) -> None:
    run = await begin(store)
    await run.append(decision_item(EDITED))
    await store.erase("run", [1])
    assert await store.find_question("q1") is None
    assert (await store.read("run"))[1].body == ""


async def test_erasing_a_question_twice_changes_nothing(store: Store) -> None:
    await ask(store)
    await store.erase("run", [1])
    before = await row_of(store)
    await store.erase("run", [1])
    assert await row_of(store) == before


async def test_an_item_whose_append_is_not_awaited_is_erased(store: Store) -> None:
    run = await begin(store)
    storing = store.append("run", run.epoch, positions("run", [question_item(ASKED)], epoch=run.epoch, first=1))
    await store.erase("run", [1])
    await storing
    assert (await row_of(store)).question == EMPTY
