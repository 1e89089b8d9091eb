"""A replay does nothing and writes nothing: it finds every difference between today's code and the journal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from remit import Agent, App, Context, Effect, LeafContext, Principal, Risk, Runtime, Stack, Timeout, Tool, tool
from remit.agent.limits import AgentLimits
from remit.errors import ConflictError, ModelBusyError
from remit.layers import Budget, CallLayer
from remit.messages import ChatRequest, Completion
from remit.models import ModelSettings
from remit.record.usage import UsageTotals
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import AnyTool, World, find_superuser, runtime_of


async def never(_request: Any, /) -> Any:
    raise AssertionError("a replay asks no model")


def replaying(store: InMemoryStore, *tools: AnyTool, **knobs: Any) -> Runtime:
    """A runtime of today's code over the journal of yesterday; no model answers."""
    known: dict[str, Any] = {"instructions": "Work.", "tools": tools}
    agent = Agent("agent", **(known | knobs))
    return Runtime(App(name="test", agents=(agent,)), model=never, store=store, directory=find_superuser)


async def search(query: str, limit: int = 10) -> str:
    """Search the pages."""
    return f"{limit} of {query}"


async def read(page: str) -> str:
    """Read a page."""
    return page


SEARCH: Tool[[str, int], str] = tool(effect=Effect.PURE)(search)
READ: Tool[[str], str] = tool(effect=Effect.PURE)(read)
SCRIPT = [calls(("search", {"query": "bread"}), ("read", {"page": "about"})), calls(("read", {"page": "home"})), "done"]


async def recorded() -> tuple[InMemoryStore, str]:
    store = InMemoryStore()
    result = await runtime_of(Scripted(SCRIPT), SEARCH, READ, store=store).run("go", by=superuser())
    assert result.status == "done"
    return store, result.run


async def test_a_replay_by_the_same_code_finds_no_difference_and_does_nothing() -> None:
    world, store = World(), InMemoryStore()
    write = world.write()
    runtime = runtime_of(Scripted([calls(("write", {"text": "a"})), "done"]), write, store=store)
    run = (await runtime.run("go", by=superuser())).run
    before = await store.read(run)
    report = await replaying(store, write).replay(run)
    assert (report.run, report.is_identical, report.difference) == (run, True, "")
    assert report.compared_count == 6, "system, user, two answers, one output, the end of the agent's call"
    assert world.ran == ["a"]
    assert await store.read(run) == before
    row = await store.find_run(run)
    assert row is not None
    assert row.status == "done"


async def test_a_replay_may_be_repeated() -> None:
    store, run = await recorded()
    today = replaying(store, SEARCH, READ)
    assert await today.replay(run) == await today.replay(run)


async def search_more(query: str, limit: int = 20) -> str:
    """Search the pages."""
    return f"{limit} of {query}"


async def search_all(query: str, limit: int = 10) -> str:
    """Search all pages."""
    return f"{limit} of {query}"


async def search_text(query: str, limit: str = "10") -> str:
    """Search the pages."""
    return f"{limit} of {query}"


def named_search(function: Callable[..., Any]) -> AnyTool:
    return tool(effect=Effect.PURE, name="search")(function)


@dataclass(frozen=True)
class Today:
    """What is different today, and what a replay says of it."""

    tools: tuple[AnyTool, ...] = (SEARCH, READ)
    knobs: Any = None
    said: str = "turn 1: the request to the model differs from the recorded one"


PLANTED = {
    "a word of the instructions": Today(knobs={"instructions": "Walk."}, said="turn 1: the system message"),
    "a tool's text in the instructions": Today(
        knobs={"instructions": f"Work. {SEARCH.description}"}, said="turn 1: the system message"
    ),
    "a space in the instructions": Today(knobs={"instructions": "Work. "}, said="turn 1: the system message"),
    "a word of a tool's description": Today((named_search(search_all), READ)),
    "the default of an argument": Today((named_search(search_more), READ)),
    "the type of an argument": Today((named_search(search_text), READ)),
    "the order of the tools": Today((READ, SEARCH)),
    "one tool more": Today((SEARCH, READ, READ.with_name("read_again"))),
    "one tool less": Today((SEARCH,)),
    "another name of a tool": Today((SEARCH.with_name("find"), READ)),
    "a temperature": Today(knobs={"settings": ModelSettings(temperature=0.0)}),
    "a limit of tokens": Today(knobs={"settings": ModelSettings(max_tokens=100)}),
    "fewer turns": Today(knobs={"limits": AgentLimits(turns=2)}, said="the end of the call agent"),
}


@pytest.mark.parametrize("name", PLANTED)
async def test_every_planted_difference_is_found_and_says_where(name: str) -> None:
    store, run = await recorded()
    today = PLANTED[name]
    report = await replaying(store, *today.tools, **(today.knobs or {})).replay(run)
    assert not report.is_identical
    assert today.said in report.difference


