"""A way to a tool that leads around the door, or around one of its layers, does not escape the figure."""

from __future__ import annotations

from typing import Any

import pytest

from figures.door import ENTRY_POINTS, find_violation
from figures.door_world import CHECKS, NUMBER, WAYS, Check, Number, Parts, Way
from remit import Context, Effect, Stack, Tool, tool


def around_the_door(parts: Parts) -> Tool[[int], Any]:
    @tool(effect=Effect.COMPOSED)
    async def errand(ctx: Context, number: int) -> Any:
        """Run the body of another itself."""
        return await parts.work.run(Number(number=number), ctx)  # pyright: ignore[reportArgumentType] - as one may try

    return errand


def without_its_layers(parts: Parts) -> Tool[[int], str]:
    parts.work = parts.work.with_layers(Stack())

    @tool(effect=Effect.COMPOSED)
    async def errand(ctx: Context, number: int) -> str:
        """Call another, which the application lists without its layers."""
        return await ctx.call(parts.work, number)

    return errand


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
async def test_a_body_that_is_run_around_the_door_is_found(check: Check) -> None:
    way = Way(build=around_the_door, calling_agent="desk", arguments=NUMBER)
    assert "ran, not" in await find_violation(way, ENTRY_POINTS["Runtime.call"], check, "around")


async def test_a_layer_that_does_not_run_is_found() -> None:
    way = Way(build=without_its_layers, calling_agent="desk", arguments=NUMBER)
    said = await find_violation(way, ENTRY_POINTS["Runtime.call"], CHECKS["the same layers"], "without")
    assert said == "without: ['run', 'desk', 'base'] ran, not ['run', 'desk', 'tool', 'base']"


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
async def test_a_nested_worker_is_no_way_around(check: Check) -> None:
    assert await find_violation(WAYS["a nested worker"], ENTRY_POINTS["Runtime.run"], check, "nested") == ""
