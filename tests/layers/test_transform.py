"""Transform changes good replies, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from remit import tool
from remit.errors import CallError, DeniedError, InternalError, NotFoundError
from remit.layers import Place, Reply, Transform
from remit.testing import call_through, make_call
from tests.layers.inner import Inner, stopped_within


@tool
async def find(query: str) -> str:
    """Find pages."""
    return query


def shout(reply: Reply) -> Reply:
    return Reply.from_value(str(reply.value).upper())


def untyped(_reply: Reply) -> Any:
    """Return nothing."""


def same(reply: Reply) -> Reply:
    return reply


async def test_a_change_that_changes_nothing_passes_the_reply_through_untouched() -> None:
    inner = Inner(reply := Reply.from_value("inner"))
    call = await make_call(find)
    assert await call_through(Transform(same), call, inner) is reply
    assert inner.calls == [call]


async def test_a_good_reply_is_changed() -> None:
    assert await call_through(Transform(shout), await make_call(find)) == Reply.from_value("INNER")


async def test_a_change_that_returns_something_else_than_a_reply_ends_the_call() -> None:
    with pytest.raises(InternalError, match="Transform changed a reply to a NoneType; return a Reply"):
        await call_through(Transform(untyped), await make_call(find))


@pytest.mark.parametrize("error", [NotFoundError("no page"), DeniedError("no")], ids=["an error", "a denial"])
async def test_a_bad_reply_goes_through_untouched(error: CallError) -> None:
    bad = Reply.from_error(error)
    assert await call_through(Transform(shout), await make_call(find), Inner(bad)) is bad


@pytest.mark.parametrize("error", [NotFoundError("no page"), DeniedError("no")], ids=["an error", "a denial"])
async def test_an_error_that_inner_raises_goes_through_untouched(error: CallError) -> None:
    with pytest.raises(CallError) as caught:
        await call_through(Transform(shout), await make_call(find), Inner(error))
    assert caught.value is error


async def test_a_change_that_fails_fails_the_call() -> None:
    def fail(reply: Reply) -> Reply:
        raise ValueError("cannot change this")

    with pytest.raises(ValueError, match="cannot change this"):
        await call_through(Transform(fail), await make_call(find))


async def test_the_arguments_reach_inner_as_they_are() -> None:
    inner = Inner()
    call = await make_call(find, '{"query": "a"}')
    await call_through(Transform(shout), call, inner)
    assert inner.calls[0].arguments is call.arguments


async def test_cancellation_reaches_inner() -> None:
    assert await stopped_within(Transform(shout), await make_call(find)) == ["call"]


async def test_two_of_it_share_no_state() -> None:
    both = Transform(shout), Transform(same)
    assert [(await call_through(layer, await make_call(find))).value for layer in both] == ["INNER", "inner"]


def test_it_stands_anywhere_and_prints_its_change() -> None:
    assert Transform(shout).place is Place.OWN
    assert repr(Transform(shout)).startswith("Transform(change=<function shout")
