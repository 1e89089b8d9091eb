"""A tool tells the person who is asked what a call of it is about."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit import Effect, LeafContext, Risk, Tool, tool
from remit.journal.ports import Store
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import runtime_of

TITLES = {"p1": "About us"}


@tool(effect=Effect.KEYED, risk=Risk.HIGH)
async def drop(page: str) -> str:
    """Drop a page."""
    return page


async def title(ctx: LeafContext, payload: Any) -> str:
    ctx.log("looked")
    ctx.emit("looked")
    return f"the page '{TITLES[payload.page]}' of {ctx.caller.principal.tenant} in {ctx.run}"


async def preview_of(tool: Tool[..., Any], store: Store, page: str = "p1", **more: Any) -> str:
    script = Scripted([calls((tool.name, {"page": page, **more})), "done"])
    result = await runtime_of(script, tool, store=store).run("go", by=superuser(tenant="bakery"), conversation="c")
    (row,) = await store.list_questions()
    return row.question.shown.replace(result.run, "RUN")


async def test_what_the_tool_says_stands_in_the_question(store: Store) -> None:
    assert await preview_of(drop.with_preview(title), store) == "the page 'About us' of bakery in RUN"


async def test_a_tool_that_says_nothing_leaves_it_empty(store: Store) -> None:
    assert await preview_of(drop, store) == ""


async def test_layers_and_other_names_keep_it(store: Store) -> None:
    assert "About us" in await preview_of(drop.with_preview(title).with_name("drop_page"), store)


async def test_a_person_is_asked_even_where_the_tool_finds_no_words(store: Store) -> None:
    assert await preview_of(drop.with_preview(title), store, "p2") == "(what this is about could not be told: 'p2')"


@pytest.mark.looptime
async def test_a_tool_that_takes_too_long_to_find_words_is_not_waited_for() -> None:
    async def slowly(_ctx: LeafContext, _payload: Any) -> str:
        await asyncio.sleep(60)
        return "words"

    from remit.stores import InMemoryStore

    said = await preview_of(drop.with_preview(slowly), InMemoryStore())
    assert said == "(what this is about could not be told: drop took longer than 10 seconds)"


async def test_an_announced_call_is_described_as_it_would_be_made(store: Store) -> None:
    @tool(effect=Effect.KEYED, risk=Risk.HIGH, confirm="confirmed")
    async def cut(page: str, confirmed: bool = False) -> str:
        """Cut a page."""
        return page

    async def words(_ctx: LeafContext, payload: Any) -> str:
        return f"{payload.page} {payload.confirmed}"

    assert await preview_of(cut.with_preview(words), store) == "p1 True"
