"""An object that is called is listed by the application, or derived from a listed one without loosening anything."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from remit import Agent, App, Context, Effect, LeafContext, Retry, Risk, Runtime, Stack, Timeout, Tool, tool
from remit.call.callee import DID_NOT_HAPPEN, Frame, ReconcileResult
from remit.call.tool import build_tool
from remit.dispatch.dispatcher import Dispatcher
from remit.dispatch.registry import AnyCallee, Registry
from remit.errors import NameTakenError, RequestError, UnknownToolError
from remit.layers import Breaker, Call, CallLayer, CallService, Place, Redact, Reply, layer_fn
from remit.record.items import ToolOutput
from remit.testing import Scripted, calls, superuser
from remit.tools import Facts, Limits
from remit.workers import WorkerDefinition, build_agent
from tests.dispatch.actors import Actor
from tests.runtime.kit import items_of

BREAKER = Breaker()


def leaf(name: str, result: str = "", *, risk: Risk = Risk.SAFE) -> Tool[[], str]:
    @tool(effect=Effect.PURE, name=name, risk=risk)
    async def work() -> str:
        """Work."""
        return result or name

    return work


def composed(name: str, body: Callable[[Context], Awaitable[Any]]) -> Tool[[], Any]:
    @tool(effect=Effect.COMPOSED, name=name)
    async def outer(ctx: Context) -> Any:
        """Do it."""
        return await body(ctx)

    return outer


def runtime_of(*callees: AnyCallee, layers: Stack[CallLayer] | None = None) -> Runtime:
    return Runtime(App(name="test", tools=callees), layers=layers, model=Scripted(["the runtime's"]))


async def value(callee: AnyCallee, *others: AnyCallee) -> Any:
    return (await runtime_of(callee, *others, layers=Stack()).call(callee, superuser())).value()


async def refusal(given: AnyCallee, *listed: AnyCallee) -> str:
    """The message of the refusal when a body calls the object."""
    with pytest.raises(UnknownToolError) as refused:
        await value(composed("outer", lambda ctx: ctx.call(given)), *listed)
    assert "\n" not in refused.value.message
    return refused.value.message


def bare_agent(kind: str) -> Agent:
    made = build_agent(WorkerDefinition(name="wa", prompt="Go."))
    return made if kind == "worker" else Agent("wa", instructions="x")


@pytest.mark.parametrize("kind", ["worker", "agent"])
async def test_a_call_asks_the_model_that_its_object_was_given(kind: str) -> None:
    bare = bare_agent(kind)
    one, other = bare.with_model(Scripted(["A", "A"])), bare.with_model(Scripted(["B"]))

    async def ask(ctx: Context) -> list[str]:
        return [await ctx.call("wa", {"prompt": "x"}), await ctx.call(other, "x"), await ctx.call(one, "x")]

    assert await value(composed("outer", ask), one) == ["A", "B", "A"]


async def test_a_run_of_one_call_asks_the_model_that_its_object_was_given() -> None:
    listed = build_agent(WorkerDefinition(name="wa", prompt="Go."), model=Scripted(["A"]))
    runtime = runtime_of(listed, layers=Stack())
    assert (await runtime.call(listed.with_model(Scripted(["B"])), superuser(), "x")).value() == "B"
    assert (await runtime.call(listed, superuser(), "x")).value() == "A"


async def test_an_agent_given_without_a_model_has_that_of_the_one_that_is_listed() -> None:
    agent = Agent("agent", instructions="x")
    outer = composed("outer", lambda ctx: ctx.call(agent, "x"))
    assert await value(outer, agent) == "the runtime's"


async def test_an_agent_listed_without_any_model_asks_the_one_it_is_given() -> None:
    agent = Agent("agent", instructions="x")
    runtime = Runtime(App(name="test", agents=(agent,)))
    assert (await runtime.run("go", by=superuser(), agent=agent.with_model(Scripted(["A"])))).value() == "A"


async def test_an_agent_with_another_model_hands_over_as_the_listed_one_does() -> None:
    second = Agent("second", instructions="x", model=Scripted(["not asked", "taken over"]))
    first = Agent("first", instructions="x", handoffs=["second"])
    moved = first.with_model(Scripted([calls(("handoff_to_second", {"reason": "so"}))]))
    assert await value(composed("outer", lambda ctx: ctx.call(moved, "x")), first, second) == "taken over"


async def test_the_agents_that_listed_agents_call_or_hand_over_to_are_listed() -> None:
    deepest = Agent("deepest", instructions="x", tools=[leaf("look")], model=Scripted(["deep"]))
    target = Agent("target", instructions="x", tools=[deepest], model=Scripted(["target"]))
    front = Agent("front", instructions="x", handoffs=[target])
    lead = Agent("lead", instructions="x", tools=[front])

    async def ask(ctx: Context) -> list[str]:
        return [await ctx.call(target, "x"), await ctx.call(deepest, "x"), await ctx.call("look")]

    assert await value(composed("outer", ask), lead) == ["target", "deep", "look"]


@pytest.mark.parametrize("kind", ["worker", "agent"])
async def test_an_agent_that_the_application_does_not_list_is_refused(kind: str) -> None:
    given = bare_agent(kind)
    with pytest.raises(UnknownToolError, match=r"Agent wa \(0 tools\) is not listed; add it to the tools of the appl"):
        await value(composed("outer", lambda ctx: ctx.call(given, "x")))


async def test_a_tool_that_the_application_does_not_list_is_refused_with_its_place_and_what_to_do() -> None:
    assert await refusal(leaf("look").layer(Timeout(5))) == (
        f"Tool look (pure, safe) at {leaf('look').where} is not listed; "
        "add it to the tools of the application or of an agent"
    )


async def test_a_refused_call_is_recorded_once_and_asks_no_person() -> None:
    burn = leaf("burn", risk=Risk.HIGH)
    outer = composed("outer", lambda ctx: ctx.call(burn))
    runtime = runtime_of(outer)
    result = await runtime.call(outer, superuser())
    assert (result.status, result.questions) == ("failed", ())
    outputs = [item for item in await items_of(runtime.store, result.run) if isinstance(item, ToolOutput)]
    (refused,) = [item for item in outputs if item.callee == "burn"]
    assert (refused.outcome, "UNKNOWN_TOOL" in refused.text) == ("error", True)
    assert (await runtime.replay(result.run)).difference == ""


async def test_a_run_of_one_call_of_what_is_not_listed_is_refused_and_no_run_is_opened() -> None:
    runtime = runtime_of(leaf("look"))
    with pytest.raises(RequestError, match=r"application test: Tool write .* is not listed; add it"):
        await runtime.call(leaf("write"), superuser())
    with pytest.raises(RequestError, match=r"Tool look .* is not listed: its name is that of Tool look"):
        await runtime.call(leaf("look", "another"), superuser())
    assert await runtime.store.list_runs() == []


async def test_another_object_under_the_name_of_a_listed_one_is_refused_with_the_places_of_both() -> None:
    listed, other = Actor("clerk", _nothing, where="clerks.py:1"), Actor("clerk", _nothing, where="others.py:2")
    assert await refusal(other, listed) == (
        "Actor clerk at others.py:2 is not listed: its name is that of Actor clerk at clerks.py:1; "
        "rename it and list it"
    )
    look, secret = leaf("look"), leaf("secret")
    assert "its name is that of Tool look" in await refusal(secret.with_name("look"), look, secret)
    assert "its name is that of Actor clerk" in await refusal(leaf("clerk"), listed)


class Impostor(Actor):
    """Claims to equal everything, and to run the body of every tool."""

    def __eq__(self, _other: object) -> bool:
        return True

    def __ne__(self, _other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 1

    @property
    def body(self) -> object:
        """Equals the body of every tool."""
        return self


@pytest.mark.parametrize(
    "listed", [leaf("clerk"), Actor("clerk", lambda _ctx: asyncio.sleep(0))], ids=["tool", "actor"]
)
async def test_an_object_of_another_type_does_not_say_what_it_equals(listed: AnyCallee) -> None:
    impostor = Impostor("clerk", _nothing)
    assert "Actor clerk is not listed: its name is that of" in await refusal(impostor, listed)
    with pytest.raises(NameTakenError, match="two callees are named 'clerk'"):
        Registry([listed, impostor])


async def test_an_agent_with_another_layer_is_another_agent() -> None:
    agent = Agent("agent", instructions="x", model=Scripted([]))
    for given in (agent.layer(shout()), agent.layer_around(Timeout(5))):
        with pytest.raises(RequestError, match="its name is that of Agent agent"):
            await runtime_of(agent).call(given, superuser(), "x")


@layer_fn
async def shout(call: Call, inner: CallService) -> Reply:
    return Reply.from_value((await inner(call)).content.upper())


async def test_a_tool_with_more_layers_around_it_runs_with_all_of_them() -> None:
    listed = leaf("look").layer(BREAKER)
    given = listed.layer(shout())
    outer = composed("outer", lambda ctx: ctx.call(given))
    assert await value(outer, listed) == "LOOK"
    services = Dispatcher(Stack(), Registry([listed]), Limits())
    assert services.layers("", given).layers[-1] is BREAKER


AnyTool = Tool[[], str]


def outer_and_inner(look: AnyTool) -> tuple[CallLayer, ...]:
    return look.layers.layers


STRIPPED: dict[str, Callable[[AnyTool], AnyTool]] = {
    "without any": lambda look: look.with_layers(Stack()),
    "without the inner one": lambda look: look.with_layers(Stack(outer_and_inner(look)[0])),
    "without the outer one": lambda look: look.with_layers(Stack(outer_and_inner(look)[1])),
    "with one that has counted no calls": lambda look: look.with_layers(Stack(outer_and_inner(look)[0], Breaker())),
    "in another order": lambda look: look.with_layers(Stack(*reversed(outer_and_inner(look)))),
}


@pytest.mark.parametrize("case", STRIPPED)
async def test_a_tool_that_lost_layers_of_the_listed_one_is_refused(case: str) -> None:
    listed = leaf("look").layer(BREAKER).layer(shout())
    message = await refusal(STRIPPED[case](listed), listed)
    assert "lacks layers of the listed look; call that one, or derive from it" in message


async def never_happened(_ctx: LeafContext, _payload: Any) -> ReconcileResult:
    return DID_NOT_HAPPEN


async def harmless(_ctx: LeafContext, _payload: Any) -> str:
    return "changes nothing"


CHANGED: dict[str, Callable[[AnyTool], AnyTool]] = {
    "facts": lambda look: look.with_facts(Facts(effect=Effect.PURE), name="look", description="Work.", where=""),
    "another tool of the function": lambda look: build_tool(look.function, Facts(effect=Effect.PURE), name="look"),
    "reconcile": lambda look: look.with_reconcile(never_happened),
    "preview": lambda look: look.with_preview(harmless),
}


@pytest.mark.parametrize("case", CHANGED)
async def test_a_tool_that_something_else_governs_is_another_tool(case: str) -> None:
    listed = leaf("look", risk=Risk.HIGH)
    assert "its name is that of Tool look (pure, high)" in await refusal(CHANGED[case](listed), listed)


async def test_the_tool_without_the_redaction_of_the_listed_one_is_refused() -> None:
    look = leaf("look")
    assert "lacks layers of the listed look" in await refusal(look, look.layer(Redact(patterns=["loo."])))


async def test_a_tool_derived_by_a_layer_that_stands_further_in_is_the_listed_one() -> None:
    look = leaf("look").layer(Retry()).layer(Redact(patterns=["unseen"]))
    derived = look.layer(Timeout(5))
    assert [each.place for each in derived.layers] == [Place.OWN, Place.RETRY, Place.TIMEOUT]
    assert await value(composed("outer", lambda ctx: ctx.call(derived)), look) == "look"


class Twin(Actor):
    """One of several objects that are the same actor."""

    body = "twin"


async def test_of_an_actor_without_a_model_the_listed_object_runs() -> None:
    async def say(_ctx: Frame) -> str:
        return "listed"

    outer = composed("outer", lambda ctx: ctx.call(Twin("twin", _nothing)))
    assert await value(outer, Twin("twin", say)) == "listed"


async def test_within_a_tool_scope_a_derived_tool_runs_and_an_unlisted_one_does_not() -> None:
    look, secret = leaf("look"), leaf("secret")

    async def body(ctx: Frame) -> list[str]:
        with pytest.raises(UnknownToolError, match="is not listed: its name is that of Tool look"):
            await ctx.call(secret.with_name("look"))
        return [await ctx.call(look.layer(Timeout(5))), await ctx.call(look)]

    clerk = Actor("clerk", body, tools=[look], tool_scope=["look"])
    assert await value(composed("outer", lambda ctx: ctx.call(clerk)), secret, clerk) == ["look", "look"]


async def _nothing(_ctx: Frame) -> None:
    """Nothing."""
