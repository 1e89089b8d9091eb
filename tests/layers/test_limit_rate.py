"""RateLimit lets so many calls start in so many seconds, in order; who would wait too long is told when to come."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from remit.errors import RateLimitedError, SetupError
from remit.layers import Call, Place, RateLimit, Reply
from remit.testing import call_through, make_call, superuser
from tests.layers.inner import Inner, stopped_within
from tests.layers.limited import INSTANT, all_of_it, find, look

pytestmark = pytest.mark.looptime


class Starts:
    """Notes when which call starts, on the loop's clock."""

    def __init__(self) -> None:
        self.at: list[tuple[str, float]] = []

    async def __call__(self, call: Call, /) -> Reply:
        self.at.append((call.id, now()))
        return Reply.from_value(call.id)

    @property
    def times(self) -> list[float]:
        return [at for _, at in self.at]


def now() -> float:
    return asyncio.get_running_loop().time()


async def make_named_call(name: object, callee: Any = look, tenant: str = "default") -> Call:
    return await make_call(callee, call_id=str(name), by=superuser(tenant=tenant))


async def test_a_call_within_the_rate_passes_through_untouched() -> None:
    inner = Inner(reply := Reply.from_value("inner"))
    call = await make_call(look)
    assert await call_through(RateLimit(calls=1, seconds=60), call, inner) is reply
    assert (inner.calls, now()) == ([call], 0)


async def test_a_call_that_comes_too_early_waits_its_turn() -> None:
    inner = Starts()
    service = RateLimit(calls=2, seconds=10)(inner)
    for name in range(5):
        await service(await make_named_call(name))
    assert inner.times == [0, 0, 10, 10, 20]


async def test_calls_at_once_start_in_the_order_in_which_they_came() -> None:
    inner = Starts()
    service = RateLimit(calls=2, seconds=1, max_wait=100)(inner)
    calls = [await make_named_call(name) for name in range(7)]
    await asyncio.gather(*map(service, calls))
    assert inner.at == [("0", 0), ("1", 0), ("2", 1), ("3", 1), ("4", 2), ("5", 2), ("6", 3)]


async def test_the_window_slides_so_that_no_two_bursts_meet() -> None:
    inner = Starts()
    service = RateLimit(calls=2, seconds=10)(inner)
    await service(await make_named_call(0))
    await asyncio.sleep(9)
    for name in range(1, 4):
        await service(await make_named_call(name))
    assert inner.times == [0, 9, 10, 19]


async def test_who_would_wait_longer_than_its_patience_is_refused_at_once_and_told_when_to_come() -> None:
    inner = Starts()
    service = RateLimit(calls=3, seconds=60, max_wait=10)(inner)
    for name in range(3):
        await service(await make_named_call(name))
    await asyncio.sleep(20.5)
    with pytest.raises(RateLimitedError) as caught:
        await service(await make_named_call("late"))
    assert now() == 20.5
    assert caught.value.message == "look may be called 3 times in 60 seconds; try again in 40 seconds"
    assert (caught.value.code, caught.value.retryable, len(inner.at)) == ("RATE_LIMITED", True, 3)


async def test_a_call_that_comes_when_it_was_told_to_starts() -> None:
    inner = Starts()
    service = RateLimit(calls=1, seconds=60, max_wait=0)(inner)
    await service(await make_named_call(0))
    with pytest.raises(RateLimitedError, match="try again in 60 seconds"):
        await service(await make_named_call(1))
    await asyncio.sleep(60)
    assert (await service(await make_named_call(1))).value == "1"


async def test_those_that_wait_already_count_for_how_long_the_next_would_wait() -> None:
    service = RateLimit(calls=2, seconds=10, max_wait=25)(Starts())
    calls = [await make_named_call(name) for name in range(8)]
    outcomes = await asyncio.gather(*map(service, calls), return_exceptions=True)
    assert [isinstance(outcome, RateLimitedError) for outcome in outcomes] == [False] * 6 + [True] * 2
    assert "try again in 30 seconds" in str(outcomes[6])


async def test_a_refused_call_uses_up_nothing() -> None:
    inner = Starts()
    service = RateLimit(calls=1, seconds=10, max_wait=0)(inner)
    await service(await make_named_call(0))
    for name in range(5):
        with pytest.raises(RateLimitedError):
            await service(await make_named_call(name))
    await asyncio.sleep(10)
    await service(await make_named_call("next"))
    assert inner.times == [0, 10]


async def test_a_call_that_fails_has_started_all_the_same() -> None:
    service = RateLimit(calls=1, seconds=10, max_wait=0)(Inner(ValueError("broken")))
    with pytest.raises(ValueError, match="broken"):
        await service(await make_named_call(0))
    with pytest.raises(RateLimitedError):
        await service(await make_named_call(1))


async def test_each_tenant_and_each_tool_has_its_own_rate() -> None:
    inner = Starts()
    service = RateLimit(calls=1, seconds=10, max_wait=0)(inner)
    for tenant in ("one", "two"):
        for callee in (look, find):
            await service(await make_named_call(f"{tenant} {callee.name}", callee, tenant))
    assert inner.times == [0] * 4
    with pytest.raises(RateLimitedError, match="find may be called 1 times"):
        await service(await make_named_call("again", find, "two"))


