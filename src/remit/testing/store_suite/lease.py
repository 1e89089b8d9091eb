"""Leases: a store admits one executor of a run at a time, until an expiry time."""

from __future__ import annotations

import asyncio

import pytest

from remit.errors import LeaseError
from remit.journal.ports import AcquiredLease, Store
from remit.testing.store_suite.samples import Clock, begin, no, note, positions, question, question_item, yes


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
    """Two executions in one process are two executors."""
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
