"""Uses of windows: a store counts those of all processes that share it, and never admits more than a window holds."""

from __future__ import annotations

import asyncio
import math
import random
from datetime import UTC, datetime

import pytest

from remit.journal.ports import Store
from remit.record.uses import Every, UseRefusal, UseRequest
from remit.testing.store_suite.samples import Clock

NOON = datetime(2026, 3, 31, 12, tzinfo=UTC).timestamp()


def euros(amount: float, *, subject: str = "ada", limit: float = 100.0, every: Every = None) -> UseRequest:
    return UseRequest("euros", subject, amount, limit, every)


async def use(store: Store, call: str, *requests: UseRequest) -> float | None:
    """What is used of the window that refuses a call; None if the call has what it needs."""
    refusal = await store.reserve_uses("run", call, requests)
    return None if refusal is None else refusal.used


async def test_calls_use_a_window_until_it_is_full(store: Store) -> None:
    assert [await use(store, str(call), euros(40.0)) for call in range(3)] == [None, None, 80.0]
    assert await use(store, "small", euros(20.0)) is None
    assert await use(store, "nothing left", euros(0.01)) == 100.0
    assert await use(store, "of another", euros(100.0, subject="bob")) is None


async def test_calls_at_once_never_use_more_than_there_is(store: Store) -> None:
    refusals = await asyncio.gather(*(store.reserve_uses(f"run {each}", "a", [euros(30.0)]) for each in range(20)))
    assert refusals.count(None) == 3


async def test_a_call_that_reserves_again_replaces_what_it_had(store: Store) -> None:
    await use(store, "a", euros(90.0))
    assert await use(store, "a", euros(100.0)) is None
    assert await use(store, "a", euros(10.0)) is None
    assert await use(store, "b", euros(90.0)) is None
    assert await use(store, "a", euros(11.0)) == 90.0
    assert await use(store, "c", euros(0.5)) == 100.0, "what was refused left the earlier amount as it was"


async def test_a_call_has_all_that_it_needs_or_nothing(store: Store) -> None:
    request = euros(60.0, subject="bob", limit=50.0)
    assert await store.reserve_uses("run", "a", [euros(60.0), request]) == UseRefusal(request, 0.0)
    assert await use(store, "b", euros(100.0)) is None


async def test_what_is_returned_can_be_used_again(store: Store) -> None:
    await use(store, "a", euros(60.0), euros(60.0, subject="bob"))
    await store.release_uses("run", "a", ["ada"])
    assert await use(store, "b", euros(100.0)) is None
    assert await use(store, "c", euros(60.0, subject="bob")) == 60.0
    await store.release_uses("other run", "a", ["bob"])
    assert await use(store, "c", euros(60.0, subject="bob")) == 60.0


async def test_a_period_of_seconds_forgets_each_use_when_it_is_over(store: Store, clock: Clock) -> None:
    await use(store, "a", euros(60.0, every=10.0))
    clock.pass_by(6.0)
    await use(store, "b", euros(40.0, every=10.0))
    clock.pass_by(3.9)
    assert await use(store, "c", euros(1.0, every=10.0)) == 100.0
    clock.pass_by(0.1)
    assert await use(store, "c", euros(60.0, every=10.0)) is None
    assert await use(store, "d", euros(1.0, every=10.0)) == 100.0


@pytest.mark.parametrize(
    ("every", "last_of_it"),
    [("hour", NOON + 3599.0), ("day", NOON + 12 * 3600.0 - 1.0), ("month", NOON + 12 * 3600.0 - 1.0)],
)
async def test_a_window_of_the_calendar_begins_anew_with_the_next(
    store: Store, clock: Clock, every: Every, last_of_it: float
) -> None:
    clock.now = NOON
    await use(store, "a", euros(100.0, every=every))
    clock.now = last_of_it
    assert await use(store, "b", euros(1.0, every=every)) == 100.0
    clock.pass_by(1.0)
    assert await use(store, "b", euros(100.0, every=every)) is None
    assert await use(store, "c", euros(1.0, every=every)) == 100.0


async def test_the_latest_use_by_another_call_is_found(store: Store, clock: Clock) -> None:
    mark = euros(1.0, limit=math.inf)
    assert await store.latest_use("ada", "run", "a") is None
    for call in ("a", "b", "c", "c"):
        await use(store, call, mark)
        clock.pass_by(1.0)
    latest = [await store.latest_use("ada", "run", call) for call in ("a", "c")]
    assert latest == [clock.now - 1.0, clock.now - 3.0]
    assert await store.latest_use("ada", "other run", "c") == clock.now - 1.0


@pytest.mark.parametrize("seed", range(5))
async def test_in_no_period_is_more_used_than_its_window_holds(store: Store, clock: Clock, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a seed makes the schedule repeatable
    used = dict[str, tuple[float, float]]()
    for _ in range(60):
        clock.pass_by(chance.choice([0.0, 0.5, 4.0]))
        call, amount = chance.choice("abcdefgh"), float(chance.randrange(1, 60))
        if chance.random() < 0.2:
            await store.release_uses("run", call, ["ada"])
            used.pop(call, None)
        elif await use(store, call, euros(amount, every=10.0)) is None:
            used[call] = clock.now, amount
        assert sum(each for at, each in used.values() if clock.now - at < 10.0) <= 100.0
