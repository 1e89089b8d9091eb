"""Leases: a store admits one executor of a run at a time, until an expiry time."""

from __future__ import annotations

import asyncio

import pytest

from remit.errors import LeaseError, RequestError
from remit.journal.ports import AcquiredLease, Store
from remit.record.items import Item, RunFinished, RunResumed, RunScheduled, RunStalled, RunSuspended
from remit.testing.store_suite.samples import (
    Clock,
    begin,
    header_item,
    no,
    note,
    positions,
    question,
    question_item,
    yes,
)


async def test_the_first_executor_of_a_run_begins_epoch_one(store: Store) -> None:
    assert (await store.acquire("run", "first", 10)).epoch == 1


async def test_each_run_counts_its_own_epochs(store: Store) -> None:
    await store.acquire("one", "first", 0)
    assert (await store.acquire("one", "second", 10)).epoch == 2
    assert (await store.acquire("two", "third", 10)).epoch == 1


async def test_a_held_run_is_refused_and_the_message_names_its_executor(store: Store, clock: Clock) -> None:
    await store.acquire("run", "first", 10)
    clock.pass_by(9.99)
    with pytest.raises(LeaseError, match="run run is being executed by first"):
        await store.acquire("run", "second", 10)


async def test_the_same_executor_is_refused_as_well(store: Store) -> None:
    """Two executions in one process count as two executors."""
    await store.acquire("run", "first", 10)
    with pytest.raises(LeaseError):
        await store.acquire("run", "first", 10)


async def test_a_refused_executor_does_not_change_the_lease(store: Store, clock: Clock) -> None:
    epoch = (await store.acquire("run", "first", 10)).epoch
    with pytest.raises(LeaseError):
        await store.acquire("run", "second", 1000)
    await store.append("run", epoch, positions("run", [note()]))
    clock.pass_by(10)
    assert (await store.acquire("run", "third", 10)).epoch == 2


async def test_a_lease_is_free_from_its_expiry_on(store: Store, clock: Clock) -> None:
    await store.acquire("run", "first", 10)
    clock.pass_by(10)
    assert (await store.acquire("run", "second", 10)).epoch == 2


async def test_renewing_extends_the_lease_from_now(store: Store, clock: Clock) -> None:
    epoch = (await store.acquire("run", "first", 10)).epoch
    clock.pass_by(9)
    await store.renew("run", epoch, 10)
    clock.pass_by(9)
    with pytest.raises(LeaseError):
        await store.acquire("run", "second", 10)
    clock.pass_by(1)
    assert (await store.acquire("run", "second", 10)).epoch == 2


async def test_an_executor_whose_run_was_taken_over_cannot_renew(store: Store, clock: Clock) -> None:
    epoch = (await store.acquire("run", "first", 10)).epoch
    clock.pass_by(10)
    await store.acquire("run", "second", 10)
    with pytest.raises(LeaseError, match="another executor has taken over"):
        await store.renew("run", epoch, 1000)
    clock.pass_by(10)
    assert (await store.acquire("run", "third", 10)).epoch == 3


async def test_a_run_without_a_lease_cannot_be_renewed(store: Store) -> None:
    with pytest.raises(LeaseError):
        await store.renew("stray", 1, 10)


async def test_a_released_run_is_free_at_once(store: Store) -> None:
    epoch = (await store.acquire("run", "first", 1000)).epoch
    await store.release("run", epoch)
    assert (await store.acquire("run", "second", 10)).epoch == 2


async def test_releasing_twice_changes_nothing(store: Store) -> None:
    epoch = (await store.acquire("run", "first", 1000)).epoch
    await store.release("run", epoch)
    await store.release("run", epoch)
    assert (await store.acquire("run", "second", 10)).epoch == 2


async def test_an_executor_whose_run_was_taken_over_cannot_release_it(store: Store, clock: Clock) -> None:
    epoch = (await store.acquire("run", "first", 10)).epoch
    clock.pass_by(10)
    await store.acquire("run", "second", 10)
    await store.release("run", epoch)
    with pytest.raises(LeaseError, match="executed by second"):
        await store.acquire("run", "third", 10)


async def test_releasing_a_run_without_a_lease_does_nothing(store: Store) -> None:
    await store.release("stray", 1)
    assert (await store.acquire("stray", "first", 10)).epoch == 1


async def test_the_state_of_an_ended_run_is_read_without_a_lease(store: Store) -> None:
    run = await begin(store)
    await run.append(RunFinished(call="run", status="done"))
    for executor in ("second", "third"):
        found = await store.acquire("run", executor, 10, after=0)
        assert found.row is not None
        assert (found.row.status, [each.item.kind for each in found.items]) == ("done", [RunFinished.kind])
        with pytest.raises(LeaseError):
            await store.append("run", found.epoch, positions("run", [note()], epoch=found.epoch, first=run.next))
        await store.release("run", found.epoch)


async def test_one_of_many_concurrent_executors_gets_the_run(store: Store) -> None:
    names = [f"driver{index}" for index in range(20)]
    outcomes = await asyncio.gather(*(store.acquire("run", name, 10) for name in names), return_exceptions=True)
    assert [outcome.epoch for outcome in outcomes if isinstance(outcome, AcquiredLease)] == [1]
    assert sum(isinstance(outcome, LeaseError) for outcome in outcomes) == 19


