"""The last approval of a rule: a store finds it over all runs, without reading other questions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from remit.journal.ports import Store
from remit.record.items import DecisionItem
from remit.record.ledger import Consumption
from remit.testing.store_suite.samples import acquire_run, begin, no, question, question_item, start_item, yes

SAME = {
    "application": "app",
    "tenant": "default",
    "asker": "ada",
    "target": "",
    "tool": "cms_deletePage",
    "rule": "high risk",
}


async def last_approval_id(store: Store, **other: str) -> str | None:
    row = await store.find_last_approval(**SAME | other)
    return row.question.id if row else None


async def test_the_last_approval_is_the_newest_approved_question_of_all_runs(store: Store) -> None:
    for number, asked in enumerate((1001.0, 1003.0, 1002.0, 1004.0, 1005.0)):
        run = await begin(store, f"run{number}")
        await run.append(question_item(question(f"q{number}", run=run.run, conversation="", asked=asked)))
    assert await last_approval_id(store) is None
    for decision in (yes("q0"), yes("q1"), yes("q2"), no("q3")):
        await store.decide(decision)
    row = await store.find_last_approval(**SAME)
    assert row is not None
    assert (row.question.id, row.decision) == ("q1", yes("q1"))


async def test_a_used_approval_remains_the_last_one_and_a_used_denial_is_none(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question("yes")), question_item(question("no", asked=1001.0)))
    await store.decide(yes("yes"))
    await store.decide(no("no"))
    await run.start("yes")
    refusal = Consumption(("no",), "run", "call", approved=False)
    await run.append(start_item("another"), take=refusal)
    assert await last_approval_id(store) == "yes"


@pytest.mark.parametrize("part", ["application", "tenant", "asker", "target", "tool", "rule"])
async def test_the_last_approval_is_of_the_same_tenant_asker_target_tool_and_rule(store: Store, part: str) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    await store.decide(yes())
    assert await last_approval_id(store) == "q1"
    assert await last_approval_id(store, **{part: "another"}) is None


async def test_the_last_approval_of_one_application_is_none_for_another(store: Store) -> None:
    for application, asked in (("app", 1001.0), ("other", 1002.0)):
        run = await begin(store, application, application=application)
        await run.append(question_item(question(f"q of {application}", run=run.run, conversation="", asked=asked)))
        await store.decide(yes(f"q of {application}"))
    assert await last_approval_id(store) == "q of app"
    assert await last_approval_id(store, application="other") == "q of other"


async def test_the_last_approval_for_one_target_is_none_for_another(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(replace(question(), target="bakery")))
    await store.decide(yes())
    assert await last_approval_id(store, target="bakery") == "q1"
    assert await last_approval_id(store, target="shop") is None
    assert await last_approval_id(store) is None


async def test_a_decision_in_an_item_counts_as_the_last_approval(store: Store) -> None:
    run = await begin(store)
    decided = DecisionItem(call="call", question="q1", body=yes().to_json())
    await run.append(question_item(question()), decided)
    assert await last_approval_id(store) == "q1"


async def test_the_answer_about_an_outcome_is_not_an_approval(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(replace(question(), kind="outcome")))
    await store.decide(yes())
    assert await last_approval_id(store) is None


async def test_the_approval_of_a_run_that_was_not_opened_is_of_no_application(store: Store) -> None:
    run = await acquire_run(store)
    await run.append(question_item(question()))
    await store.decide(yes())
    assert await last_approval_id(store) is None
