"""A body sees the facts of its call, and calls others by the one door: typed by object, or by name."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import Any

import pytest
from pydantic import BaseModel

from remit import Agent, App, Context, Effect, LeafContext, Principal, Runtime, Stack, Tool, tool
from remit.dispatch.unwrapping import unwrap_reply
from remit.errors import ConflictError, ContractError, InvalidArgumentsError, InvalidOutputError, UnknownToolError
from remit.layers import Budget, Call, CallLayer, CallService, Reply, Validate, layer_fn
from remit.record.items import ToolOutput
from remit.testing import Scripted, calls, superuser


class Page(BaseModel):
    """A page."""

    slug: str
    words: int = 0


@tool(effect=Effect.PURE)
async def get_page(slug: str) -> Page:
    """Get a page."""
    return Page(slug=slug, words=7)


@tool(effect=Effect.PURE)
async def refuse() -> str:
    """Refuse."""
    raise ConflictError("it is at revision 4")


def runtime_of(*tools: Tool[..., Any], layers: Stack[CallLayer] | None = None) -> Runtime:
    agent = Agent("agent", instructions="Work.", tools=tools)
    return Runtime(App(name="test", agents=(agent,)), model=Scripted(["done"]), layers=layers, make_run_id=lambda: "r1")


async def outputs(runtime: Runtime) -> list[ToolOutput]:
    items = [position.item for position in await runtime.store.read("r1")]
    return [item for item in items if isinstance(item, ToolOutput)]


async def test_a_body_sees_the_facts_of_its_call() -> None:
    @tool(effect=Effect.KEYED)
    async def look(ctx: LeafContext) -> str:
        """Look."""
        assert (ctx.run, ctx.deadline) == ("r1", None)
        assert (ctx.caller.principal, ctx.caller.agent, ctx.caller.application) == (ada, "agent", "test")
        return ctx.key

    ada = Principal("ada", "bakery", permissions=frozenset({"cms:read"}))
    result = await runtime_of(look).call(look, ada)
    assert result.value() != ""


async def test_a_call_by_object_gives_a_typed_value() -> None:
    @tool(effect=Effect.COMPOSED)
    async def count(ctx: Context, slug: str) -> int:
        """Count the words of a page."""
        page = await ctx.call(get_page, slug)
        assert isinstance(page, Page)
        again: Page = await ctx.call(get_page, slug=slug)
        return page.words + again.words

    assert (await runtime_of(count, get_page).call(count, superuser(), "about")).value() == 14


async def test_a_call_by_name_gives_the_same_value() -> None:
    @tool(effect=Effect.COMPOSED)
    async def count(ctx: Context) -> int:
        """Count the words of a page."""
        page: Page = await ctx.tools.get_page(slug="about")
        return page.words

    assert (await runtime_of(count, get_page).call(count, superuser())).value() == 7


async def test_an_error_of_the_callee_is_raised_in_the_caller() -> None:
    caught = list[Exception]()

    @tool(effect=Effect.COMPOSED)
    async def careful(ctx: Context) -> str:
        """Try both ways."""
        for call in (ctx.tools.refuse, lambda: ctx.call(refuse)):
            try:
                await call()
            except ConflictError as error:
                caught.append(error)
        return "went on"

    assert (await runtime_of(careful, refuse).call(careful, superuser())).value() == "went on"
    assert [str(error) for error in caught] == ["it is at revision 4"] * 2


async def test_an_error_that_nobody_catches_is_the_error_of_the_caller() -> None:
    @tool(effect=Effect.COMPOSED)
    async def careless(ctx: Context) -> str:
        """Call and hope."""
        return await ctx.call(refuse)

    result = await runtime_of(careless, refuse).call(careless, superuser())
    assert result.status == "failed"
    with pytest.raises(ConflictError, match="revision 4"):
        result.value()


@pytest.mark.parametrize("layers", [Stack[CallLayer](), None], ids=["bare", "preset"])
async def test_a_name_that_the_agent_does_not_have_is_an_unknown_tool(layers: Stack[CallLayer] | None) -> None:
    @tool(effect=Effect.COMPOSED)
    async def reach(ctx: Context) -> str:
        """Reach for what is not there."""
        await ctx.tools.get_pag(slug="about")
        return "never"

    with pytest.raises(UnknownToolError, match="there is no tool 'get_pag'; similar: get_page"):
        (await runtime_of(reach, get_page, layers=layers).call(reach, superuser())).value()


async def test_arguments_that_the_signature_does_not_take_are_refused_before_anything_is_called() -> None:
    @tool(effect=Effect.COMPOSED)
    async def wrong(ctx: Context) -> Page:
        """Call wrongly."""
        call: Any = ctx.call
        page: Page = await call(get_page, slog="about")
        return page

    runtime = runtime_of(wrong, get_page)
    with pytest.raises(InvalidArgumentsError, match=r"get_page: .*slug"):
        (await runtime.call(wrong, superuser())).value()
    assert [output.callee for output in await outputs(runtime)] == ["wrong"]


async def test_arguments_by_name_are_validated_by_the_layers_like_a_models() -> None:
    @tool(effect=Effect.COMPOSED)
    async def wrong(ctx: Context) -> Page:
        """Call wrongly."""
        page: Page = await ctx.tools.get_page(slug=7, more=1)
        return page

    with pytest.raises(InvalidArgumentsError, match=r"slug: .*more: no such parameter"):
        (await runtime_of(wrong, get_page, layers=Stack[CallLayer](Validate())).call(wrong, superuser())).value()


async def test_a_call_by_name_takes_every_value_that_a_call_by_object_takes() -> None:
    @tool(effect=Effect.PURE)
    async def published(day: date, page: Page) -> str:
        """What was published on a day."""
        return f"{page.slug} {day}"

    @tool(effect=Effect.COMPOSED)
    async def both(ctx: Context) -> list[str]:
        """Call it both ways."""
        day, page = date(2026, 11, 21), Page(slug="about")
        return [await ctx.call(published, day, page), await ctx.tools.published(day=day, page=page)]

    assert (await runtime_of(both, published).call(both, superuser())).value() == ["about 2026-11-21"] * 2


@layer_fn
async def named(call: Call, inner: CallService, log: list[str]) -> Reply:
    log.append(f"{call.caller.agent}/{call.callee.name}@{call.caller.depth}")
    return await inner(call)


async def test_calls_within_calls_go_through_every_layer_each_one_deeper() -> None:
    log = list[str]()

    @tool(effect=Effect.COMPOSED)
    async def inner(ctx: Context) -> Page:
        """Call one more."""
        return await ctx.call(get_page, "about")

    @tool(effect=Effect.COMPOSED)
    async def outer(ctx: Context) -> Page:
        """Call one that calls."""
        return await ctx.call(inner)

    runtime = runtime_of(outer, inner, get_page, layers=Stack[CallLayer](named(log)))
    assert (await runtime.call(outer, superuser())).value() == Page(slug="about", words=7)
    assert log == ["agent/outer@0", "agent/inner@1", "agent/get_page@2"]
    ends = {output.callee: output for output in await outputs(runtime)}
    assert ends["get_page"].parent == ends["inner"].call
    assert ends["inner"].parent == ends["outer"].call
    assert ends["outer"].parent == ""
    assert {output.wire for output in ends.values()} == {""}


async def test_calls_that_are_nested_deeper_than_the_budget_are_refused() -> None:
    @tool(effect=Effect.COMPOSED)
    async def down(ctx: Context, levels: int) -> int:
        """Go down."""
        return levels if levels == 0 else 1 + await ctx.tools.down(levels=levels - 1)

    runtime = runtime_of(down, layers=Stack[CallLayer](Budget(depth=2)))
    assert (await runtime.call(down, superuser(), 2)).value() == 2 + 0
    failed = await runtime_of(down, layers=Stack[CallLayer](Budget(depth=2))).call(down, superuser(), 3)
    assert failed.reply is not None
    assert failed.reply.error is not None
    assert failed.reply.error.code == "BUDGET_EXCEEDED"


async def test_a_tool_of_an_agent_calls_as_that_agent_and_the_agent_as_itself() -> None:
    log = list[str]()

    @tool(effect=Effect.COMPOSED)
    async def outer(ctx: Context) -> Page:
        """Call one."""
        return await ctx.call(get_page, "about")

    agent = Agent("agent", instructions="Work.", tools=[outer, get_page])
    model = Scripted([calls(("outer", {})), "done"])
    runtime = Runtime(App(name="test", agents=(agent,)), model=model, layers=Stack[CallLayer](named(log)))
    await runtime.run("go", by=superuser())
    assert log == ["/agent@0", "agent/outer@1", "agent/get_page@2"]


async def test_a_value_that_is_known_as_content_alone_is_read_by_the_contract() -> None:
    recorded = Reply.from_journal('{"slug":"about","words":7}', "ok", is_final=False)
    assert unwrap_reply(get_page, recorded) == Page(slug="about", words=7)


def test_a_recorded_result_of_another_callee_that_ended_the_run_is_its_text() -> None:
    assert unwrap_reply(get_page, Reply.from_journal("over", "ok", is_final=True)) == "over"


async def test_a_recorded_value_that_the_contract_of_today_does_not_allow_is_named() -> None:
    with pytest.raises(InvalidOutputError, match="the recorded result of get_page does not match its present contract"):
        unwrap_reply(get_page, Reply.from_journal('{"slog":"about"}', "ok", is_final=False))


@pytest.mark.parametrize("outcome", ["error", "denied"])
def test_the_value_of_a_bad_reply_is_its_error_raised(outcome: Any) -> None:
    content = Reply.from_error(ConflictError("it changed")).content
    with pytest.raises(ConflictError, match="it changed"):
        unwrap_reply(get_page, Reply(content, outcome))


async def test_a_layer_that_answers_itself_is_what_the_caller_gets() -> None:
    @layer_fn
    async def answer(call: Call, inner: CallService) -> Reply:
        cached = Page(slug="cached", words=1)
        return Reply.from_value(cached) if call.callee.name == "get_page" else await inner(call)

    @tool(effect=Effect.COMPOSED)
    async def ask(ctx: Context) -> str:
        """Ask for a page."""
        return (await ctx.call(get_page, "about")).slug

    runtime = runtime_of(ask, get_page, layers=Stack[CallLayer](answer()))
    assert (await runtime.call(ask, superuser())).value() == "cached"


async def test_what_a_body_left_behind_makes_no_more_calls_when_it_has_ended() -> None:
    ran, left = list[int](), list[asyncio.Task[str]]()
    over = asyncio.Event()

    @tool(effect=Effect.UNSAFE)
    async def pay(amount: int) -> str:
        """Pay."""
        ran.append(amount)
        return "paid"

    @tool(effect=Effect.COMPOSED)
    async def order(ctx: Context) -> str:
        """Order, and pay whenever it comes to that."""

        async def late() -> str:
            await over.wait()
            return await ctx.call(pay, 1)

        left.append(asyncio.create_task(late()))
        return "ordered"

    runtime = runtime_of(order, pay)
    assert (await runtime.call(order, superuser())).value() == "ordered"
    before = await runtime.store.read("r1")
    over.set()
    with pytest.raises(ContractError, match=r"ctx\.call of order: its call has ended"):
        await left[0]
    assert (ran, await runtime.store.read("r1")) == ([], before)