async def test_what_is_outside_the_contract_of_a_tool_is_no_difference() -> None:
    store, run = await recorded()

    async def elsewhere(query: str, limit: int = 10) -> str:
        """Search the pages."""
        raise AssertionError("a replay calls no tool")

    today = replaying(store, named_search(elsewhere), READ.layer(Timeout(1)), parallel=1, description="Another.")
    assert (await today.replay(run)).is_identical


async def test_a_replay_names_the_tools_that_have_changed_since_and_whose_results_it_took_from_the_journal() -> None:
    store, search = InMemoryStore(), named_search(search_more)
    runtime = runtime_of(Scripted([]), SEARCH, READ, store=store)
    run = (await runtime.call(SEARCH, superuser(), "bread", 10)).run
    assert (await replaying(store, SEARCH, READ).replay(run)).changed_tools == ()
    report = await replaying(store, search, READ).replay(run)
    assert (report.is_identical, report.changed_tools) == (True, ("search",))


async def pipeline_run(body: Callable[[Context], Any]) -> tuple[InMemoryStore, str]:
    store = InMemoryStore()
    made = composed(body)
    result = await runtime_of(Scripted([]), made, SEARCH, READ, store=store).call(made, superuser())
    return store, result.run


def composed(body: Callable[[Context], Any]) -> AnyTool:
    @tool(effect=Effect.COMPOSED)
    async def pipeline(ctx: Context) -> Any:
        """Call others."""
        return await body(ctx)

    return pipeline


async def test_a_composed_callee_is_driven_again_and_its_calls_are_compared() -> None:
    async def yesterday(ctx: Context) -> list[str]:
        return [await ctx.call(READ, "a"), await ctx.call(READ, "b")]

    async def in_parallel(ctx: Context) -> list[str]:
        return list(await asyncio.gather(ctx.call(READ, "a"), ctx.call(READ, "b")))

    async def another(ctx: Context) -> list[str]:
        return [await ctx.call(READ, "a"), await ctx.call(READ, "c")]

    async def one_less(ctx: Context) -> list[str]:
        return [await ctx.call(READ, "a"), "b"]

    async def one_more(ctx: Context) -> list[str]:
        return [*await yesterday(ctx), await ctx.call(READ, "b")][:2]

    async def other_result(ctx: Context) -> list[str]:
        return [await ctx.call(READ, "a"), (await ctx.call(READ, "b")).upper()]

    store, run = await pipeline_run(yesterday)

    async def difference(body: Callable[[Context], Any]) -> str:
        return (await replaying(store, composed(body), SEARCH, READ).replay(run)).difference

    assert await difference(yesterday) == ""
    assert await difference(in_parallel) == ""
    assert "is not in the journal" in await difference(another)
    assert "the journal continues where the current code ends" in await difference(one_less)
    assert "is not in the journal" in await difference(one_more)
    assert "the end of the call pipeline" in await difference(other_result)


async def test_a_run_that_waits_replays_up_to_where_it_waits() -> None:
    world, store = World(), InMemoryStore()
    erase = world.write("erase", Effect.KEYED, Risk.HIGH)
    runtime = runtime_of(Scripted([calls(("erase", {"text": "a"}))]), erase, store=store)
    waiting = await runtime.run("go", by=superuser())
    assert (await replaying(store, erase).replay(waiting.run)).difference == ""
    assert "turn 1" in (await replaying(store, erase, instructions="Walk.").replay(waiting.run)).difference
    assert world.ran == []


async def test_a_run_that_failed_by_its_tools_and_turns_replays() -> None:
    @tool(effect=Effect.KEYED)
    async def refuse(_ctx: LeafContext) -> str:
        """Refuse."""
        raise ConflictError("it changed")

    store = InMemoryStore()
    agent = Agent("agent", instructions="Work.", tools=[refuse], limits=AgentLimits(turns=2))
    model = Scripted([calls(("refuse", {})), calls(("refuse", {})), "never"])
    result = await Runtime(App(name="test", agents=(agent,)), model=model, store=store).run("go", by=superuser())
    assert result.status == "failed"
    assert (await replaying(store, refuse, limits=AgentLimits(turns=2)).replay(result.run)).difference == ""


async def test_a_replay_needs_no_principal_and_no_permission() -> None:
    @tool(effect=Effect.PURE, permissions=["cms:read"])
    async def look() -> str:
        """Look."""
        return "seen"

    store = InMemoryStore()
    runtime = runtime_of(Scripted([calls(("look", {})), "done"]), look, store=store)
    run = (await runtime.run("go", by=superuser("cms:read"))).run
    denied = (await runtime.run("go", by=superuser("cms:write"))).run
    today = runtime_of(never, look, store=store, directory=lambda _name, _tenant: None)
    for each in (run, denied):
        assert (await today.replay(each)).difference == ""


async def test_a_run_that_stalled_by_its_model_replays() -> None:
    store = InMemoryStore()
    runtime = runtime_of(Scripted([calls(("read", {"page": "a"})), ModelBusyError("later")]), READ, store=store)
    result = await runtime.run("go", by=superuser())
    assert result.status == "stalled"
    assert (await replaying(store, READ).replay(result.run)).difference == ""


