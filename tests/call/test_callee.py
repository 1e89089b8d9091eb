"""What a body may use, by way of the real runtime: its eight public members, tools by name, and typed calls."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from remit import App, Context, Effect, LeafContext, Runtime, Tool, tool
from remit.call.callee import DID_NOT_HAPPEN, UNKNOWN, Happened
from remit.errors import InvalidArgumentsError, UnknownToolError
from remit.testing import superuser


@tool(effect=Effect.PURE)
async def tell(day: date, names: list[str] | None = None) -> str:
    """Tell a day."""
    return f"{day.isoformat()} {names}"


@tool(effect=Effect.PURE)
async def keyed(ctx: LeafContext) -> list[str]:
    """Tell what the context says."""
    return [ctx.run, ctx.key, ctx.caller.principal.name, str(ctx.deadline)]


async def value_of(body: Any) -> Any:
    """What a composed tool gives whose body is ``body``, called by ada."""
    callee: Tool[[], Any] = tool(effect=Effect.COMPOSED, name="body", description="Work.")(body)
    runtime = Runtime(App(name="test", tools=(callee, tell, keyed, tag)), make_run_id=lambda: "run")
    return (await runtime.call(callee, superuser())).value()


async def test_a_body_calls_a_tool_by_object_and_gets_its_value() -> None:
    async def body(ctx: Context) -> str:
        return await ctx.call(tell, date(2025, 1, 2), names=["a"])

    assert await value_of(body) == "2025-01-02 ['a']"


async def test_a_body_calls_a_tool_by_name_and_gets_its_value() -> None:
    async def body(ctx: Context) -> Any:
        return await ctx.tools.tell(day="2025-01-02", names=["a"])

    assert await value_of(body) == "2025-01-02 ['a']"


async def test_a_name_that_nobody_has_is_an_error() -> None:
    async def body(ctx: Context) -> Any:
        return await ctx.tools.told()

    with pytest.raises(UnknownToolError, match="there is no tool 'told'; similar: tell"):
        await value_of(body)


async def test_arguments_by_name_are_checked_like_any_others() -> None:
    async def body(ctx: Context) -> Any:
        return await ctx.tools.tell(day="soon")

    with pytest.raises(InvalidArgumentsError, match="day: Input should be a valid date"):
        await value_of(body)


@pytest.mark.parametrize("day", [date(2025, 1, 2)])
async def test_arguments_by_name_may_be_what_json_can_say(day: date) -> None:
    async def body(ctx: Context) -> Any:
        return await ctx.tools.tell(day=day)

    assert await value_of(body) == "2025-01-02 None"


async def test_a_context_tells_the_facts_of_its_call() -> None:
    async def body(ctx: Context) -> list[str]:
        first, second = await ctx.call(keyed), await ctx.call(keyed)
        assert first[1] != second[1], "each call has a key of its own"
        return [first[0], first[2], first[3], ctx.run]

    assert await value_of(body) == ["run", "ada", "None", "run"]


async def test_a_key_is_the_same_when_the_run_is_done_again() -> None:
    async def body(ctx: Context) -> list[str]:
        return [ctx.key, *(await ctx.call(keyed))]

    assert await value_of(body) == await value_of(body)


def test_a_context_has_nine_public_members_and_a_leaf_seven() -> None:
    def public(kind: type) -> set[str]:
        return {name for base in kind.__mro__ for name in vars(base) if not name.startswith("_")}

    assert public(LeafContext) == {"run", "caller", "deadline", "key", "log", "emit", "last_seen"}
    assert public(Context) - public(LeafContext) == {"tools", "call"}


def test_what_was_found_out_is_that_it_happened_or_not_or_nobody_knows() -> None:
    assert Happened(7).value == 7
    assert len({DID_NOT_HAPPEN, UNKNOWN}) == 2
    assert not isinstance(UNKNOWN, Happened)


@tool(effect=Effect.PURE)
async def tag(ctx: LeafContext, numbers: set[int]) -> str:
    """Tag, and tell the key of the call."""
    return f"{ctx.key} {sorted(numbers)}"


async def test_equal_sets_by_name_are_one_call() -> None:
    async def forth(ctx: Context) -> Any:
        return await ctx.tools.tag(numbers={0, 8})

    async def back(ctx: Context) -> Any:
        return await ctx.tools.tag(numbers={8, 0})

    assert await value_of(forth) == await value_of(back)
