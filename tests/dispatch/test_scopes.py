"""The order of layers is checked once for all callees and agents around which it is the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from remit import Agent, App, Effect, Retry, Runtime, Stack, Timeout, Tool, tool
from remit.app import Env
from remit.dispatch import scopes
from remit.errors import LayerOrderError
from remit.layers import Approve, Authorize, CallLayer, CallService, Validate
from remit.testing import Scripted


class Wraps(CallLayer):
    """Counts how often it is asked to wrap a service."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, inner: CallService, /) -> CallService:
        self.count += 1
        return inner


def make(name: str) -> Tool[[], str]:
    @tool(effect=Effect.PURE, name=name)
    async def work() -> str:
        """Work."""
        return name

    return work


def agents(*tools: Tool[..., Any]) -> list[Agent]:
    return [Agent(name, instructions="Work.", tools=tools) for name in ("clerk", "guest")]


def build(layers: Stack[CallLayer], made: Sequence[Agent]) -> Runtime:
    return Runtime(App(name="test", agents=made), model=Scripted([]), layers=layers)


def test_as_many_orders_are_checked_as_there_are_however_many_agents_and_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[object] = []

    def check(*given: object, **_: object) -> None:
        checked.append(given)

    monkeypatch.setattr(scopes, "check_order", check)
    few = [make(f"tool_{number}") for number in range(20)]
    limited = [make(f"limited_{number}").layer(Timeout(number)) for number in range(1, 21)]
    clerk, guest = agents(*few, *limited)
    build(Stack[CallLayer](Authorize(), Validate()), [clerk, guest.layer(Retry())])
    orders = 3, 2  # around nothing, a tool or an agent, and around a tool with a limit; as each of two agents
    assert len(checked) <= orders[0] * orders[1] + 2


@pytest.mark.parametrize("name", ["clerk", "guest"])
def test_an_order_that_is_wrong_for_one_agent_alone_is_refused(name: str) -> None:
    layers = Stack[CallLayer](Approve(Env()).where(agents={name}))
    with pytest.raises(LayerOrderError, match="of the run needs a layer at the place 'validate'"):
        build(layers, agents(make("work")))


def test_an_order_that_is_wrong_around_one_tool_alone_is_refused() -> None:
    wrong = make("wrong").layer(Approve(Env()).where(agents={"guest"}))
    with pytest.raises(LayerOrderError, match="of the tool needs a layer at the place 'validate'"):
        build(Stack(), agents(make("work"), wrong))


def test_an_order_that_is_wrong_around_the_calls_of_one_tool_by_an_agent_is_refused() -> None:
    clerk, guest = agents(make("work"), make("wrong"))
    with pytest.raises(LayerOrderError, match="of the agent needs a layer at the place 'validate'"):
        build(Stack(), [clerk, guest.layer(Approve(Env()).where(tools={"wrong"}))])


def test_layers_that_an_application_composes_are_composed_wherever_they_stand() -> None:
    run, of_agent, of_tool = Wraps(), Wraps(), Wraps()
    clerk, guest = agents(make("work"), make("rest").layer(of_tool))
    build(Stack[CallLayer](run.where(agents={"clerk"})), [clerk, guest.layer(of_agent)])
    assert run.count == 4, "the two agents and two tools, as the clerk"
    assert of_agent.count == 4, "the two agents and two tools, as the guest"
    assert of_tool.count == 2


def around(runtime: Runtime, agent: Agent, callee: Any) -> str:
    return repr(runtime.dispatcher.layers(agent.name, callee).layers)


def test_a_timeout_of_the_run_is_around_each_call_of_an_agent_and_not_around_the_agent() -> None:
    work = make("work")
    clerk, guest = agents(work)
    front = Agent("front", instructions="Ask.", tools=[clerk])
    app = App(name="test", agents=[clerk, guest, front])
    runtime = Runtime(app, model=Scripted([])).layer(Timeout(30)).layer(Retry())
    assert "Timeout(seconds=30)" in around(runtime, clerk, work)
    for caller in (front, clerk):
        assert "Timeout" not in around(runtime, caller, clerk)
        assert "Retry" in around(runtime, caller, clerk)


def test_a_timeout_of_the_run_that_names_an_agent_is_around_it() -> None:
    clerk, guest = agents(make("work"))
    timed = Timeout(30).where(tools={"clerk"})
    runtime = Runtime(App(name="test", agents=[clerk, guest], layers=timed), model=Scripted([]))
    assert "Timeout(seconds=30)" in around(runtime, guest, clerk)
    assert "Timeout" not in around(runtime, clerk, guest)
