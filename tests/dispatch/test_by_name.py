"""Code calls tools by name: as attributes of `ctx.tools`, or with `ctx.call` where the name is not known before."""

from __future__ import annotations

import asyncio
import copy
import inspect
import pickle
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest
from pydantic import BaseModel

from remit import App, Context, Effect, Runtime, Stack, tool
from remit.errors import InvalidArgumentsError, UnknownToolError
from remit.record.items import ToolOutput
from remit.testing import superuser

Body = Callable[[Context], Awaitable[Any]]


class Point(BaseModel):
    """A point."""

    x: int
    y: int = 0


class Wide(BaseModel):
    """Another model with the fields of a point."""

    x: int
    y: int = 5


@tool(effect=Effect.PURE, name="to-text")
async def to_text(point: Point) -> str:
    """Say a point."""
    return f"{point.x},{point.y} {sorted(point.model_fields_set)}"


@tool(effect=Effect.PURE)
async def add(a: int, b: int = 1) -> int:
    """Add."""
    return a + b


async def ran(body: Body) -> tuple[Any, list[ToolOutput]]:
    """What a body below which both tools stand gives, and the calls it made."""

    @tool(effect=Effect.COMPOSED)
    async def outer(ctx: Context) -> Any:
        """Do it."""
        return await body(ctx)

    runtime = Runtime(App(name="test", tools=(outer, to_text, add)), layers=Stack(), make_run_id=lambda: "run")
    result = await runtime.call(outer, superuser())
    items = [position.item for position in await runtime.store.read("run")]
    return result.value(), [item for item in items if isinstance(item, ToolOutput) and item.callee != "outer"]


BY_NAME: dict[str, Body] = {
    "a model, as an attribute": lambda ctx: ctx.tools.to_text(Point(x=1)),
    "a mapping, as an attribute": lambda ctx: ctx.tools.to_text({"x": 1}),
    "arguments, as an attribute": lambda ctx: ctx.tools.to_text(x=1),
    "a model": lambda ctx: ctx.call("to-text", Point(x=1)),
    "a mapping": lambda ctx: ctx.call("to-text", {"x": 1}),
    "arguments": lambda ctx: ctx.call("to-text", x=1),
    "another model": lambda ctx: ctx.call("to-text", Wide(x=1)),
    "the object": lambda ctx: ctx.call(to_text, Point(x=1)),
}


@pytest.mark.parametrize("body", BY_NAME.values(), ids=BY_NAME)
async def test_every_way_to_give_the_same_payload_is_the_same_call(body: Body) -> None:
    value, made = await ran(body)
    _, (by_object,) = await ran(BY_NAME["the object"])
    assert value == "1,0 ['x']"
    assert [each.call for each in made] == [by_object.call]


async def test_a_tool_without_required_parameters_needs_no_payload() -> None:
    with pytest.raises(InvalidArgumentsError, match="a: Field required"):
        await ran(lambda ctx: ctx.tools.add())


async def test_text_is_the_prompt_of_what_takes_nothing_else() -> None:
    @tool(effect=Effect.PURE)
    async def ask(prompt: str) -> str:
        """Ask."""
        return f"asked {prompt}"

    @tool(effect=Effect.COMPOSED)
    async def both(ctx: Context) -> list[str]:
        """Ask by name and by attribute."""
        return [await ctx.call("ask", "a"), await ctx.tools.ask("b")]

    runtime = Runtime(App(name="test", tools=(both, ask)), layers=Stack())
    assert (await runtime.call(both, superuser())).value() == ["asked a", "asked b"]
    with pytest.raises(InvalidArgumentsError, match="to-text: give a payload model or a mapping, not a str"):
        await ran(lambda ctx: ctx.tools.to_text("1"))


@pytest.mark.parametrize(("what", "shown"), [(123, "123"), (add.run, "<bound method Tool.run .*>")])
async def test_what_is_no_callee_is_one_clear_error(what: Any, shown: str) -> None:
    with pytest.raises(
        InvalidArgumentsError, match=rf"ctx.call\({shown}.*\) in outer: give the tool, agent or worker itself"
    ):
        await ran(lambda ctx: ctx.call(what))


REFUSED: dict[str, tuple[Body, str]] = {
    "both": (lambda ctx: ctx.tools.add({"a": 1}, b=2), "add: give one payload, or arguments by name"),
    "something else": (
        lambda ctx: ctx.call("add", cast("Any", 3)),
        "add: give a payload model or a mapping, not a int",
    ),
    "no JSON": (lambda ctx: ctx.call("add", a=object()), "add: JSON cannot hold the arguments: .*object"),
    "no number": (
        lambda ctx: ctx.call("add", a=float("nan")),
        "add: JSON cannot hold the arguments: NaN is not a JSON number",
    ),
    "a number without an end": (
        lambda ctx: ctx.call("add", a=[float("inf")]),
        "add: JSON cannot hold the arguments: Infinity is not a JSON number",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_what_is_no_payload_is_refused_before_anything_is_called(name: str) -> None:
    body, why = REFUSED[name]
    with pytest.raises(InvalidArgumentsError, match=why):
        await ran(body)


async def test_more_than_one_payload_is_no_call() -> None:
    async def body(ctx: Any) -> str:
        with pytest.raises(TypeError):
            await ctx.call("add", {"a": 1}, {"b": 2})
        return "refused"

    assert await ran(body) == ("refused", [])


async def test_an_alias_is_found_only_as_an_attribute() -> None:
    with pytest.raises(UnknownToolError, match="there is no tool 'to_text'; similar: to-text"):
        await ran(lambda ctx: ctx.call("to_text", x=1))


UNKNOWN: dict[str, Body] = {
    "to_txt": lambda ctx: ctx.tools.to_txt(x=1),
    "to-txt": lambda ctx: ctx.call("to-txt", {"x": 1}),
}


@pytest.mark.parametrize("name", UNKNOWN)
async def test_a_name_that_nobody_has_is_answered_with_near_ones(name: str) -> None:
    with pytest.raises(UnknownToolError, match=f"there is no tool '{name}'; similar: to-text"):
        await ran(UNKNOWN[name])


async def test_whatever_looks_at_the_tools_makes_no_call() -> None:
    async def body(ctx: Context) -> str:
        tools = ctx.tools
        copied = copy.copy(tools)
        assert await copied.add(a=1) == 2
        inspect.getmembers(tools)
        inspect.unwrap(tools)  # pyright: ignore[reportArgumentType] - as a debugger may
        assert not inspect.iscoroutinefunction(tools)
        assert not asyncio.iscoroutine(tools)
        for name in ("__wrapped__", "__len__", "__deepcopy__", "__getstate_", "__anything"):
            assert not hasattr(tools, name)
        with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):
            pickle.dumps(tools)
        assert repr(tools).startswith("<")
        return "looked"

    value, made = await ran(body)
    assert value == "looked"
    assert [each.callee for each in made] == ["add"]


async def test_a_copy_that_was_never_filled_has_no_tools() -> None:
    async def body(ctx: Context) -> str:
        empty = type(ctx.tools).__new__(type(ctx.tools))
        with pytest.raises(AttributeError):
            await empty.add(a=1)
        return "empty"

    assert await ran(body) == ("empty", [])
