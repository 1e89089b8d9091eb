"""The questions that a ledger finds, and the decisions that it stores: the first one stands."""

from __future__ import annotations

from remit.journal.ledger import RunLedger
from remit.journal.memory import InMemoryStore
from remit.testing.store_suite.samples import Clock, begin, header_item, no, question, question_item, yes


async def open_ledger(store: InMemoryStore, clock: Clock, conversation: str = "") -> RunLedger:
    epoch = (await store.acquire("run", "test", 10.0)).epoch
    return RunLedger(store, "run", epoch, conversation=conversation, clock=clock, on_stored=lambda _positions: None)


async def test_of_two_decisions_the_first_stored_stands(clock: Clock) -> None:
    store = InMemoryStore(clock)
    ledger = await open_ledger(store, clock)
    await ledger.commit(question_item(question("q1")), None)
    await ledger.commit(question_item(question("q2")), None)
    assert await ledger.decisions.decide(no("q1", by="bea")) == no("q1", by="bea")
    await store.decide(no("q2", by="bea"))
    assert await ledger.decisions.decide(yes("q2", by="ada")) == no("q2", by="bea")
    row = await store.find_question("q1")
    assert row is not None
    assert row.decision == no("q1", by="bea")


async def test_a_question_that_is_over_or_unknown_takes_no_decision(clock: Clock) -> None:
    store = InMemoryStore(clock)
    ledger = await open_ledger(store, clock)
    await ledger.commit(question_item(question("q1", expires=1000)))
    assert await ledger.decisions.decide(yes("q1")) is None
    assert await ledger.decisions.decide(yes("unknown")) is None


async def test_the_question_that_stands_is_that_of_its_conversation(clock: Clock) -> None:
    store = InMemoryStore(clock)
    ledger = await open_ledger(store, clock, "talk")
    assert await ledger.decisions.find_usable_question("match") is None
    await ledger.commit(question_item(question(), call="match"))
    assert await ledger.decisions.find_usable_question("match") == (question(), None)
    await store.decide(yes())
    assert await ledger.decisions.find_usable_question("match") == (question(), yes())
    assert await ledger.decisions.find_usable_question("else") is None


async def test_a_question_that_a_call_of_this_run_goes_by_stands_for_no_other(clock: Clock) -> None:
    store = InMemoryStore(clock)
    ledger = await open_ledger(store, clock, "talk")
    await ledger.commit(question_item(question(), call="match"))
    await ledger.commit(question_item(question(), call="a call"))
    assert await ledger.decisions.find_usable_question("match") is None


async def test_the_last_approval_is_found_over_all_runs(clock: Clock) -> None:
    store = InMemoryStore(clock)
    ledger = await open_ledger(store, clock)
    await ledger.commit(header_item())
    same = {"tenant": "default", "asker": "ada", "target": "", "tool": "cms_deletePage", "rule": "high risk"}
    assert await ledger.decisions.find_last_approval(**same) is None
    await ledger.commit(question_item(question(), call="match"))
    await store.decide(yes())
    assert await ledger.decisions.find_last_approval(**same) == (question(), yes())


async def test_the_last_approval_of_another_application_is_not_found(clock: Clock) -> None:
    store = InMemoryStore(clock)
    other = await begin(store, "other", application="other")
    await other.append(question_item(question(run="other")))
    await store.decide(yes())
    ledger = await open_ledger(store, clock)
    await ledger.commit(header_item())
    same = {"tenant": "default", "asker": "ada", "target": "", "tool": "cms_deletePage", "rule": "high risk"}
    assert await ledger.decisions.find_last_approval(**same) is None
