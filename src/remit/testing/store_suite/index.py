"""The index: a store derives runs and questions from items and finds them by their properties."""

from __future__ import annotations

import asyncio
from typing import Literal

import pytest
from msgspec.structs import replace

from remit.errors import RequestConflictError, RequestError
from remit.journal.ports import RunRow, Store
from remit.record.items import DETACHED, Item, RunFinished, RunResumed, RunSuspended
from remit.record.question import Decision
from remit.testing.store_suite.samples import (
    Clock,
    acquire_run,
    begin,
    header_item,
    no,
    note,
    question,
    question_item,
    yes,
)


async def names(store: Store, *, conversation: str = "", limit: int = 50) -> list[str]:
    return [row.run for row in await store.list_runs(conversation=conversation, limit=limit)]


async def question_ids(store: Store, *, only_open: bool = True, conversation: str = "") -> list[str]:
    rows = await store.list_questions(only_open=only_open, conversation=conversation)
    return [row.question.id for row in rows]


async def usable_question_id(store: Store, conversation: str = "talk", match: str = "match") -> str | None:
    row = await store.find_usable_question(conversation, match)
    return row.question.id if row else None


# --- runs -----------------------------------------------------------------------------------------------------


async def test_the_row_of_a_run_matches_its_header(store: Store) -> None:
    run = await acquire_run(store)
    await run.append(header_item("run", conversation="talk", after="before"), at=1234.5)
    row = RunRow(
        run="run",
        status="running",
        tenant="default",
        principal="ada",
        application="app",
        agent="editor",
        callee="cms_createPage",
        conversation="talk",
        after="before",
        opened=1234.5,
        ended=0.0,
    )
    assert await store.find_run("run") == row
    assert await store.list_runs() == [row]


async def test_runs_are_listed_newest_first_up_to_the_limit(store: Store) -> None:
    for name, at in (("second", 2.0), ("third", 3.0), ("first", 1.0)):
        await begin(store, name, at=at)
    assert await names(store) == ["third", "second", "first"]
    assert await names(store, limit=2) == ["third", "second"]


async def test_runs_of_one_conversation_are_listed_alone(store: Store) -> None:
    one = await begin(store, "one", conversation="talk", at=1.0)
    await one.append(RunFinished(call="one", status="done"))
    await begin(store, "two", conversation="other", at=2.0)
    await begin(store, "three", conversation="talk", after="one", at=3.0)
    await begin(store, "four", at=4.0)
    assert await names(store, conversation="talk") == ["three", "one"]
    assert await names(store, conversation="talk", limit=1) == ["three"]
    assert await names(store, conversation="unknown") == []


async def test_runs_of_one_tenant_or_application_are_listed_alone(store: Store) -> None:
    told = (("one", "acme", "cms"), ("two", "acme", "desk"), ("three", "zeta", "cms"))
    for at, (name, tenant, application) in enumerate(told, start=1000):
        run = await acquire_run(store, name)
        await run.append(replace(header_item(name), tenant=tenant, application=application), at=at)
    assert [row.run for row in await store.list_runs(tenant="acme")] == ["two", "one"]
    assert [row.run for row in await store.list_runs(application="cms")] == ["three", "one"]
    assert [row.run for row in await store.list_runs(tenant="acme", application="cms")] == ["one"]
    assert await store.list_runs(tenant="unknown") == []
    assert [row.run for row in await store.list_runs(principal="ada")] == ["three", "two", "one"]
    assert await store.list_runs(principal="unknown") == []


async def test_runs_of_one_target_are_listed_alone(store: Store) -> None:
    for at, (name, target) in enumerate((("one", "bakery/main"), ("two", ""), ("three", "bakery/draft")), start=1000):
        run = await acquire_run(store, name)
        await run.append(replace(header_item(name), target=target), at=at)
    assert [(row.run, row.target) for row in await store.list_runs(target="bakery/main")] == [("one", "bakery/main")]
    assert [row.target for row in await store.list_runs()] == ["bakery/draft", "", "bakery/main"]
    assert await store.list_runs(target="bakery") == []


@pytest.mark.parametrize("status", ["running", "waiting"])
async def test_no_second_run_of_a_conversation_is_opened_before_the_first_has_ended(store: Store, status: str) -> None:
    first = await begin(store, "first", conversation="talk")
    if status == "waiting":
        await first.append(RunSuspended(call="first", questions=("q1",)))
    second = await acquire_run(store, "second")
    with pytest.raises(RequestError, match=f"conversation talk is busy: run first is {status}"):
        await second.append(header_item("second", conversation="talk"))
    assert (await store.find_run("second"), await store.read("second")) == (None, [])
    await first.append(RunFinished(call="first", status="done"))
    await second.append(header_item("second", conversation="talk", after="first"), at=1001)
    assert await names(store, conversation="talk") == ["second", "first"]


