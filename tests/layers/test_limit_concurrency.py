"""Concurrency lets so many calls be under way at once; others wait in order, and a permit comes back on every way."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from remit.errors import NotFoundError, RateLimitedError, SetupError, Suspended
from remit.layers import Call, Concurrency, Place, Reply
from remit.testing import call_through, make_call, superuser
from tests.layers.inner import Inner, stopped_within
from tests.layers.limited import INSTANT, all_of_it, find, look

pytestmark = pytest.mark.looptime


class Working:
    """Takes ``seconds`` for each call; notes when which one begins, and how many were under way at most."""

    def __init__(self, seconds: float = 10) -> None:
        self._seconds = seconds
        self.at: list[tuple[str, float]] = []
        self.under_way = 0
        self.most = 0

    async def __call__(self, call: Call, /) -> Reply:
        self.at.append((call.id, now()))
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await asyncio.sleep(self._seconds)
        finally:
            self.under_way -= 1
        return Reply.from_value(call.id)


def now() -> float:
    return asyncio.get_running_loop().time()


async def make_named_call(name: object, callee: Any = look, tenant: str = "default") -> Call:
    return await make_call(callee, call_id=str(name), by=superuser(tenant=tenant))


async def test_a_call_that_finds_a_permit_passes_through_untouched() -> None:
    inner = Inner(reply := Reply.from_value("inner"))
    call = await make_call(look)
    assert await call_through(Concurrency(calls=1), call, inner) is reply
    assert (inner.calls, now()) == ([call], 0)


async def test_no_more_than_the_limit_are_under_way_and_all_come_to_their_turn_in_order() -> None:
    inner = Working()
    service = Concurrency(calls=2, max_wait=100)(inner)
    calls = [await make_named_call(name) for name in range(5)]
    replies = await asyncio.gather(*map(service, calls))
    assert [reply.value for reply in replies] == ["0", "1", "2", "3", "4"]
    assert inner.at == [("0", 0), ("1", 0), ("2", 10), ("3", 10), ("4", 20)]
    assert inner.most == 2


async def test_a_call_that_comes_later_does_not_overtake_those_that_wait() -> None:
    inner = Working()
    service = Concurrency(calls=1, max_wait=100)(inner)
    first, second = [asyncio.ensure_future(service(await make_named_call(name))) for name in ("first", "second")]
    await first
    third = asyncio.ensure_future(service(await make_named_call("third")))
    await asyncio.gather(second, third)
    assert [name for name, _ in inner.at] == ["first", "second", "third"]


async def test_a_call_that_finds_the_queue_full_is_refused_at_once() -> None:
    service = Concurrency(calls=1, max_queued=1, max_wait=100)(Working())
    calls = [asyncio.ensure_future(service(await make_named_call(name))) for name in range(3)]
    await asyncio.sleep(1)
    assert [call.done() for call in calls] == [False, False, True]
    with pytest.raises(RateLimitedError) as caught:
        await calls[2]
    assert caught.value.message == "1 calls of look are under way and 1 wait; try again when one has ended"
    assert caught.value.retryable
    await asyncio.gather(*calls[:2])


async def test_without_a_queue_nobody_waits() -> None:
    service = Concurrency(calls=1, max_queued=0)(Working())
    first = asyncio.ensure_future(service(await make_named_call(0)))
    await asyncio.sleep(1)
    with pytest.raises(RateLimitedError, match="1 calls of look are under way and 0 wait"):
        await service(await make_named_call(1))
    assert (await first).value == "0"


async def test_a_call_that_has_waited_its_patience_is_refused_and_leaves_the_queue() -> None:
    inner = Working(100)
    service = Concurrency(calls=1, max_queued=1, max_wait=5)(inner)
    first = asyncio.ensure_future(service(await make_named_call(0)))
    await asyncio.sleep(1)
    with pytest.raises(RateLimitedError) as caught:
        await service(await make_named_call(1))
    assert now() == 6
    assert caught.value.message == ("1 calls of look are under way, and none ended within 5 seconds; try again later")
    await asyncio.sleep(92)
    patient = service(await make_named_call(2))
    assert [(await reply).value for reply in (first, patient)] == ["0", "2"]
    assert inner.at[-1] == ("2", 100)


async def test_a_permit_that_comes_at_the_last_moment_is_one() -> None:
    inner = Working(5)
    service = Concurrency(calls=1, max_wait=5)(inner)
    replies = await asyncio.gather(
        service(await make_named_call(0)), service(await make_named_call(1)), return_exceptions=True
    )
    again = await service(await make_named_call(2))
    assert isinstance(replies[1], Reply | RateLimitedError)
    assert again.value == "2", "whichever came first, no permit is lost"


@pytest.mark.parametrize(
    "end", [NotFoundError("gone"), ValueError("broken"), Suspended("question"), asyncio.CancelledError()], ids=repr
)
async def test_a_permit_comes_back_however_its_call_ends(end: BaseException) -> None:
    service = Concurrency(calls=1, max_queued=0)(Inner(end, Reply.from_value("next")))
    with pytest.raises(type(end)):
        await service(await make_named_call(0))
    assert (await service(await make_named_call(1))).value == "next"


async def test_a_permit_comes_back_when_its_call_is_cancelled() -> None:
    layer = Concurrency(calls=1, max_queued=0)
    assert await stopped_within(layer, await make_call(look)) == ["call"]
    assert (await call_through(layer, await make_call(look))).value == "inner"


async def test_a_call_that_is_cancelled_while_it_waits_leaves_the_queue() -> None:
    inner = Working()
    service = Concurrency(calls=1, max_queued=2, max_wait=100)(inner)
    calls = [asyncio.ensure_future(service(await make_named_call(name))) for name in range(3)]
    await asyncio.sleep(1)
    calls[1].cancel()
    await asyncio.sleep(0)
    calls.append(asyncio.ensure_future(service(await make_named_call(3))))
    await asyncio.gather(*calls, return_exceptions=True)
    assert inner.at == [("0", 0), ("2", 10), ("3", 20)]


async def test_a_call_that_is_cancelled_when_its_permit_has_just_come_hands_it_on() -> None:
    inner = Working()
    service = Concurrency(calls=1, max_wait=100)(inner)

    async def first() -> None:
        await service(await make_named_call("first"))
        second.cancel()

    running = asyncio.ensure_future(first())
    second, third = [asyncio.ensure_future(service(await make_named_call(name))) for name in ("second", "third")]
    await asyncio.gather(running, third)
    assert second.cancelled()
    assert inner.at == [("first", 0), ("third", 10)]


async def test_a_permit_passes_over_a_call_that_has_just_been_cancelled() -> None:
    inner = Working()

    async def body(call: Call, /) -> Reply:
        reply = await inner(call)
        second.cancel()
        return reply

    service = Concurrency(calls=1, max_wait=100)(body)
    first, second, third = [asyncio.ensure_future(service(await make_named_call(name))) for name in range(3)]
    await asyncio.gather(first, third)
    assert second.cancelled()
    assert inner.at == [("0", 0), ("2", 10)]


@pytest.mark.parametrize("moment", [-INSTANT, 0], ids=["just before", "just after"])
async def test_a_call_that_is_cancelled_when_its_patience_ends_hands_nothing_on(moment: float) -> None:
    inner = Working(100)
    service = Concurrency(calls=1, max_wait=5)(inner)
    first, second = [asyncio.ensure_future(service(await make_named_call(name))) for name in range(2)]
    await asyncio.sleep(1)
    asyncio.get_running_loop().call_at(5 + moment, second.cancel)
    await asyncio.wait([second])
    assert second.cancelled()
    third = asyncio.ensure_future(service(await make_named_call(2)))
    await asyncio.wait([third])
    assert isinstance(third.exception(), RateLimitedError)
    assert (await first).value == "0"
    assert inner.most == 1


async def test_each_tenant_and_each_tool_has_its_own_permits() -> None:
    inner = Working()
    service = Concurrency(calls=1, max_queued=0)(inner)
    calls = [
        await make_named_call(0, look, "one"),
        await make_named_call(1, find, "one"),
        await make_named_call(2, look, "two"),
    ]
    await asyncio.gather(*map(service, calls))
    assert inner.most == 3


async def test_one_layer_counts_a_tool_together_wherever_it_stands() -> None:
    layer, inner = Concurrency(calls=1, max_wait=100), Working()
    await asyncio.gather(layer(inner)(await make_named_call(0)), layer(inner)(await make_named_call(1)))
    assert inner.most == 1


async def test_two_layers_share_no_state() -> None:
    inner = Working()
    layers = (Concurrency(calls=1, max_queued=0), Concurrency(calls=1, max_queued=0))
    await asyncio.gather(*[layer(inner)(await make_named_call(name)) for name, layer in enumerate(layers)])
    assert inner.most == 2


async def test_a_composed_call_holds_no_permit_so_that_it_cannot_wait_for_itself() -> None:
    layer = Concurrency(calls=1, max_queued=0)

    async def body(call: Call, /) -> Reply:
        return await layer(Inner())(await make_named_call("inside", all_of_it if call.id == "outside" else look))

    outside = await make_named_call("outside", all_of_it)
    replies = await asyncio.gather(*(layer(body)(outside) for _ in range(3)))
    assert [reply.value for reply in replies] == ["inner"] * 3


@pytest.mark.parametrize("seed", range(20))
async def test_the_limit_holds_and_no_permit_is_lost_whatever_is_cancelled(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a schedule is seeded so that it can be had again
    limit = chance.randrange(1, 4)
    layer = Concurrency(calls=limit, max_queued=chance.randrange(6), max_wait=chance.random() * 4)
    inner = Working(1)

    async def one(name: int) -> None:
        await asyncio.sleep(chance.random() * 10)
        calling = asyncio.ensure_future(layer(inner)(await make_named_call(name)))
        if chance.random() < 0.4:
            asyncio.get_running_loop().call_later(chance.choice([0, 0.5, 1, 2]), calling.cancel)
        await asyncio.wait([calling])
        assert calling.cancelled() or isinstance(calling.exception(), RateLimitedError | None)

    await asyncio.gather(*map(one, range(60)))
    assert inner.most == limit
    after = Working(1)
    await asyncio.gather(*[layer(after)(await make_named_call(name)) for name in range(limit)])
    assert after.most == limit


@pytest.mark.parametrize("wrong", [{"calls": 0}, {"max_queued": -1}, {"max_wait": -1}], ids=str)
async def test_a_configuration_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SetupError, match=f"Concurrency: {min(wrong)} is .*; give a (whole )?number of at least [01]$"):
        Concurrency(**{"calls": 1, **wrong})


async def test_it_stands_at_its_place_and_prints_its_numbers() -> None:
    assert Concurrency(calls=1).place is Place.LIMIT
    assert repr(Concurrency(calls=3)) == "Concurrency(calls=3, max_queued=100, max_wait=10.0)"
