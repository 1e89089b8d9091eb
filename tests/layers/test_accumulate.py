"""Accumulate folds what it sees into one value, in this process, and changes nothing."""

from __future__ import annotations

import asyncio

import pytest

from remit import tool
from remit.errors import NotFoundError
from remit.layers import Accumulate, Call, Place, Reply
from remit.testing import call_through, make_call
from tests.layers.inner import Inner, stopped_within


@tool
async def find() -> str:
    """Find pages."""
    return "found"


def listed(seen: tuple[str, ...], call: Call, reply: Reply) -> tuple[str, ...]:
    return (*seen, f"{call.callee.name}={reply.value}")


def counted(number: int, _call: Call, _reply: Reply) -> int:
    return number + 1


async def test_a_call_passes_through_untouched() -> None:
    inner = Inner(reply := Reply.from_value("inner"))
    call = await make_call(find)
    assert await call_through(Accumulate(0, counted), call, inner) is reply
    assert inner.calls == [call]


async def test_each_reply_is_folded_in_the_order_in_which_they_come() -> None:
    layer = Accumulate((), listed)
    service = layer(Inner(Reply.from_value(1), Reply.from_value(2)))
    await service(await make_call(find))
    await service(await make_call(find))
    assert layer.state == ("find=1", "find=2")


async def test_calls_at_once_lose_nothing() -> None:
    layer = Accumulate(0, counted)

    async def inner(_call: Call, /) -> Reply:
        await asyncio.sleep(0)
        return Reply.from_value("inner")

    service = layer(inner)
    await asyncio.gather(*[service(await make_call(find)) for _ in range(100)])
    assert layer.state == 100


async def test_one_layer_around_two_tools_folds_both() -> None:
    layer = Accumulate(0, counted)
    await call_through(layer, await make_call(find))
    await call_through(layer, await make_call(find.with_name("other")))
    assert layer.state == 2


async def test_an_error_goes_through_and_is_not_folded() -> None:
    layer = Accumulate(0, counted)
    with pytest.raises(NotFoundError):
        await call_through(layer, await make_call(find), Inner(NotFoundError("no page")))
    assert layer.state == 0


async def test_cancellation_reaches_inner_and_is_not_folded() -> None:
    layer = Accumulate(0, counted)
    assert await stopped_within(layer, await make_call(find)) == ["call"]
    assert layer.state == 0


async def test_two_of_it_share_no_state() -> None:
    one, other = Accumulate(0, counted), Accumulate(0, counted)
    await call_through(one, await make_call(find))
    assert (one.state, other.state) == (1, 0)


def test_it_stands_anywhere_and_prints_what_it_has_folded() -> None:
    assert Accumulate(0, counted).place is Place.OWN
    assert repr(Accumulate([1, 2], lambda seen, _call, _reply: seen)) == "Accumulate([1, 2])"
