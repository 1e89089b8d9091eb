"""What comes by as an object runs as that object, is forgotten after its call, and stands for no other's name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from remit import Agent, App, Context, Effect, Runtime, Stack, Timeout, Tool, tool
from remit.contracts.callee import Frame
from remit.dispatch.dispatcher import Dispatcher
from remit.dispatch.registry import AnyCallee, Registry
from remit.dispatch.unlisted import MAX_CACHED_SERVICES, ServiceCache
from remit.errors import DeniedError, NameTakenError
from remit.testing import Scripted, calls, superuser
from remit.tools import Limits
from remit.workers import WorkerDefinition, build_agent
from tests.dispatch.actors import Actor


def leaf(name: str, said: str = "") -> Tool[[], str]:
    @tool(effect=Effect.PURE, name=name)
    async def work() -> str:
        """Work."""
        return said or name

    return work


def composed(name: str, body: Callable[[Context], Awaitable[Any]]) -> Tool[[], Any]:
    @tool(effect=Effect.COMPOSED, name=name)
    async def outer(ctx: Context) -> Any:
        """Do it."""
        return await body(ctx)

    return outer


async def value(callee: AnyCallee, *others: AnyCallee) -> Any:
    runtime = Runtime(App(name="test", tools=(callee, *others)), layers=Stack(), model=Scripted(["the runtime's"]))
    return (await runtime.call(callee, superuser())).value()


@pytest.mark.parametrize("kind", ["worker", "agent"])
@pytest.mark.parametrize("listed", [True, False], ids=["listed", "by the way"])
async def test_a_call_asks_the_model_that_its_object_was_given(kind: str, *, listed: bool) -> None:
    bare: Any = (
        build_agent(WorkerDefinition(name="wa", prompt="Go.")) if kind == "worker" else Agent("wa", instructions="x")
    )
    one = bare.with_model(Scripted(["A", "A"]))
    other = bare.with_model(Scripted(["B"]))

    async def ask(ctx: Context) -> list[str]:
        named = await ctx.call("wa", {"prompt": "x"}) if listed else await ctx.call(one, "x")
        return [named, await ctx.call(other, "x"), await ctx.call(one, "x")]

    assert await value(composed("outer", ask), *([one] if listed else [])) == ["A", "B", "A"]


async def test_a_run_of_one_call_asks_the_model_that_its_object_was_given() -> None:
    listed = build_agent(WorkerDefinition(name="wa", prompt="Go."), model=Scripted(["A"]))
    runtime = Runtime(App(name="test", tools=(listed,)), layers=Stack())
    assert (await runtime.call(listed.with_model(Scripted(["B"])), superuser(), "x")).value() == "B"
    assert (await runtime.call(listed, superuser(), "x")).value() == "A"


async def test_an_agent_given_without_a_model_has_that_of_the_one_that_is_listed() -> None:
    agent = Agent("agent", instructions="x")
    outer = composed("outer", lambda ctx: ctx.call(agent, "x"))
    assert await value(outer, agent) == "the runtime's"


async def test_an_agent_with_another_model_hands_over_as_the_listed_one_does() -> None:
    second = Agent("second", instructions="x", model=Scripted(["not asked", "taken over"]))
    first = Agent("first", instructions="x", handoffs=["second"])
    moved = first.with_model(Scripted([calls(("handoff_to_second", {"reason": "so"}))]))
    assert await value(composed("outer", lambda ctx: ctx.call(moved, "x")), first, second) == "taken over"


async def test_actors_that_are_made_for_each_call_may_have_one_name() -> None:
    async def make(ctx: Context) -> list[str]:
        made = [Actor("made", _named("look"), tools=[leaf("look", f"seen {index}")]) for index in range(3)]
        return [await ctx.call(each) for each in made]

    assert await value(composed("outer", make)) == ["seen 0", "seen 1", "seen 2"]


async def test_tools_below_an_actor_that_nobody_lists_know_it_by_what_it_carries() -> None:
    look, secret = leaf("look"), leaf("secret")
    errand = composed("errand", lambda ctx: ctx.tools.look())
    pry = composed("pry", lambda ctx: ctx.call(secret))

    async def body(ctx: Frame) -> list[str]:
        with pytest.raises(DeniedError, match="made does not let its calls reach secret"):
            await ctx.call(pry)
        return [await ctx.call(errand), await ctx.call(look.layer(Timeout(5)))]

    made = Actor("made", body, tools=[errand, pry, look], tool_scope=["errand", "pry", "look"])
    assert await value(composed("outer", lambda ctx: ctx.call(made))) == ["look", "look"]


async def test_an_actor_under_the_name_of_a_listed_one_is_refused_with_the_places_of_both() -> None:
    listed = Actor("clerk", _nothing, where="clerks.py:1")
    other = Actor("clerk", _nothing, where="others.py:2")
    with pytest.raises(NameTakenError, match=r"clerk at others.py:2 cannot act: .* at clerks.py:1 has its name"):
        Dispatcher(Stack(), Registry([listed]), Limits()).service("", other)


def test_of_objects_that_nobody_lists_the_last_few_onions_are_kept() -> None:
    passing = ServiceCache()
    made = [leaf("look").layer(Timeout(5)) for _ in range(200)]
    door = Dispatcher(Stack(), Registry(), Limits())
    for each in made:
        passing.keep("agent", each, door.service("agent", each))
    assert len(passing) == MAX_CACHED_SERVICES
    assert passing.find("agent", made[0]) is None
    assert passing.find("agent", made[-1]) is not None
    assert passing.find("another", made[-1]) is None


@pytest.mark.parametrize("listed", [True, False], ids=["listed", "by the way"])
async def test_another_body_under_a_name_that_is_within_reach_is_denied(*, listed: bool) -> None:
    look, secret = leaf("look"), leaf("secret")

    async def body(ctx: Frame) -> list[str]:
        with pytest.raises(DeniedError, match=r"clerk lets its calls reach Tool look .*, and not Tool look .*its own"):
            await ctx.call(secret.with_name("look"))
        layered = await ctx.call(look.layer(Timeout(5)))
        return [layered, await ctx.call(look)]

    clerk = Actor("clerk", body, tools=[look], tool_scope=["look"])
    outer = composed("outer", lambda ctx: ctx.call(clerk))
    assert await value(outer, secret, *([clerk] if listed else [])) == ["look", "look"]


async def test_with_no_reach_above_an_object_may_have_the_name_of_another() -> None:
    look, secret = leaf("look"), leaf("secret")
    assert await value(composed("outer", lambda ctx: ctx.call(secret.with_name("look"))), look) == "secret"


async def test_a_tool_under_the_name_of_an_actor_does_not_act_as_it() -> None:
    clerk = Actor("clerk", _nothing, tools=[leaf("look")], tool_scope=["look"])
    false = composed("clerk", lambda ctx: ctx.call(leaf("pay")))
    assert await value(composed("outer", lambda ctx: ctx.call(false)), clerk) == "pay"


class Twin(Actor):
    """One of several objects that are the same actor."""

    body = "twin"


async def test_of_an_actor_without_a_model_the_listed_object_runs() -> None:
    async def say(_ctx: Frame) -> str:
        return "listed"

    outer = composed("outer", lambda ctx: ctx.call(Twin("twin", _nothing)))
    assert await value(outer, Twin("twin", say)) == "listed"


def _named(name: str) -> Callable[[Frame], Awaitable[Any]]:
    return lambda ctx: ctx.call(name)


async def _nothing(_ctx: Frame) -> None:
    """Nothing."""