async def test_one_layer_counts_a_tool_together_wherever_it_stands() -> None:
    layer = RateLimit(calls=1, seconds=10, max_wait=0)
    await call_through(layer, await make_named_call(0))
    with pytest.raises(RateLimitedError):
        await call_through(layer, await make_named_call(1))


async def test_two_layers_share_no_state() -> None:
    for _ in range(2):
        assert (
            await call_through(RateLimit(calls=1, seconds=10, max_wait=0), await make_named_call(0))
        ).value == "inner"


async def test_a_composed_call_passes_for_its_own_calls_are_limited() -> None:
    inner = Starts()
    service = RateLimit(calls=1, seconds=10, max_wait=0)(inner)
    for name in range(3):
        await service(await make_named_call(name, all_of_it))
    assert inner.times == [0, 0, 0]


async def test_cancellation_reaches_inner() -> None:
    assert await stopped_within(RateLimit(calls=1, seconds=1), await make_call(look)) == ["call"]


async def test_a_call_that_is_cancelled_while_it_waits_gives_its_place_to_the_next() -> None:
    inner = Starts()
    service = RateLimit(calls=1, seconds=10, max_wait=100)(inner)
    calls = [asyncio.ensure_future(service(await make_named_call(name))) for name in range(4)]
    await asyncio.sleep(5)
    calls[1].cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    assert calls[1].cancelled()
    assert inner.at == [("0", 0), ("2", 10), ("3", 20)]


async def test_a_call_that_is_cancelled_when_its_turn_has_just_come_gives_it_back() -> None:
    inner = Starts()
    service = RateLimit(calls=1, seconds=10, max_wait=100)(inner)
    calls = [asyncio.ensure_future(service(await make_named_call(name))) for name in range(3)]
    await asyncio.sleep(1)
    asyncio.get_running_loop().call_at(10, calls[1].cancel)
    await asyncio.gather(*calls, return_exceptions=True)
    assert calls[1].cancelled()
    assert inner.at == [("0", 0), ("2", 10)]


async def test_a_turn_passes_over_a_call_that_has_just_been_cancelled() -> None:
    inner = Starts()
    service = RateLimit(calls=1, seconds=10, max_wait=100)(inner)
    calls = [asyncio.ensure_future(service(await make_named_call(name))) for name in range(3)]
    asyncio.get_running_loop().call_at(10 - INSTANT, calls[1].cancel)
    await asyncio.gather(*calls, return_exceptions=True)
    assert calls[1].cancelled()
    assert inner.at == [("0", 0), ("2", 10)]


async def test_when_all_that_wait_are_cancelled_the_next_starts_in_its_time() -> None:
    inner = Starts()
    service = RateLimit(calls=1, seconds=10, max_wait=100)(inner)
    calls = [asyncio.ensure_future(service(await make_named_call(name))) for name in range(3)]
    await asyncio.sleep(1)
    calls[1].cancel()
    calls[2].cancel()
    await asyncio.sleep(20)
    await service(await make_named_call("next"))
    assert inner.at == [("0", 0), ("next", 21)]


@pytest.mark.parametrize("seed", range(20))
async def test_in_no_window_do_more_start_whatever_is_cancelled(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a schedule is seeded so that it can be had again
    inner, limit, seconds = Starts(), chance.randrange(1, 5), chance.choice([1.0, 2.5])
    service = RateLimit(calls=limit, seconds=seconds, max_wait=chance.choice([0, 2, 20]))(inner)

    async def one(name: int) -> None:
        await asyncio.sleep(chance.random() * 10)
        calling = asyncio.ensure_future(service(await make_named_call(name)))
        if chance.random() < 0.3:
            asyncio.get_running_loop().call_later(chance.random() * 3, calling.cancel)
        await asyncio.wait([calling])
        assert calling.cancelled() or isinstance(calling.exception(), RateLimitedError | None)

    await asyncio.gather(*map(one, range(60)))
    assert len(inner.at) > limit
    assert max(sum(begin <= at < begin + seconds for at in inner.times) for begin in inner.times) <= limit


@pytest.mark.parametrize(
    "wrong",
    [{"calls": 0}, {"seconds": 0}, {"max_wait": -1}],
    ids=str,
)
async def test_a_configuration_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(
        SetupError, match=f"RateLimit: {min(wrong)} is .*; give a (whole number of|number of|positive number)"
    ):
        RateLimit(**dict[str, Any](calls=1, seconds=1.0) | wrong)


async def test_it_stands_at_its_place_and_prints_its_numbers() -> None:
    assert RateLimit(calls=1, seconds=1).place is Place.LIMIT
    assert repr(RateLimit(calls=60, seconds=60.0)) == "RateLimit(calls=60, seconds=60.0, max_wait=10.0)"


@pytest.mark.looptime(False)
def test_one_layer_serves_one_loop_after_the_other() -> None:
    layer = RateLimit(calls=2, seconds=60, max_wait=0)

    async def once() -> object:
        return (await call_through(layer, await make_named_call(0))).value

    assert [asyncio.run(once()), asyncio.run(once())] == ["inner", "inner"]
    with pytest.raises(RateLimitedError):
        asyncio.run(once())
