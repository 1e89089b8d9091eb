"""The inbox: a store keeps decisions for the run that asked, and an approval is consumed once."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from msgspec import structs

from remit.errors import ApprovalUsedError, IdempotencyError, LeaseError, RequestConflictError, RequestError
from remit.journal.ports import QuestionRow, Store
from remit.record.items import AttemptStarted, DecisionItem, QuestionClosed, RunSuspended
from remit.record.ledger import Consumption
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
    read_decisions,
    start_item,
    yes,
)


async def row_of(store: Store, name: str = "q1") -> QuestionRow:
    row = await store.find_question(name)
    assert row is not None
    return row


@pytest.mark.parametrize(("decision", "status"), [(yes(), "approved"), (no(), "denied")])
async def test_a_decision_is_stored_with_every_field(store: Store, decision: Decision, status: str) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    await store.decide(decision)
    row = await row_of(store)
    assert (row.status, row.decision, row.consumed_by) == (status, decision, None)
    assert await read_decisions(store, "run") == [decision]


async def test_the_first_decision_counts_and_the_refusal_of_the_second_names_its_author(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    await store.decide(no(by="bob"))
    with pytest.raises(RequestError, match="question q1 is already denied by bob"):
        await store.decide(yes(by="cleo"))
    assert (await row_of(store)).decision == no(by="bob")
    assert await read_decisions(store, "run") == [no(by="bob")]


async def test_a_closed_question_can_be_decided_no_more_and_its_run_can_continue(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()), RunSuspended(call="run", questions=("q1",)))
    await run.append(QuestionClosed(call="call", question="q1"))
    assert (await row_of(store)).status == "closed"
    with pytest.raises(RequestError, match="question q1 is closed: the call has ended, and its outcome is recorded"):
        await store.decide(yes())
    assert await store.list_questions() == []
    assert [row.status for row in await store.list_questions(only_open=False)] == ["closed"]
    row = await store.find_run("run")
    assert row is not None
    await store.release("run", run.epoch)
    assert await store.list_due_runs(row.application) == ["run"]


async def test_a_question_that_is_decided_is_not_closed(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    await store.decide(no())
    await run.append(QuestionClosed(call="call", question="q1"), QuestionClosed(call="call", question="another"))
    assert (await row_of(store)).status == "denied"


async def test_one_of_many_concurrent_decisions_counts(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    people = [f"person{index}" for index in range(20)]
    outcomes = await asyncio.gather(*(store.decide(yes(by=name)) for name in people), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes if outcome is not None] == [RequestConflictError] * 19
    assert len(await read_decisions(store, "run")) == 1


async def test_two_deciders_at_once_agree_on_one_decision(store: Store) -> None:
    """One approves edited arguments, and the other denies: only one decision takes effect."""
    run = await begin(store)
    deciders = (replace(yes(by="bob"), arguments='{"slug":"home"}'), no(by="cleo"))
    for number in range(10):
        name, order = f"q{number}", deciders if number % 2 else tuple(reversed(deciders))
        await run.append(question_item(question(name)))
        decisions = [replace(each, question=name) for each in order]
        outcomes = await asyncio.gather(*(store.decide(each) for each in decisions), return_exceptions=True)
        won = [each for each, outcome in zip(decisions, outcomes, strict=True) if outcome is None]
        row = await row_of(store, name)
        assert ([row.decision], row.status) == (won, "approved" if won[0].approved else "denied")
        consumption = Consumption((name,), "run", "call", approved=not won[0].approved)
        with pytest.raises(ApprovalUsedError, match="no such decision"):
            await run.append(note(name), take=consumption)


async def test_an_unknown_question_cannot_be_decided(store: Store) -> None:
    with pytest.raises(RequestError, match="question q1 does not exist"):
        await store.decide(yes())


@pytest.mark.parametrize("late", [0, 5000])
async def test_an_expired_question_cannot_be_decided(store: Store, clock: Clock, late: float) -> None:
    run = await begin(store)
    await run.append(question_item(question(expires=1010)))
    clock.now = 1010 + late
    with pytest.raises(RequestError, match="q1 has expired, which denies the call"):
        await store.decide(yes())
    assert await read_decisions(store, "run") == []


async def test_a_question_can_be_decided_until_it_expires(store: Store, clock: Clock) -> None:
    run = await begin(store)
    await run.append(question_item(question(expires=1010)))
    clock.now = 1009.999
    await store.decide(yes())
    assert (await row_of(store)).status == "approved"


async def test_a_decided_question_does_not_expire(store: Store, clock: Clock) -> None:
    run = await begin(store)
    await run.append(question_item(question(expires=1010)))
    await store.decide(no())
    clock.now = 5000
    assert (await row_of(store)).status == "denied"


async def test_an_unknown_run_has_an_empty_inbox(store: Store) -> None:
    assert await read_decisions(store, "unknown") == []


async def test_a_decision_reaches_only_the_run_that_asked(store: Store) -> None:
    for name in ("one", "two"):
        run = await begin(store, name)
        await run.append(question_item(question(f"of {name}", run=name)))
    await store.decide(yes("of two"))
    assert await read_decisions(store, "one") == []
    assert await read_decisions(store, "two") == [yes("of two")]


async def test_decisions_arrive_in_the_order_in_which_they_were_made(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question("early", asked=1000)), question_item(question("late", asked=1001)))
    await store.decide(yes("late", at=1002))
    await store.decide(no("early", at=1003))
    assert await read_decisions(store, "run") == [yes("late", at=1002), no("early", at=1003)]


async def test_a_decision_that_the_executor_writes_decides_the_question(store: Store) -> None:
    """An approver in the same process decides at once: the decision is only an item."""
    run = await begin(store)
    await run.append(question_item(question()), DecisionItem(call="call", question="q1", body=no().to_json()))
    row = await row_of(store)
    assert (row.status, row.decision) == ("denied", no())
    with pytest.raises(RequestError, match="already denied by bob"):
        await store.decide(yes())


async def test_copying_a_decision_into_the_journal_changes_nothing(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    await store.decide(yes())
    await run.append(DecisionItem(call="call", question="q1", body=no(by="forger").to_json()))
    row = await row_of(store)
    assert (row.status, row.decision) == ("approved", yes())


async def test_a_run_has_no_cancel_request_until_one_is_made(store: Store) -> None:
    await begin(store, "one")
    await begin(store, "two")
    await store.request_cancel("one", "ada")
    assert await store.cancel_requested_by("one") == "ada"
    assert await store.cancel_requested_by("two") == ""


async def test_an_unknown_run_has_no_cancel_request(store: Store) -> None:
    await store.request_cancel("unknown", "ada")
    assert await store.cancel_requested_by("unknown") == ""


# --- use of an approval ---------------------------------------------------------------------------------------


async def test_an_approval_is_consumed_together_with_the_start(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    await store.decide(yes())
    await run.start("q1")
    row = await row_of(store)
    assert (row.status, row.decision, row.consumed_by) == ("taken", yes(), ("run", "call"))
    assert (await store.read("run"))[-1].item == start_item(question="q1")


async def test_a_second_attempt_of_a_call_is_the_same_use(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    await store.decide(yes())
    await run.start("q1")
    await run.start("q1")
    assert (await row_of(store)).consumed_by == ("run", "call")


async def test_another_call_cannot_use_a_consumed_approval(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    await store.decide(yes())
    await run.start("q1", call="call")
    with pytest.raises(ApprovalUsedError, match="question q1 was used by another call"):
        await run.start("q1", call="twin")
    assert (await row_of(store)).consumed_by == ("run", "call")


async def test_several_approvals_of_a_call_are_used_together_or_not_at_all(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()), question_item(question("q2")))
    await store.decide(yes())
    together = Consumption(("q1", "q2"), "run", "call")
    with pytest.raises(ApprovalUsedError, match="question q2 has no such decision"):
        await run.append(start_item(question="q2"), take=together)
    assert (await row_of(store)).consumed_by is None
    await store.decide(yes("q2"))
    await run.append(start_item(question="q2"), take=together)
    rows = await store.list_questions(only_open=False)
    assert [row.consumed_by for row in rows] == [("run", "call"), ("run", "call")]


async def test_the_same_call_id_in_another_run_is_another_call(store: Store) -> None:
    one, two = await begin(store, "one"), await begin(store, "two")
    await one.append(question_item(question(run="one")))
    await store.decide(yes())
    await one.start("q1")
    with pytest.raises(ApprovalUsedError):
        await two.start("q1")


async def test_one_of_many_concurrent_calls_consumes_an_approval(store: Store) -> None:
    runs = [await begin(store, f"run{index}") for index in range(20)]
    await runs[0].append(question_item(question(run="run0")))
    await store.decide(yes())
    outcomes = await asyncio.gather(*(run.start("q1") for run in runs), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes if outcome is not None] == [ApprovalUsedError] * 19
    first = [run.run for run in runs if isinstance((await store.read(run.run))[-1].item, AttemptStarted)]
    assert (await row_of(store)).consumed_by == (first[0], "call")
    assert len(first) == 1


@pytest.mark.parametrize("answer", ["open", "denied", "unknown"])
async def test_an_undecided_question_cannot_be_consumed(store: Store, answer: str) -> None:
    run = await begin(store)
    if answer != "unknown":
        await run.append(question_item(question()))
    if answer == "denied":
        await store.decide(no())
    with pytest.raises(ApprovalUsedError):
        await run.start("q1")
    assert not any(isinstance(p.item, AttemptStarted) for p in await store.read("run"))


async def test_a_denial_is_consumed_once(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    await store.decide(no())
    copied = DecisionItem(call="call", question="q1", body=no().to_json())
    await run.append(copied, take=Consumption(("q1",), "run", "call", approved=False))
    row = await row_of(store)
    assert (row.status, row.decision, row.consumed_by) == ("taken", no(), ("run", "call"))
    with pytest.raises(ApprovalUsedError):
        await run.append(copied, take=Consumption(("q1",), "run", "twin", approved=False))


@pytest.mark.parametrize("approved", [True, False])
async def test_an_approval_is_not_consumed_as_a_denial_nor_a_denial_as_an_approval(
    store: Store, approved: bool
) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    await store.decide(no() if approved else yes())
    with pytest.raises(ApprovalUsedError, match="q1"):
        await run.append(note(), take=Consumption(("q1",), "run", "call", approved=approved))
    assert (await row_of(store)).consumed_by is None


async def test_a_consumed_question_cannot_be_decided_again(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()))
    await store.decide(yes())
    await run.start("q1")
    with pytest.raises(RequestError, match="question q1 is already approved by bob"):
        await store.decide(no())
    assert (await row_of(store)).status == "taken"


async def test_an_older_epoch_cannot_consume_an_approval(store: Store) -> None:
    old = await begin(store)
    await old.append(question_item(question()))
    await store.decide(yes())
    await store.release("run", old.epoch)
    await store.acquire("run", "second", 10)
    with pytest.raises(LeaseError):
        await old.start("q1")
    assert (await row_of(store)).consumed_by is None


async def test_an_expired_approval_cannot_be_consumed_for_the_first_time(store: Store, clock: Clock) -> None:
    run = await begin(store)
    await run.append(question_item(question(expires=1010)))
    await store.decide(yes())
    clock.now = 1010
    with pytest.raises(ApprovalUsedError):
        await run.append(start_item(question="q1"), take=Consumption(("q1",), "run", "call"))


async def test_a_call_that_consumed_its_approval_in_time_may_be_retried_later(store: Store, clock: Clock) -> None:
    run = await begin(store)
    await run.append(question_item(question(expires=1010)))
    await store.decide(yes())
    clock.now = 1009
    await run.start("q1")
    clock.now = 5000
    await run.start("q1")
    assert (await row_of(store)).status == "taken"


async def test_a_run_is_opened_with_the_first_decision_on_its_question_and_no_later_one(store: Store) -> None:
    asking = await begin(store)
    await asking.append(question_item(question()))
    decided = DecisionItem(call="match", question="q1", body=yes().to_json())
    first, second = await acquire_run(store, "first"), await acquire_run(store, "second")
    await first.append(structs.replace(header_item("first"), carries="match"), decided)
    row = await row_of(store)
    assert (row.status, row.decision) == ("approved", yes())
    with pytest.raises(RequestError, match="question q1 is already approved by bob"):
        await second.append(structs.replace(header_item("second"), carries="match"), decided)
    assert await store.read("second") == []


async def test_a_key_decides_one_question_only(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()), question_item(question("q2")))
    keyed = replace(yes(), request_key="k1")
    await store.decide(keyed)
    with pytest.raises(IdempotencyError, match="the idempotency key was used to decide question q1; use a new key"):
        await store.decide(replace(no("q2"), request_key="k1"))
    with pytest.raises(RequestConflictError, match="question q1 is already approved"):
        await store.decide(keyed)
    assert ((await row_of(store)).decision, (await row_of(store, "q2")).status) == (keyed, "open")


async def test_of_two_decisions_with_one_key_that_are_stored_at_once_one_counts(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()), question_item(question("q2")))
    decisions = [replace(yes(each), request_key="k1") for each in ("q1", "q2")]
    errors = await asyncio.gather(*map(store.decide, decisions), return_exceptions=True)
    assert sorted(type(each).__name__ for each in errors) == ["IdempotencyError", "NoneType"]
    assert sorted([(await row_of(store)).status, (await row_of(store, "q2")).status]) == ["approved", "open"]


async def test_the_key_of_an_erased_decision_is_free(store: Store) -> None:
    run = await begin(store)
    await run.append(question_item(question()), question_item(question("q2")))
    await store.decide(replace(yes(), request_key="k1"))
    await store.erase("run", [1])
    await store.decide(replace(yes("q2"), request_key="k1"))
    assert (await row_of(store, "q2")).status == "approved"