async def test_a_run_created_before_its_conversation_continued_is_not_opened(store: Store) -> None:
    first = await begin(store, "first", conversation="talk")
    await first.append(RunFinished(call="first", status="done"))
    second = await begin(store, "second", conversation="talk", after="first", at=1001)
    await second.append(RunFinished(call="second", status="done"))
    late = await acquire_run(store, "late")
    with pytest.raises(RequestError, match="conversation talk has continued with run second"):
        await late.append(header_item("late", conversation="talk", after="first"), at=1002)
    assert await names(store, conversation="talk") == ["second", "first"]


@pytest.mark.parametrize("status", ["running", "waiting"])
async def test_a_direct_call_in_a_conversation_is_opened_at_any_time_and_is_not_its_newest_run(
    store: Store, status: str
) -> None:
    first = await begin(store, "first", conversation="talk", at=1.0)
    if status == "waiting":
        await first.append(RunSuspended(call="first", questions=("q1",)))
    for at, name in enumerate(("call", "another"), start=2):
        await begin(store, name, conversation="talk", after=DETACHED, at=at)
    await first.append(RunFinished(call="first", status="done"))
    await begin(store, "second", conversation="talk", after="first", at=4.0)
    assert await names(store, conversation="talk") == ["second", "another", "call", "first"]
    latest = await store.find_latest_run("talk", tenant="default", application="app")
    assert latest is not None
    assert latest.run == "second"


async def test_a_conversation_is_that_of_its_tenant_and_application(store: Store) -> None:
    await begin(store, "first", conversation="talk")
    for name, header in (
        ("tenant", replace(header_item("tenant", conversation="talk"), tenant="zeta")),
        ("application", replace(header_item("application", conversation="talk"), application="other")),
    ):
        run = await acquire_run(store, name)
        await run.append(header)
    assert len(await store.list_runs(conversation="talk")) == 3


async def test_one_of_many_concurrent_runs_of_a_conversation_is_opened(store: Store) -> None:
    runs = [await acquire_run(store, f"run{index}") for index in range(10)]
    outcomes = await asyncio.gather(
        *(run.append(header_item(run.run, conversation="talk")) for run in runs), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes if isinstance(outcome, Exception)] == [RequestConflictError] * 9
    assert len(await store.list_runs(conversation="talk")) == 1


async def test_a_run_with_a_lease_but_no_header_is_not_listed(store: Store) -> None:
    run = await acquire_run(store)
    await run.append(note(), RunSuspended(call="run", questions=()))
    assert await store.find_run("run") is None
    assert await store.list_runs() == []


async def test_an_unknown_run_is_not_found(store: Store) -> None:
    assert await store.find_run("unknown") is None


async def test_a_run_opened_at_time_zero_is_found(store: Store) -> None:
    await begin(store, at=0.0)
    assert await names(store) == ["run"]


@pytest.mark.parametrize(
    ("items", "status"),
    [
        ([note()], "running"),
        ([RunSuspended(call="run", questions=("q1",))], "waiting"),
        ([RunSuspended(call="run", questions=("q1",)), RunResumed(call="run", driver="me")], "running"),
        ([RunSuspended(call="run", questions=("q1",)), note()], "waiting"),
    ],
)
async def test_while_it_has_not_ended_a_run_is_running_or_waiting(
    store: Store, items: list[Item], status: Literal["running", "waiting"]
) -> None:
    run = await begin(store)
    await run.append(*items, at=1500)
    row = await store.find_run("run")
    assert row is not None
    assert (row.status, row.ended) == (status, 0.0)


@pytest.mark.parametrize("status", ["done", "failed", "cancelled"])
async def test_an_ended_run_has_its_status_and_time(
    store: Store, status: Literal["done", "failed", "cancelled"]
) -> None:
    run = await begin(store)
    await run.append(RunFinished(call="run", status=status), at=1500.25)
    row = await store.find_run("run")
    assert row is not None
    assert (row.status, row.opened, row.ended) == (status, 1000.0, 1500.25)


# --- questions ------------------------------------------------------------------------------------------------