async def test_a_run_whose_composed_callee_was_denied_replays() -> None:
    @tool(effect=Effect.COMPOSED, permissions=["cms:write"])
    async def pipeline(ctx: Context) -> str:
        """Call another."""
        return await ctx.call(READ, "a")

    store = InMemoryStore()
    runtime = runtime_of(Scripted([calls(("pipeline", {})), "done"]), pipeline, READ, store=store)
    result = await runtime.run("go", by=Principal("ada", permissions=frozenset({"cms:read"})))
    assert result.status == "done"
    assert (await replaying(store, pipeline, READ).replay(result.run)).difference == ""


async def test_a_run_that_was_cancelled_replays_up_to_where_it_was_stopped() -> None:
    begun = asyncio.Event()

    @tool(effect=Effect.PURE)
    async def wait() -> str:
        """Wait for ever."""
        begun.set()
        await asyncio.Event().wait()
        return "never"

    store = InMemoryStore()
    runtime = runtime_of(Scripted([calls(("wait", {})), "never"]), wait, store=store)
    running = asyncio.create_task(runtime.run("go", by=superuser()))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    (row,) = await store.list_runs()
    assert (await replaying(store, wait).replay(row.run)).difference == ""


async def test_a_run_that_failed_by_a_bug_of_its_model_replays() -> None:
    store = InMemoryStore()
    result = await runtime_of(Scripted([RuntimeError("a bug")]), READ, store=store).run("go", by=superuser())
    assert result.status == "failed"
    assert (await replaying(store, READ).replay(result.run)).difference == ""


async def test_a_request_that_failed_is_compared_like_one_that_was_answered() -> None:
    store = InMemoryStore()
    result = await runtime_of(Scripted([ModelBusyError("later")]), READ, store=store).run("go", by=superuser())
    assert result.status == "stalled"
    assert "turn 1" in (await replaying(store, READ, SEARCH).replay(result.run)).difference


async def test_a_run_whose_composed_callee_was_refused_by_the_budget_replays() -> None:
    @tool(effect=Effect.COMPOSED)
    async def pipeline(ctx: Context) -> str:
        """Call another."""
        return await ctx.call(READ, "a")

    async def costly(request: ChatRequest, /) -> Completion:
        return replace(await Scripted([calls(("pipeline", {})), "done"])(request), prompt_tokens=5_000)

    store = InMemoryStore()
    layers = Stack[CallLayer](Budget(tokens=5_000))
    result = await runtime_of(costly, pipeline, READ, store=store, layers=layers).run("go", by=superuser())
    assert (result.status, result.usage) == ("failed", UsageTotals(5_000, 0, 1, None))
    agent = Agent("agent", instructions="Work.", tools=[pipeline, READ], model=never)
    today = Runtime(App(name="test", agents=(agent,)), store=store, layers=layers)
    assert (await today.replay(result.run)).difference == ""


@pytest.mark.parametrize("root", ["agent", "outer"])
async def test_a_composed_call_that_ends_with_the_denial_of_its_own_call_replays(root: str) -> None:
    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def pay(_ctx: LeafContext) -> str:
        """Pay."""
        return "paid"

    @tool(effect=Effect.COMPOSED)
    async def outer(ctx: Context) -> str:
        """Pay, if a person agrees."""
        return await ctx.call(pay)

    agent = Agent("agent", instructions="Work.", tools=[outer], model=Scripted([calls(("outer", {})), "done"]))
    runtime = Runtime(App(name="test", agents=(agent,), tools=(outer, pay)), store=InMemoryStore())
    called = runtime.run("go", by=superuser()) if root == "agent" else runtime.call(outer, superuser())
    waiting = await called
    await runtime.decide(waiting.questions[0], approved=False, by=superuser())
    await runtime.resume(waiting.run)
    assert (await runtime.replay(waiting.run)).difference == ""


@pytest.mark.looptime
async def test_a_composed_call_whose_time_was_over_replays_although_no_time_passes() -> None:
    @tool(effect=Effect.PURE)
    async def wait() -> str:
        """Wait for an hour."""
        await asyncio.sleep(3600)
        return "late"

    @tool(effect=Effect.COMPOSED)
    async def inner(ctx: Context) -> str:
        """Read, then wait."""
        return await ctx.call(READ, "a") + await ctx.call(wait)

    writer = Agent("writer", instructions="Write.", tools=[inner], model=Scripted([calls(("inner", {})), "never"]))
    outer = tool(effect=Effect.COMPOSED)(_asking(writer)).layer(Timeout(60))
    asker = Agent("agent", instructions="Work.", tools=[outer], model=Scripted([calls(("ask", {})), "done"]))
    runtime = Runtime(App(name="test", agents=(asker, writer), tools=(READ, wait)), store=InMemoryStore())
    result = await runtime.run("go", by=superuser())
    assert "TIMEOUT" in str(await runtime.store.read(result.run))
    assert (await runtime.replay(result.run)).difference == ""


def _asking(writer: Agent) -> Callable[[Context], Awaitable[str]]:
    async def ask(ctx: Context) -> str:
        """Ask the writer."""
        return await ctx.call(writer, "go")

    return ask
