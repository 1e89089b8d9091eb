"""The ledger of a run that is driven: known at once, stored in order, and no further once the store refused."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from remit.errors import ApprovalUsedError, JournalError, LeaseError
from remit.journal.codec import find_broken_link
from remit.journal.ledger import FLUSH_DELAY, RunLedger
from remit.journal.memory import InMemoryStore
from remit.journal.ports import AppendFuture
from remit.record.items import DecisionItem, Item, ModelUsage, Position, RunResumed
from remit.record.ledger import Consumption
from remit.record.usage import UsageTotals
from remit.testing.store_suite.samples import (
    Clock,
    header_item,
    later,
    note,
    question,
    question_item,
    start_item,
    yes,
)

pytestmark = pytest.mark.looptime


class Watched(InMemoryStore):
    """A store that remembers what it was asked to append, and answers when the test says so."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.appends: list[list[Item]] = []
        self.begin = asyncio.Event()
        self.answer = asyncio.Event()
        self.begin.set()
        self.answer.set()

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        self.appends.append([p.item for p in items])

        async def storing() -> None:
            await self.begin.wait()
            await super(Watched, self).append(run, epoch, items, consumption)
            await self.answer.wait()

        return later(storing())


class Driven:
    """A run with its ledger, and what those who watch it saw."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.store = Watched(clock)
        self.seen: list[Item] = []

    async def ledger(self, *, conversation: str = "", prior: Sequence[str] = ()) -> RunLedger:
        epoch = (await self.store.acquire("run", "driver", 0)).epoch
        return RunLedger(
            self.store,
            "run",
            epoch,
            conversation=conversation,
            prior_messages=prior,
            clock=self.clock,
            on_stored=lambda positions: self.seen.extend(each.item for each in positions),
            history=await self.store.read("run"),
        )

    async def stored(self) -> list[Item]:
        return [p.item for p in await self.store.read("run")]


@pytest.fixture
def driven(clock: Clock) -> Driven:
    return Driven(clock)


# --- writing ----------------------------------------------------------------------------------------------------


async def test_what_is_added_is_known_at_once_and_stored_with_the_next_commit(driven: Driven) -> None:
    ledger = await driven.ledger()
    ledger.add(header_item())
    ledger.add(note("one"))
    assert list(ledger.items_for("call")) == [note("one")]
    assert (await driven.stored(), driven.seen) == ([], [])
    await ledger.commit(note("two"))
    assert driven.store.appends == [[header_item(), note("one"), note("two")]]
    assert await driven.stored() == driven.seen == [header_item(), note("one"), note("two")]


async def test_what_cannot_be_encoded_does_not_take_what_is_beside_it_along(driven: Driven) -> None:
    class Text(str):
        __slots__ = ()

    ledger = await driven.ledger()
    ledger.add(header_item())
    unfit: Any = object()
    with pytest.raises(TypeError):
        ledger.add(note(unfit))
    ledger.add(note(Text("one")))
    await ledger.commit(note("two"))
    assert await driven.stored() == [header_item(), note("one"), note("two")]


async def test_flushing_stores_what_was_added(driven: Driven) -> None:
    ledger = await driven.ledger()
    ledger.add(header_item())
    await ledger.flush()
    assert await driven.stored() == driven.seen == [header_item()]


async def test_flushing_nothing_asks_nothing_of_the_store(driven: Driven) -> None:
    ledger = await driven.ledger()
    await ledger.flush()
    await ledger.commit(header_item())
    await ledger.flush()
    assert len(driven.store.appends) == 1


async def test_what_nobody_commits_is_stored_soon(driven: Driven) -> None:
    ledger = await driven.ledger()
    ledger.add(header_item())
    ledger.add(note())
    await asyncio.sleep(FLUSH_DELAY * 1.5)
    assert driven.store.appends == [[header_item(), note()]]
    assert driven.seen == [header_item(), note()]


async def test_a_ledger_that_is_closed_stores_nothing_more(driven: Driven) -> None:
    ledger = await driven.ledger()
    ledger.add(header_item())
    ledger.close()
    await asyncio.sleep(FLUSH_DELAY * 1.5)
    assert driven.store.appends == []


async def test_storing_waits_for_nothing_and_goes_on_with_what_came_meanwhile(driven: Driven) -> None:
    ledger = await driven.ledger()
    driven.store.begin.clear()
    ledger.add(header_item())
    ledger.start_flush()
    for text in ("one", "two", "three"):
        ledger.add(note(text))
        ledger.start_flush()
    assert driven.store.appends == [[header_item()]]
    driven.store.begin.set()
    await ledger.flush()
    assert driven.store.appends == [[header_item()], [note("one"), note("two"), note("three")]]


async def test_a_ledger_that_was_refused_meanwhile_says_so_when_it_stores_again(driven: Driven) -> None:
    ledger = await driven.ledger()
    await driven.store.acquire("run", "second", 10)
    ledger.add(header_item())
    ledger.start_flush()
    await asyncio.sleep(FLUSH_DELAY)
    with pytest.raises(LeaseError):
        ledger.start_flush()


async def test_positions_follow_one_another_and_say_when_they_were_written(driven: Driven) -> None:
    ledger = await driven.ledger()
    ledger.add(header_item())
    driven.clock.pass_by(2.5)
    await ledger.commit(note())
    positions = await driven.store.read("run")
    assert [(p.run, p.epoch, p.seq, p.at) for p in positions] == [("run", 1, 0, 1000.0), ("run", 1, 1, 1002.5)]
    assert find_broken_link(positions) is None


async def test_another_epoch_goes_on_with_seq_and_chain(driven: Driven) -> None:
    await (await driven.ledger()).commit(header_item())
    again = await driven.ledger()
    await again.commit(note())
    positions = await driven.store.read("run")
    assert [(p.epoch, p.seq) for p in positions] == [(1, 0), (2, 1)]
    assert find_broken_link(positions) is None


async def test_many_calls_of_a_run_that_commit_at_once_are_stored_in_the_order_they_wrote(driven: Driven) -> None:
    ledger = await driven.ledger()
    items = [note(str(index)) for index in range(20)]
    await asyncio.gather(*(ledger.commit(item) for item in items))
    assert await driven.stored() == driven.seen == items


async def test_an_approval_is_taken_with_the_commit(driven: Driven) -> None:
    ledger = await driven.ledger()
    await ledger.commit(question_item(question()))
    await driven.store.decide(yes())
    await ledger.commit(start_item(question="q1"), Consumption(("q1",), "run", "call"))
    row = await driven.store.find_question("q1")
    assert row is not None
    assert row.consumed_by == ("run", "call")


async def test_nobody_sees_an_item_before_it_is_stored(driven: Driven) -> None:
    ledger = await driven.ledger()
    driven.store.begin.clear()
    committing = asyncio.create_task(ledger.commit(header_item()))
    await asyncio.sleep(FLUSH_DELAY / 10)
    assert driven.seen == []
    driven.store.begin.set()
    await committing
    assert driven.seen == [header_item()]


async def test_the_answer_to_one_commit_says_nothing_of_the_next(driven: Driven) -> None:
    """Two calls of a run commit; the first is stored and the second is still under way."""
    ledger = await driven.ledger()
    driven.store.answer.clear()
    first = asyncio.create_task(ledger.commit(header_item()))
    await asyncio.sleep(FLUSH_DELAY / 10)
    driven.store.begin.clear()
    second = asyncio.create_task(ledger.commit(note()))
    await asyncio.sleep(FLUSH_DELAY / 10)
    driven.store.answer.set()
    await first
    assert await driven.stored() == driven.seen == [header_item()]
    driven.store.begin.set()
    await second
    assert await driven.stored() == driven.seen == [header_item(), note()]


async def test_flushing_waits_for_what_another_task_is_storing(driven: Driven) -> None:
    ledger = await driven.ledger()
    ledger.add(header_item())
    driven.store.begin.clear()
    committing = asyncio.create_task(ledger.commit(note()))
    await asyncio.sleep(FLUSH_DELAY / 10)
    flushing = asyncio.create_task(ledger.flush())
    await asyncio.sleep(FLUSH_DELAY / 10)
    early = flushing.done()
    driven.store.begin.set()
    await asyncio.gather(committing, flushing)
    assert not early


async def test_what_is_stored_is_seen_although_whoever_committed_it_was_cancelled(driven: Driven) -> None:
    ledger = await driven.ledger()
    driven.store.answer.clear()
    committing = asyncio.create_task(ledger.commit(header_item()))
    await asyncio.sleep(FLUSH_DELAY / 10)
    committing.cancel()
    driven.store.answer.set()
    await asyncio.wait([committing])
    await ledger.commit(note())
    assert await driven.stored() == [header_item(), note()]
    assert driven.seen == [header_item(), note()]


# --- when the store refuses ---------------------------------------------------------------------------------------


async def taken_over(driven: Driven) -> tuple[RunLedger, LeaseError]:
    """A ledger whose run another driver has taken over, and the error that said so."""
    ledger = await driven.ledger()
    await driven.store.acquire("run", "second", 10)
    with pytest.raises(LeaseError) as caught:
        await ledger.commit(header_item())
    return ledger, caught.value


async def test_what_the_store_refuses_nobody_sees(driven: Driven) -> None:
    await taken_over(driven)
    assert driven.seen == []


async def test_a_ledger_that_was_refused_takes_nothing_more(driven: Driven) -> None:
    ledger, refused = await taken_over(driven)
    with pytest.raises(LeaseError) as added:
        ledger.add(note())
    with pytest.raises(LeaseError) as committed:
        await ledger.commit(note())
    assert added.value is committed.value is refused
    assert len(driven.store.appends) == 1
    assert list(ledger.items_for("call")) == []


async def test_an_approval_that_cannot_be_taken_stops_the_ledger_as_well(driven: Driven) -> None:
    ledger = await driven.ledger()
    with pytest.raises(ApprovalUsedError):
        await ledger.commit(start_item(question="q1"), Consumption(("q1",), "run", "call"))
    with pytest.raises(ApprovalUsedError):
        ledger.add(note())
    assert await driven.stored() == []


async def test_a_ledger_that_was_refused_cannot_be_flushed(driven: Driven) -> None:
    """The wire of a model flushes before it asks: a sibling of the call that failed must not ask any more."""
    ledger, _ = await taken_over(driven)
    with pytest.raises(JournalError):
        await ledger.flush()


async def test_the_timer_of_a_ledger_that_was_refused_has_nothing_to_report(driven: Driven) -> None:
    reported: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: reported.append(context))
    await taken_over(driven)
    await asyncio.sleep(FLUSH_DELAY * 1.5)
    assert reported == []


# --- knowing ------------------------------------------------------------------------------------------------------


async def test_a_run_that_is_driven_again_knows_what_was_stored(driven: Driven) -> None:
    first = await driven.ledger()
    first.add(header_item())
    await first.commit(note("one"))
    again = await driven.ledger()
    again.add(note("two"))
    assert list(again.items_for("run")) == [header_item()]
    assert list(again.items_for("call")) == [note("one"), note("two")]
    assert list(again.items_for("nobody")) == []


async def test_the_time_is_the_clocks(driven: Driven) -> None:
    ledger = await driven.ledger()
    driven.clock.pass_by(5)
    assert ledger.now() == 1005.0


async def test_it_says_what_it_was_given(driven: Driven) -> None:
    ledger = await driven.ledger(prior=["{}"])
    assert (ledger.run, list(ledger.prior_messages), ledger.execution.is_replaying, ledger.execution.is_stopping) == (
        "run",
        ["{}"],
        False,
        False,
    )
    last = RunLedger(driven.store, "run", 1, clock=driven.clock, on_stored=lambda _: None, is_stopping=True)
    assert last.execution.is_stopping


async def test_every_call_that_asked_a_question_waits_for_it(driven: Driven) -> None:
    ledger = await driven.ledger()
    await ledger.commit(question_item(question(), call="one"))
    again = await driven.ledger()
    again.add(question_item(question(), call="two"))
    assert again.decisions.calls_waiting_for("q1") == ["one", "two"]
    assert again.decisions.calls_waiting_for("q2") == []


async def test_a_question_is_undecided_for_each_call_that_has_no_decision_on_it(driven: Driven) -> None:
    ledger = await driven.ledger()
    ledger.add(question_item(question("q1"), call="one"))
    ledger.add(question_item(question("q2"), call="two"))
    ledger.add(question_item(question("q1"), call="two"))
    assert ledger.decisions.undecided_questions() == [("q1", "one"), ("q1", "two"), ("q2", "two")]
    await ledger.commit(DecisionItem(call="one", question="q1", body=yes("q1").to_json()))
    assert (
        ledger.decisions.undecided_questions()
        == (await driven.ledger()).decisions.undecided_questions()
        == [("q1", "two"), ("q2", "two")]
    )


async def test_without_a_conversation_no_question_stands(driven: Driven) -> None:
    ledger = await driven.ledger()
    await ledger.commit(question_item(question(conversation="")))
    assert await ledger.decisions.find_usable_question("match") is None


# --- what a run may use ---------------------------------------------------------------------------------------------


async def test_tokens_add_up_over_drives(driven: Driven) -> None:
    def used(prompt: int, completion: int) -> ModelUsage:
        return ModelUsage(
            call="a:1", model="m", finish="stop", prompt_tokens=prompt, completion_tokens=completion, response=""
        )

    first = await driven.ledger()
    first.add(used(10, 1))
    await first.commit(used(20, 2))
    again = await driven.ledger()
    again.add(RunResumed(call="run", driver="me"))
    again.add(used(30, 3))
    assert again.meter.totals() == UsageTotals(prompt_tokens=60, completion_tokens=6, requests=3, cost=None)