async def test_a_question_is_found_with_every_field(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    row = await store.find_question("q1")
    assert row is not None
    assert row == (question(), "open", None, None)


async def test_an_unknown_question_is_not_found(store: Store) -> None:
    assert await store.find_question("q1") is None


async def test_questions_are_listed_oldest_first(store: Store) -> None:
    run = await begin(store)
    for name, at in (("a", 1000.0), ("c", 1001.0), ("b", 1002.0)):
        await run.append(question_item(question(name, asked=at)))
    assert await question_ids(store) == ["a", "c", "b"]


async def test_only_open_questions_are_listed_unless_all_are_requested(store: Store, clock: Clock) -> None:
    run = await begin(store)
    for index, name in enumerate(("open", "approved", "denied", "taken", "expired")):
        lasts = 1010 if name == "expired" else 2000
        await run.append(question_item(question(name, asked=1000.0 + index, expires=lasts)))
    await store.decide(yes("approved"))
    await store.decide(no("denied"))
    await store.decide(yes("taken"))
    await run.start("taken")
    clock.now = 1010
    assert await question_ids(store) == ["open"]
    rows = await store.list_questions(only_open=False)
    assert [row.question.id for row in rows] == [row.status for row in rows]
    assert len(rows) == 5


@pytest.mark.parametrize("newest_first", [False, True])
async def test_questions_are_listed_page_by_page_in_both_orders(store: Store, newest_first: bool) -> None:
    run = await begin(store)
    for name, at in (("a", 1000.0), ("c", 1001.0), ("b", 1001.0), ("d", 1002.0)):
        await run.append(question_item(question(name, asked=at)))
    listed, after = list[str](), ""
    while page := await store.list_questions(only_open=False, newest_first=newest_first, after=after, limit=1):
        after = page[0].question.id
        listed.append(after)
    assert listed == (["d", "c", "b", "a"] if newest_first else ["a", "b", "c", "d"])
    assert await store.list_questions(newest_first=newest_first, after="unknown", limit=1) == []


async def test_questions_of_one_conversation_are_listed_alone(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question("here")), question_item(question("there", conversation="other")))
    assert await question_ids(store, conversation="talk") == ["here"]
    assert await question_ids(store, conversation="unknown", only_open=False) == []


async def test_an_open_question_past_its_deadline_is_expired(store: Store, clock: Clock) -> None:
    run = await begin(store)
    await run.append(question_item(question(expires=1010)))
    clock.now = 1010
    row = await store.find_question("q1")
    assert row is not None
    assert (row.status, row.decision) == ("expired", None)


async def test_a_question_asked_by_a_second_call_is_the_same_question(store: Store) -> None:
    one, two = await begin(store, "one"), await begin(store, "two")
    await one.append(question_item(question(run="one")))
    await store.decide(yes())
    await two.append(question_item(question(run="one"), call="another"))
    row = await store.find_question("q1")
    assert row is not None
    assert (row.question.run, row.status) == ("one", "approved")


# --- the question that stands in a conversation -----------------------------------------------------------------


async def test_an_open_question_is_usable(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    row = await store.find_usable_question("talk", "match")
    assert row is not None
    assert row == (question(), "open", None, None)


@pytest.mark.parametrize("decision", [yes(), no()], ids=["yes", "no"])
async def test_a_decision_that_is_not_consumed_is_usable(store: Store, clock: Clock, decision: Decision) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    await store.decide(decision)
    row = await store.find_usable_question("talk", "match")
    assert row is not None
    assert row.decision == decision


async def test_a_consumed_question_is_not_usable(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    await store.decide(yes())
    await run.start("q1")
    assert await usable_question_id(store) is None


async def test_an_expired_question_is_not_usable(store: Store, clock: Clock) -> None:
    run = await begin(store)
    await run.append(question_item(question(expires=1010)))
    clock.now = 1010
    assert await usable_question_id(store) is None


async def test_an_approval_that_was_not_used_in_time_is_not_usable(store: Store, clock: Clock) -> None:
    run = await begin(store)
    await run.append(question_item(question(expires=1010)))
    await store.decide(yes())
    clock.now = 1009
    assert await usable_question_id(store) == "q1"
    clock.now = 1010
    assert await usable_question_id(store) is None


async def test_questions_of_a_cancelled_run_are_closed(store: Store) -> None:
    one, two = await begin(store, "one"), await begin(store, "two")
    for run in (one, two):
        await run.append(question_item(question(f"open {run.run}", run=run.run)))
    await one.append(question_item(question("approved", run="one")))
    await store.decide(yes("approved"))
    await one.append(RunFinished(call="one", status="cancelled"))
    rows = await store.list_questions(only_open=False)
    assert {row.question.id: row.status for row in rows} == {
        "open one": "cancelled",
        "open two": "open",
        "approved": "approved",
    }
    assert await question_ids(store) == ["open two"]
    with pytest.raises(RequestError, match="run one was cancelled, so question open one can no longer be decided"):
        await store.decide(yes("open one"))


async def test_a_question_of_a_cancelled_run_is_not_usable(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()), RunFinished(call="run", status="cancelled"))
    assert await usable_question_id(store) is None


@pytest.mark.parametrize(("conversation", "match"), [("other", "match"), ("talk", "else"), ("", "match")])
async def test_a_question_is_usable_only_for_its_conversation_and_match(
    store: Store, conversation: str, match: str
) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    assert await usable_question_id(store, conversation, match) is None


async def test_the_newest_of_several_questions_is_usable(store: Store, clock: Clock) -> None:
    run = await begin(store)
    await run.append(
        question_item(question("old", asked=1000)), question_item(question("new", asked=1001, expires=1010))
    )
    assert await usable_question_id(store) == "new"
    clock.now = 1010
    assert await usable_question_id(store) == "old"