async def test_acquiring_a_run_returns_the_state_that_the_executor_lacks(store: Store) -> None:
    first = await begin(store)
    await first.append(question_item(question("early", asked=1000)), question_item(question("late", asked=1001)))
    await store.decide(yes("late", at=1002))
    await store.decide(no("early", at=1003))
    await store.request_cancel("run", "ada")
    await store.release("run", first.epoch)
    held = await store.acquire("run", "second", 10, after=1)
    assert held.epoch == 2
    assert list(held.items) == (await store.read("run"))[2:]
    assert (held.item_count, held.row, held.cancel_requested_by) == (3, await store.find_run("run"), "ada")
    assert [row.question.id for row in held.questions] == ["early", "late"]
    assert list(held.decisions) == [yes("late", at=1002), no("early", at=1003)]


async def test_acquiring_a_new_run_returns_no_items(store: Store) -> None:
    for epoch in (1, 2):
        held = await store.acquire("new", "driver", 0)
        assert held == AcquiredLease(epoch, [], 0, None, "", [])


async def test_a_new_epoch_continues_after_the_items_of_the_previous_one(store: Store) -> None:
    first = await begin(store)
    await store.release("run", first.epoch)
    epoch = (await store.acquire("run", "second", 10)).epoch
    await store.append("run", epoch, positions("run", [note()], epoch=epoch, first=1))
    assert [(p.epoch, p.seq) for p in await store.read("run")] == [(1, 0), (2, 1)]


async def test_a_new_run_is_opened_with_its_lease(store: Store) -> None:
    opening = positions("run", [header_item(), note()])
    held = await store.acquire("run", "first", 10, opening=opening)
    assert (held.epoch, list(held.items), held.is_opened) == (1, [], True)
    assert await store.read("run") == opening
    row = await store.find_run("run")
    assert row is not None
    assert (row.status, await store.is_held("run")) == ("running", True)
    await store.append("run", 1, positions("run", [note()], first=2))
    assert len(await store.read("run")) == 3


async def test_a_run_that_there_is_already_is_acquired_and_not_opened(store: Store) -> None:
    run = await begin(store)
    items = await store.read("run")
    with pytest.raises(LeaseError):
        await store.acquire("run", "second", 10, opening=positions("run", [note("other")]))
    await store.release("run", run.epoch)
    held = await store.acquire("run", "second", 10, opening=positions("run", [note("other")]))
    assert (held.epoch, list(held.items), held.is_opened) == (2, items, False)
    assert await store.read("run") == items


async def test_a_lease_without_items_does_not_open_its_run_later(store: Store) -> None:
    await store.acquire("run", "first", 0)
    held = await store.acquire("run", "second", 10, opening=positions("run", [header_item()]))
    assert (held.epoch, held.is_opened, await store.read("run")) == (2, False, [])


async def test_of_a_run_that_cannot_be_opened_nothing_is_stored(store: Store) -> None:
    await begin(store, "busy", conversation="talk")
    with pytest.raises(RequestError):
        await store.acquire("run", "first", 10, opening=positions("run", [header_item(conversation="talk")]))
    assert (await store.find_run("run"), await store.read("run"), await store.is_held("run")) == (None, [], False)
    assert (await store.acquire("run", "second", 10)).epoch == 1


async def test_one_of_many_opens_a_run(store: Store) -> None:
    opening = positions("run", [header_item()])
    acquiring = [store.acquire("run", f"driver{index}", 10, opening=opening) for index in range(20)]
    outcomes = await asyncio.gather(*acquiring, return_exceptions=True)
    assert [each.is_opened for each in outcomes if isinstance(each, AcquiredLease)] == [True]
    assert sum(isinstance(each, LeaseError) for each in outcomes) == 19
    assert await store.read("run") == opening


async def test_a_lease_of_no_seconds_is_free_even_if_the_clock_goes_back(store: Store, clock: Clock) -> None:
    await store.acquire("run", "first", 0, opening=positions("run", [header_item()]))
    clock.pass_by(-1)
    assert (await store.acquire("run", "second", 0)).epoch == 2
    assert (await store.acquire("run", "third", 10)).epoch == 3


@pytest.mark.parametrize(
    "last",
    [
        RunFinished(call="run", status="done"),
        RunSuspended(call="run", questions=()),
        RunStalled(call="run", reason="the provider is away", retry_at=2000.0),
        RunScheduled(call="run", at=2000.0),
    ],
    ids=lambda item: item.kind,
)
async def test_the_item_that_ends_or_rests_a_run_releases_its_lease(store: Store, last: Item) -> None:
    run = await begin(store)
    await run.append(note(), last)
    assert not await store.is_held("run")
    assert (await store.acquire("run", "second", 10)).epoch == 2


async def test_a_resumed_run_stays_held(store: Store) -> None:
    run = await begin(store)
    await run.append(RunResumed(call="run", driver="driver"))
    assert await store.is_held("run")


async def test_an_executor_may_end_the_run_that_it_brought_to_rest_as_long_as_no_other_has_it(store: Store) -> None:
    run = await begin(store)
    await run.append(RunSuspended(call="run", questions=()))
    await run.append(RunFinished(call="run", status="cancelled"))
    row = await store.find_run("run")
    assert row is not None
    assert row.status == "cancelled"
    with pytest.raises(LeaseError):
        await store.append("run", run.epoch + 1, positions("run", [note()], first=3))
