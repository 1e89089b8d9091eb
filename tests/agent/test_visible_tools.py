"""A model is shown the tools that it may call: none that is internal, and experimental ones by permission."""

from __future__ import annotations

from typing import Any

import pytest

from remit import Agent, App, Context, Effect, Principal, Runtime, Stack, tool
from remit.agent import ToolSearch
from remit.call.facts import Facts
from remit.errors import SetupError
from remit.inventory import Deprecation, DeprecationGate, EnabledGate
from remit.layers import CallLayer, Gate
from remit.models import ModelSettings
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls
from tests.agent.both import BOTH, look

EXPERIMENT = frozenset({"tools:experiment"})


@tool(effect=Effect.PURE, visibility="internal")
async def fetch() -> str:
    """Fetch a row."""
    return "row"


@tool(effect=Effect.COMPOSED)
async def report(ctx: Context) -> str:
    """Report."""
    return f"a {await ctx.call(fetch)}"


@tool(effect=Effect.PURE, visibility="experimental")
async def guess() -> str:
    """Guess a row."""
    return "perhaps"


def helper(visibility: str) -> Agent:
    facts = Facts(effect=Effect.COMPOSED, visibility=visibility)  # type: ignore[arg-type]
    return Agent("helper", instructions="You help.", facts=facts)


def list_shown_tools(model: Scripted) -> list[tuple[str, ...]]:
    return [request.tools.names for request in model.requests]


@BOTH
@pytest.mark.parametrize("search", [None, ToolSearch(above=0, always=["fetch", "report"], as_text=False)])
async def test_a_model_is_shown_no_internal_tool_whichever_way_it_finds_tools(driver: Any, search: Any) -> None:
    model = Scripted([calls(("report", {})), calls(("fetch", {})), "done"])
    agent = Agent("desk", instructions="d", tools=[fetch, report], driver=driver, tool_search=search)
    result = await Runtime(App(name="desk", agents=(agent,)), model=model).run("go", by=Principal("bob"))
    assert result.value() == "done"
    assert list_shown_tools(model) == [("report",) if search is None else ("search_tools", "report")] * 3
    told = [text for text in model.requests[-1].history if '"role":"tool"' in text]
    assert "a row" in told[0]
    assert "fetch is internal" in told[1]


CLOSED: dict[str, Gate] = {
    "disabled": EnabledGate(enabled=False),
    "removed": DeprecationGate(deprecation=Deprecation(since="1.0", removal="2.0"), version="2.0"),
}


@BOTH
@pytest.mark.parametrize("gate", CLOSED.values(), ids=CLOSED)
@pytest.mark.parametrize("search", [None, ToolSearch(above=0, always=["look", "report"], as_text=False)])
async def test_a_model_is_shown_no_tool_whose_gate_is_closed_and_a_call_of_it_is_refused(
    driver: Any, search: Any, gate: Gate
) -> None:
    def desk(*gates: Gate) -> tuple[Runtime, Scripted]:
        model = Scripted([calls(("look", {"page": "a"})), "done"])
        tools = [look.layer(Stack[CallLayer](*gates)), report]
        agent = Agent("desk", instructions="d", tools=tools, driver=driver, tool_search=search)
        return Runtime(App(name="desk", agents=(agent,), tools=(fetch,)), model=model, store=store), model

    store = InMemoryStore()
    ahead = () if search is None else ("search_tools",)
    runtime, model = desk(gate)
    closed = await runtime.run("go", by=Principal("bob"))
    assert list_shown_tools(model) == [(*ahead, "report")] * 2
    assert '"errorCode\\":\\"BLOCKED' in model.requests[-1].history[-1]
    opened, model = desk()
    open_run = await opened.run("go", by=Principal("bob"))
    assert list_shown_tools(model) == [(*ahead, "look", "report")] * 2
    for each in (runtime, opened):
        assert [(await each.replay(run)).difference for run in (closed.run, open_run.run)] == ["", ""]


@BOTH
@pytest.mark.parametrize("search", [None, ToolSearch(above=0, always=["guess", "report"], as_text=False)])
async def test_a_model_is_shown_experimental_tools_by_its_caller_s_permission(driver: Any, search: Any) -> None:
    ahead = () if search is None else ("search_tools",)
    for permissions, expected in ((frozenset[str](), ("report",)), (EXPERIMENT, ("guess", "report"))):
        model = Scripted([calls(("report", {})), "done"])
        agent = Agent("desk", instructions="d", tools=[guess, report], driver=driver, tool_search=search)
        runtime = Runtime(App(name="desk", agents=(agent,), tools=(fetch,)), model=model)
        result = await runtime.run("go", by=Principal("bob", permissions=permissions))
        assert list_shown_tools(model) == [(*ahead, *expected)] * 2
        assert (await runtime.replay(result.run)).difference == ""


@pytest.mark.parametrize(("visibility", "others"), [("internal", frozenset[str]()), ("experimental", EXPERIMENT)])
@pytest.mark.parametrize("search", [None, ToolSearch(above=0, as_text=False), ToolSearch(above=0, as_text=True)])
async def test_a_model_is_shown_a_handoff_as_the_agent_that_takes_over(
    visibility: str, others: frozenset[str], search: Any
) -> None:
    for permissions in (frozenset[str](), EXPERIMENT):
        model = Scripted(["done"])
        front = Agent("front", instructions="f", handoffs=["helper"], tools=[report], tool_search=search)
        runtime = Runtime(App(name="desk", agents=(front, helper(visibility)), tools=(fetch,)), model=model)
        await runtime.run("go", by=Principal("bob", permissions=permissions))
        assert ("handoff_to_helper" in list_shown_tools(model)[0]) is (bool(others) and others == permissions)


async def test_after_a_handoff_the_next_model_is_shown_what_its_caller_may_see() -> None:
    model = Scripted([calls(("handoff_to_helper", {"reason": "r"})), "done"])
    front = Agent("front", instructions="f", handoffs=["helper"])
    other = Agent("helper", instructions="h", tools=[guess, report], permissions=[])
    runtime = Runtime(App(name="desk", agents=(front, other), tools=(fetch,)), model=model)
    result = await runtime.run("go", by=Principal("bob", permissions=EXPERIMENT))
    assert list_shown_tools(model) == [("handoff_to_helper",), ("report",)]
    assert (await runtime.replay(result.run)).difference == ""


def test_a_tool_that_no_model_sees_cannot_be_the_choice_of_an_agent() -> None:
    agent = Agent("desk", instructions="d", tools=[fetch, report], settings=ModelSettings(tool_choice="fetch"))
    with pytest.raises(SetupError, match="tool_choice='fetch' is not one of its tools"):
        Runtime(App(name="desk", agents=(agent,)))
