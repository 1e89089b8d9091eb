"""What a body says never fails it: what JSON cannot hold stands in the journal as its repr."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from remit import App, Effect, LeafContext, Runtime, Stack, tool
from remit.dispatch.log_values import encode_log_data
from remit.errors import InternalError
from remit.record.items import Note
from remit.record.secret import Secret
from remit.testing import superuser
from remit.tools import Facts
from tests.dispatch.actors import Actor

VALUE = "sk-of-the-notes-1234"


class Odd:
    """Whoever prints it is in for it."""

    def __repr__(self) -> str:
        raise ValueError("not today")


class Telling:
    """Tells a secret to whoever prints it, where a long text ends."""

    def __repr__(self) -> str:
        return "x" * 990 + VALUE


async def test_a_line_that_json_cannot_hold_does_not_fail_the_call() -> None:
    @tool(effect=Effect.PURE)
    async def talk(ctx: LeafContext) -> str:
        """Talk."""
        ctx.log("hi", a=object(), b=1)
        ctx.emit("progress", object())
        return "talked"

    runtime = Runtime(App(name="test", tools=(talk,)), layers=Stack(), make_run_id=lambda: "run")
    assert (await runtime.call(talk, superuser())).value() == "talked"
    notes = [position.item for position in await runtime.store.read("run") if isinstance(position.item, Note)]
    assert [note.data for note in notes] == ['{"message":"hi","a":"<object object>","b":1}', "<object object>"]


def test_the_same_line_is_the_same_wherever_its_objects_are_in_memory() -> None:
    one, other = object(), object()
    assert encode_log_data({"a": one}) == encode_log_data({"a": other})


def test_a_number_that_json_lacks_is_logged_as_what_it_is() -> None:
    assert json.loads(encode_log_data({"rate": float("nan"), "name": "NaN"})) == {"rate": "nan", "name": "NaN"}


def test_every_value_can_be_said_and_no_line_is_long_or_tells_a_secret() -> None:
    Secret("env:NOTES", VALUE)
    said = json.loads(encode_log_data({"odd": Odd(), 3: object(), "half \ud800": "\udc00", "more": Telling()}))
    assert said["odd"] == "<Odd>"
    assert said["3"] == "<object object>"
    assert said["half \\ud800"] == "'\\udc00'"
    assert len(said["more"]) == 1000
    assert VALUE[:8] not in said["more"]


WAYS: dict[str, Callable[[Any], Awaitable[Any]]] = {
    "by name": lambda ctx: ctx.call("look", {}),
    "as an attribute": lambda ctx: ctx.tools.look(),
    "as a model": lambda ctx: ctx.prepare("look", "{}", "wire").make(),
}


@pytest.mark.parametrize("way", WAYS)
async def test_a_body_whose_effect_is_its_own_calls_no_other(way: str) -> None:
    ran = list[str]()

    @tool(effect=Effect.PURE)
    async def look() -> str:
        """Look."""
        ran.append("look")
        return "seen"

    @tool(effect=Effect.PURE)
    async def peek(ctx: LeafContext) -> str:
        """Do what its type does not allow."""
        return str(await WAYS[way](ctx))

    pure = Actor("pure", WAYS[way])
    pure.facts = Facts(effect=Effect.PURE)
    runtime = Runtime(App(name="test", tools=(peek, look, pure)), layers=Stack())
    with pytest.raises(InternalError, match=r"peek failed: AttributeError: the context of a body has no member '"):
        (await runtime.call(peek, superuser())).value()
    with pytest.raises(InternalError, match=r"pure is pure and calls no other tool; ask for a Context, and declare"):
        (await runtime.call(pure, superuser())).value()
    assert ran == []
