"""Layers for a part of the calls: chosen by tool, agent or facts when the layers around a callee are composed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit import Agent, App, Effect, Runtime, Stack, Timeout, Tool, preset, tool
from remit.app import Env
from remit.call.contract import Contract
from remit.errors import SetupError
from remit.layers import Authorize, CallLayer, Gate, RateLimit, Retry
from remit.layers import Call as LayerCall
from remit.testing import Scripted, call_through, calls, make_call, superuser


def make(name: str, **facts: Any) -> Tool[[], str]:
    @tool(effect=Effect.PURE, name=name, **facts)
    async def work() -> str:
        """Work."""
        return name

    return work


class Shut(Gate):
    """Refuses every call."""

    def __repr__(self) -> str:
        return "Shut()"

    async def check(self, call: LayerCall, /) -> None:
        raise AssertionError(call.callee.name)


def egress(callee: Contract) -> bool:
    return callee.facts.egress


def wide(*layers: CallLayer) -> Runtime:
    """Two agents with two tools each, and ``layers`` at the run."""
    here, away = make("here"), make("away", egress=True)
    clerk, guest = (Agent(name, instructions="Work.", tools=[here, away]) for name in ("clerk", "guest"))
    return Runtime(App(name="test", agents=(clerk, guest)), model=Scripted([]), layers=Stack[CallLayer](*layers))


def around(runtime: Runtime, layer: CallLayer) -> set[str]:
    """The agents and tools between which ``layer`` stands."""
    found: set[str] = set()
    for agent in runtime.app.agents:
        for each in agent.tools:
            if layer in tuple(runtime.dispatcher.layers(agent.name, each)):
                found.add(f"{agent.name} {each.name}")
    return found


AUTHORIZE = Authorize()
CONDITIONS: dict[str, tuple[CallLayer, set[str]]] = {
    "tools": (AUTHORIZE.where(tools={"away"}), {"clerk away", "guest away"}),
    "one tool": (AUTHORIZE.where(tools="away"), {"clerk away", "guest away"}),
    "agents": (AUTHORIZE.where(agents={"clerk"}), {"clerk here", "clerk away"}),
    "facts": (AUTHORIZE.where(test=egress), {"clerk away", "guest away"}),
    "all of them": (AUTHORIZE.where(tools={"here", "away"}, agents={"guest"}, test=egress), {"guest away"}),
    "one in another": (AUTHORIZE.where(test=egress).where(agents={"guest"}), {"guest away"}),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_limited_layer_stands_around_the_calls_that_it_is_for(name: str) -> None:
    layer, expected = CONDITIONS[name]
    assert around(wide(layer), AUTHORIZE) == expected


def test_a_limited_layer_keeps_its_place_and_prints_its_conditions() -> None:
    limited = Retry().where(tools={"b", "a"}, agents={"clerk"}, test=egress)
    assert limited.place is Retry.place
    assert repr(limited) == f"{Retry()!r}.where(tools={{'a', 'b'}}, agents={{'clerk'}}, test=egress)"
    assert repr(Timeout(5).where(tools={"a"})) == "Timeout(seconds=5).where(tools={'a'})"


def test_a_limited_layer_is_drawn_where_it_stands() -> None:
    runtime = wide(AUTHORIZE.where(tools={"away"}))
    here, away = runtime.app.agents[0].tools
    assert "RUN    Authorize()\n" in runtime.dispatcher.draw_layers("clerk", away)
    assert "RUN    -\n" in runtime.dispatcher.draw_layers("clerk", here)


def test_a_layer_limited_to_a_name_that_does_not_exist_is_refused() -> None:
    for layer in (AUTHORIZE.where(tools={"awya"}), AUTHORIZE.where(test=egress).where(agents={"awya"})):
        with pytest.raises(SetupError, match=r"^Authorize\(\)\.where.*: there is no tool or agent 'awya'; "):
            wide(layer)


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ({}, r"Authorize\(\)\.where\(\) selects nothing"),
        ({"tools": 5}, "tools is 5"),
        ({"agents": [5]}, "an item of agents is 5"),
        ({"test": "egress"}, "test is 'egress'; give a function that takes a callee"),
    ],
)
def test_a_wrong_condition_is_refused(conditions: dict[str, Any], message: str) -> None:
    with pytest.raises(SetupError, match=message):
        AUTHORIZE.where(**conditions)


def test_a_test_that_does_not_answer_true_or_false_is_refused() -> None:
    with pytest.raises(SetupError, match=r"the result of the test of Authorize\(\).* is 'yes'; give True or False"):
        wide(AUTHORIZE.where(test=lambda _callee: "yes"))  # pyright: ignore[reportArgumentType]


async def test_a_limited_layer_chooses_by_itself_where_no_dispatcher_does() -> None:
    strict = Retry().where(tools={"work"})
    for name in ("work", "rest"):
        assert (await call_through(strict, await make_call(make(name)))).content == "inner"


def test_limited_gates_and_limits_of_a_tool_count_only_where_they_stand() -> None:
    limited = make("work", timeout=9).layer(Timeout(3).where(agents={"clerk"})).layer(Shut().where(agents={"clerk"}))
    clerk, guest = (Agent(name, instructions="Work.", tools=[limited]) for name in ("clerk", "guest"))
    runtime = Runtime(App(name="test", agents=(clerk, guest)), model=Scripted([]))
    drawings = {name: runtime.dispatcher.draw_layers(name, limited) for name in ("clerk", "guest")}
    assert "CheckGates(Shut)" in drawings["clerk"]
    assert "TOOL   Shut() · Timeout(seconds=3)\n" in drawings["clerk"]
    assert "Shut" not in drawings["guest"]
    assert "TOOL   Timeout(seconds=9, grace=1.0)\n" in drawings["guest"]


@pytest.mark.looptime
async def test_a_timeout_just_inside_the_preset_limits_all_attempts_of_a_call() -> None:
    attempts: list[float] = []

    @tool(effect=Effect.PURE)
    async def slow() -> str:
        """Never answer."""
        attempts.append(asyncio.get_running_loop().time())
        await asyncio.sleep(100)
        return "late"

    retrying = slow.layer(Timeout(2)).layer(Retry(attempts=9, base_delay=1, jitter=lambda: 1.0))
    layers = Stack[CallLayer](preset(Env()), Timeout(6).where(tools={"slow"}))
    runtime = Runtime(App(name="test", tools=(retrying,)), layers=layers)
    start = asyncio.get_running_loop().time()
    result = await runtime.call(retrying, superuser())
    assert "no result within 6 seconds" in result.text
    assert [at - start for at in attempts] == pytest.approx([0, 3])
    assert asyncio.get_running_loop().time() - start == pytest.approx(6)


@pytest.mark.looptime
async def test_a_timeout_around_an_agent_limits_all_that_its_retrying_tools_do() -> None:
    attempts: list[float] = []

    @tool(effect=Effect.PURE)
    async def slow() -> str:
        """Never answer."""
        attempts.append(asyncio.get_running_loop().time())
        await asyncio.sleep(100)
        return "late"

    retrying = slow.layer(Timeout(2)).layer(Retry(attempts=9, base_delay=1, jitter=lambda: 1.0))
    clerk = Agent("clerk", instructions="Work.", tools=[retrying]).layer(RateLimit(calls=5, seconds=1))
    around = clerk.layer_around(Timeout(6))
    runtime = Runtime(App(name="test", agents=(around,)), model=Scripted([calls(("slow", {})), "done"]))
    start = asyncio.get_running_loop().time()
    result = await runtime.run("go", by=superuser())
    assert "no result within 6 seconds" in result.text
    assert [at - start for at in attempts] == pytest.approx([0, 3])
    assert asyncio.get_running_loop().time() - start == pytest.approx(6)
    assert (await runtime.replay(result.run)).is_identical
