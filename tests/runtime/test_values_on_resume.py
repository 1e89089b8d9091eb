"""A body gets the same values when its run is resumed as it did at first, and runs what a person approved."""

from __future__ import annotations

from datetime import date
from typing import Any

from pydantic import Json

from remit import App, Context, Runtime, tool
from remit.testing import superuser

BEA = superuser()


async def test_a_result_of_no_declared_type_is_the_same_before_and_after_a_pause() -> None:
    seen: list[Any] = []

    @tool(effect="pure")
    async def count() -> dict[str, Any]:
        """Count the visitors of days."""
        return {"days": {1: 10, 2: 20}, "first": date(2026, 3, 8), "range": (1, 2), "names": {"b", "a"}}

    @tool(effect="unsafe", risk="high")
    async def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    @tool(effect="composed")
    async def settle(ctx: Context) -> str:
        """Pay for the visitors."""
        counted = await ctx.call(count)
        seen.append(counted)
        return await ctx.call(pay, sum(counted["days"].values()))

    runtime = Runtime(App(name="museum", tools=(count, pay, settle)))
    waiting = await runtime.call(settle, BEA)
    await runtime.decide(waiting.questions[0], approved=True, by=BEA)
    result = await runtime.resume(waiting.run)
    assert (result.text, seen[0]) == ("paid 30", seen[1])
    assert seen[0] == {"days": {"1": 10, "2": 20}, "first": "2026-03-08", "range": [1, 2], "names": ["a", "b"]}


async def test_json_within_a_text_can_be_approved() -> None:
    got: list[Any] = []

    @tool(effect="unsafe", risk="high")
    async def import_pages(pages: Json[list[dict[str, int]]]) -> str:
        """Import pages."""
        got.append(pages)
        return "done"

    runtime = Runtime(App(name="site", tools=(import_pages,)))
    waiting = await runtime.call_by_name("import_pages", {"pages": '[{"b": 1, "a": 2}]'}, by=BEA)
    (asked,) = await runtime.store.list_questions()
    assert asked.question.arguments == '{"pages":"[{\\"a\\":2,\\"b\\":1}]"}'
    await runtime.decide(waiting.questions[0], approved=True, by=BEA)
    assert ((await runtime.resume(waiting.run)).text, got) == ("done", [[{"a": 2, "b": 1}]])
