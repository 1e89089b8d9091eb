"""Rates: a store counts the turns of all processes that share it, and refuses turns that would come too late."""

from __future__ import annotations

import asyncio
import math
import random

import pytest

from remit.journal.ports import Store
from remit.record.ledger import TurnRequest
from remit.testing.store_suite.samples import Clock


def three_a_minute(rate: str = "rate", *, max_wait: float = 10.0) -> TurnRequest:
    return TurnRequest(rate, 3, 60.0, max_wait)


async def take_turns(store: Store, count: int, request: TurnRequest) -> list[float]:
    return [await store.take_turn(request) for _ in range(count)]


async def test_no_more_turns_begin_at_once_than_a_rate_allows(store: Store) -> None:
    waits = await asyncio.gather(*(store.take_turn(three_a_minute()) for _ in range(20)))
    assert [waits.count(0.0), waits.count(60.0)] == [3, 17]


async def test_a_turn_that_would_come_too_late_is_not_taken(store: Store, clock: Clock) -> None:
    await take_turns(store, 10, three_a_minute())
    clock.pass_by(60.0)
    assert await take_turns(store, 4, three_a_minute()) == [0.0, 0.0, 0.0, 60.0]


async def test_a_turn_within_the_patience_is_taken_and_those_behind_it_come_later(store: Store, clock: Clock) -> None:
    request = three_a_minute(max_wait=90.0)
    await store.take_turn(request)
    clock.pass_by(20.0)
    assert await take_turns(store, 6, request) == [0.0, 0.0, 40.0, 60.0, 60.0, 100.0]
    assert await store.take_turn(three_a_minute(max_wait=math.inf)) == 100.0


async def test_each_rate_counts_its_own_turns(store: Store) -> None:
    await take_turns(store, 3, three_a_minute())
    assert await take_turns(store, 4, three_a_minute("another")) == [0.0, 0.0, 0.0, 60.0]


async def test_a_clock_that_is_set_back_delays_no_turn_beyond_a_window(store: Store, clock: Clock) -> None:
    clock.pass_by(7200.0)
    await take_turns(store, 3, three_a_minute())
    clock.pass_by(-3600.0)
    assert await store.take_turn(three_a_minute()) == 60.0
    clock.pass_by(60.0)
    assert await take_turns(store, 4, three_a_minute()) == [0.0, 0.0, 0.0, 60.0]


@pytest.mark.parametrize("seed", range(5))
async def test_in_no_window_do_more_turns_begin(store: Store, clock: Clock, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a seed makes the schedule repeatable
    request = TurnRequest("rate", chance.randrange(1, 5), 10.0, chance.choice([0.0, 5.0, 30.0]))
    starts = list[float]()
    for _ in range(40):
        clock.pass_by(chance.choice([0.0, 0.5, 4.0]))
        wait = await store.take_turn(request)
        starts += [clock.now + wait] if wait <= request.max_wait else []
    assert len(starts) > request.calls
    assert max(sum(begin <= each < begin + 10.0 for each in starts) for begin in starts) <= request.calls
