"""What a type checker must know of tools, contexts and layers. Nothing here runs: `make check` reads it.

An expected refusal carries an ignore of its rule; the check fails where one is no longer needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, assert_type

from remit import Agent, Context, Effect, LeafContext, Principal, Retry, Runtime, SqlStore, Stack, Timeout, Tool, tool
from remit.agent import StepOutcome, StepRequest
from remit.app import Env
from remit.call.call import ModelLayer, ModelService, StepService
from remit.call.callee import Callee
from remit.journal.ledger import RunLedger
from remit.journal.ports import Store
from remit.journal.replay import ReplayLedger
from remit.layers import AnyLayer, Approve, Call, CallLayer, CallService, Reply, StepLayer, layer_fn
from remit.messages import ChatRequest, Completion
from remit.record.ledger import Ledger
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.tools import with_recommended_layers
from tests.call.payloads import Page


@tool
async def find(query: str, limit: int = 10) -> list[str]:
    """Find pages."""
    return [query] * limit


@tool
def count_words(text: str) -> int:
    """Count words, in a thread."""
    return len(text.split())


@tool(effect=Effect.KEYED)
def stamp(ctx: LeafContext, page: Page) -> str:
    """Stamp a page, in a thread."""
    return ctx.key + page.title


@tool(effect=Effect.KEYED)
async def save(ctx: LeafContext, page: Page) -> int:
    """Save a page."""
    return len(ctx.key + page.title)


@tool(effect=Effect.COMPOSED)
async def both(ctx: Context, query: str) -> str:
    """Find and save."""
    return "".join(await ctx.call(find, query))


class Service:
    async def count(self, query: str) -> int:
        """Count pages."""
        return len(query)


async def a_call_is_typed_by_the_function(ctx: Context) -> None:
    assert_type(await ctx.call(find, "a"), list[str])
    assert_type(await ctx.call(find, query="a", limit=3), list[str])
    assert_type(await ctx.call(save, Page(title="x")), int)
    assert_type(await ctx.call(count_words, "a b"), int)
    assert_type(await ctx.call(stamp, Page(title="x")), str)
    assert_type(await ctx.call(both, "a"), str)
    assert_type(await ctx.call(tool(Service().count), "a"), int)
    said = await ctx.call(Agent("a", instructions="Work."), "go")
    assert_type(said, str)  # pyright: ignore[reportAssertTypeFailure] - an agent's body promises Any


class Shop(Context, Protocol):
    """A context that knows tools, as `remit stubs` writes them."""

    async def more(self) -> int: ...


@tool(effect=Effect.COMPOSED)
async def sell(ctx: Shop, query: str) -> int:
    """Sell."""
    return await ctx.more() + len(await ctx.call("find", {"query": query}))


async def a_call_by_name_takes_one_payload_or_arguments_by_name(ctx: Context) -> None:
    await ctx.call("find", {"query": "a"})
    await ctx.call("find", query="a")
    await ctx.tools.save(Page(title="x"))
    await ctx.tools.find(query="a")
    await ctx.tools.find("a")
    await ctx.call("find", "a")
    await ctx.tools.find(3)  # pyright: ignore[reportArgumentType]


async def a_body_may_ask_for_a_context_of_its_own(ctx: Context) -> None:
    assert_type(await ctx.call(sell, "a"), int)


async def a_wrong_call_is_refused(ctx: Context) -> None:
    await ctx.call(find, 3)  # pyright: ignore[reportArgumentType, reportCallIssue]
    await ctx.call(find)  # pyright: ignore[reportCallIssue]
    await ctx.call(find, "a", slug=1)  # pyright: ignore[reportCallIssue]
    await ctx.call(save, {"title": "x"})  # pyright: ignore[reportArgumentType, reportCallIssue]
    await ctx.call(save, ctx, Page(title="x"))  # pyright: ignore[reportCallIssue]
    await ctx.call("find", 3)  # pyright: ignore[reportArgumentType, reportCallIssue]


async def a_leaf_cannot_call(ctx: LeafContext) -> None:
    assert_type(ctx.key, str)
    await ctx.call(find, "a")  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    ctx.tools  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]  # noqa: B018


async def a_tool_keeps_its_type_through_layers() -> None:
    assert_type(await find.layer(Timeout(5)).layer(Retry()).with_name("x")("a"), list[str])
    assert_type(find.schema_out.load("[]"), list[str])
    same: Tool[[Page], int] = with_recommended_layers(save)
    assert_type(await same(Page(title="x")), int)
    callee: Callee[[Page], int] = save
    assert_type(callee.build_arguments(Page(title="x")).raw, str)


@layer_fn
async def around_calls(call: Call, inner: CallService, times: int) -> Reply:
    return await inner(call)


@layer_fn
async def around_models(request: ChatRequest, inner: ModelService) -> Completion:
    return await inner(request)


@layer_fn
async def around_steps(request: StepRequest, inner: StepService, *, name: str) -> StepOutcome:
    return await inner(request)


def a_layer_is_of_its_kind() -> None:
    assert_type(around_calls(3), CallLayer)
    assert_type(around_models(), ModelLayer)
    assert_type(around_steps(name="x"), StepLayer)
    assert_type(Timeout(5).models, ModelLayer)
    around_calls("3")  # pyright: ignore[reportArgumentType]
    around_calls()  # pyright: ignore[reportCallIssue]
    around_steps("x")  # pyright: ignore[reportCallIssue]


@layer_fn
async def forgets_to_await(call: Call, inner: CallService) -> Reply:
    return inner(call)  # pyright: ignore[reportReturnType]


def a_layer_that_does_not_fit_is_refused(agent: Agent, runtime: Runtime) -> None:
    find.layer(around_models())  # pyright: ignore[reportArgumentType]
    find.layer(Stack(around_steps(name="x")))  # pyright: ignore[reportArgumentType]
    agent.layer(around_calls(1)).layer(around_models()).layer(around_steps(name="x")).layer(Timeout(5).steps)
    agent.layer(Timeout(5))
    runtime.layer(around_models())  # pyright: ignore[reportArgumentType]


def a_stack_knows_what_is_in_it() -> None:
    assert_type(Stack[CallLayer | AnyLayer](Retry(), Timeout(5)), Stack[CallLayer | AnyLayer])
    calls: Stack[CallLayer] = Stack(Retry()).layer(around_calls(1))
    assert_type(next(iter(calls)), CallLayer)


async def a_run_is_typed_by_its_callee(runtime: Runtime, ada: Principal) -> None:
    assert_type(await runtime.call(find, ada, "a", limit=1), RunResult[list[str]])
    assert_type((await runtime.call(save, ada, Page(title="x"))).value(), int)
    await runtime.call(find, ada, 7)  # pyright: ignore[reportArgumentType]


async def a_run_of_an_agent_has_the_type_of_its_output(runtime: Runtime, ada: Principal) -> None:
    page: Page = (await runtime.run("go", by=ada)).value()
    text: str = (await runtime.client(ada).run("go")).value()
    assert page.title == text
    Runtime(runtime.app, store=SqlStore.at("journal.db"))


@dataclass(frozen=True)
class Nobody:
    """An environment without an approver."""


def an_absent_capability_is_seen_before_anything_runs() -> None:
    Approve(Env())
    Approve(Nobody())  # pyright: ignore[reportArgumentType]


def both_ledgers_and_the_store_are_what_the_ports_ask(
    driven: RunLedger, replayed: ReplayLedger, store: InMemoryStore
) -> tuple[Ledger, Ledger, Store]:
    return driven, replayed, store


async def takes_an_object(thing: object) -> int:
    """Take anything."""
    return id(thing)


async def a_first_parameter_that_could_be_a_context_is_taken_for_one(ctx: Context) -> None:
    """The one wrong guess: an ``object`` could hold a context, so a type checker strips it. Annotate more exactly."""
    await ctx.call(tool(takes_an_object), "x")  # pyright: ignore[reportCallIssue]
