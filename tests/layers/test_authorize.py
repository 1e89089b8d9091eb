"""Authorize lets a call through whose principal holds every permission that the facts name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from remit import Principal, tool
from remit.call.classification import EXPERIMENT_PERMISSION, Visibility
from remit.errors import BlockedError, DeniedError
from remit.layers import Authorize, Call, Place, Reply
from remit.testing import call_through, make_call, superuser
from tests.layers.inner import Inner, stopped_within


@tool(permissions=["cms:write", "cms:read"])
async def save() -> str:
    """Save a page."""
    return "saved"


@tool
async def look() -> str:
    """Look."""
    return "seen"


@tool(visibility=Visibility.INTERNAL)
async def sweep() -> str:
    """Sweep what is left over."""
    return "swept"


@tool(visibility="experimental")
async def dream() -> str:
    """Dream up a page."""
    return "dreamt"


@pytest.mark.parametrize("held", [["cms:write", "cms:read"], ["cms:*"], ["*"], ["cms:read", "cms:*"]], ids=str)
async def test_a_permitted_call_passes_through_untouched(held: list[str]) -> None:
    inner = Inner(reply := Reply.from_value("inner"))
    call = await make_call(save, by=superuser(*held))
    assert await call_through(Authorize(), call, inner) is reply
    assert inner.calls == [call]


@pytest.mark.parametrize(
    ("held", "lacking"),
    [(["cms:read"], "cms:write"), (["cms:write"], "cms:read"), (["files:*"], "cms:read, cms:write")],
    ids=str,
)
async def test_a_call_that_is_not_permitted_is_denied_naming_what_is_lacking(held: list[str], lacking: str) -> None:
    inner = Inner()
    with pytest.raises(DeniedError) as caught:
        await call_through(Authorize(), await make_call(save, by=superuser(*held)), inner)
    assert caught.value.code == "PERMISSION_DENIED"
    assert caught.value.message == f"ada may not call save: missing permission {lacking}"
    assert inner.calls == []


async def test_whoever_holds_nothing_may_call_what_asks_for_nothing() -> None:
    assert (await call_through(Authorize(), await make_call(look, by=Principal("ada")))).value == "inner"


async def test_whoever_holds_nothing_may_call_nothing_else() -> None:
    with pytest.raises(DeniedError):
        await call_through(Authorize(), await make_call(save, by=Principal("ada")))


async def sweep_by_code() -> Call:
    return await make_call(sweep)


async def sweep_by_model() -> Call:
    return await make_call(sweep, wire="call_1")


async def sweep_from_outside() -> Call:
    call = await make_call(sweep)
    return call.replace(caller=call.caller.__class__("run", "agent", "", 0, superuser()))


async def dream_by_reader() -> Call:
    return await make_call(dream, by=superuser("cms:*"))


async def dream_by_explorer() -> Call:
    return await make_call(dream, wire="call_1", by=superuser(EXPERIMENT_PERMISSION))


@pytest.mark.parametrize("made", [sweep_by_code, dream_by_explorer])
async def test_a_call_by_those_who_see_the_callee_passes_through(made: Callable[[], Awaitable[Call]]) -> None:
    inner = Inner()
    await call_through(Authorize(), call := await made(), inner)
    assert inner.calls == [call]


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (sweep_by_model, "sweep is internal: only other operations can call it"),
        (sweep_from_outside, "sweep is internal: only other operations can call it"),
        (dream_by_reader, "dream is experimental: ada needs the permission tools:experiment"),
    ],
)
async def test_a_call_by_those_who_do_not_see_the_callee_is_blocked(
    made: Callable[[], Awaitable[Call]], says: str
) -> None:
    inner = Inner()
    with pytest.raises(BlockedError, match=says):
        await call_through(Authorize(), await made(), inner)
    assert inner.calls == []


async def test_cancellation_reaches_inner() -> None:
    assert await stopped_within(Authorize(), await make_call(save)) == ["call"]


async def test_what_was_permitted_once_is_asked_again() -> None:
    layer = Authorize()
    service = layer(Inner())
    await service(await make_call(save, by=superuser("*")))
    with pytest.raises(DeniedError):
        await service(await make_call(save, by=superuser("cms:read")))


def test_it_stands_at_its_place_and_prints_its_name() -> None:
    assert Authorize().place is Place.AUTHORIZE
    assert repr(Authorize()) == "Authorize()"
