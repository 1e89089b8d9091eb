"""A name by which a layer or a rule chooses calls is one whose calls pass there; others are refused at the start."""

from __future__ import annotations

import pytest

from remit import Agent, App, Ask, Effect, Policy, Runtime, Tool, When, tool
from remit.app import Env
from remit.call.call import CallLayer
from remit.dispatch.chosen_names import find_unknown_names
from remit.errors import SetupError
from remit.layers import Approve, Authorize
from remit.testing import Scripted


def make(name: str) -> Tool[[], str]:
    @tool(effect=Effect.PURE, name=name)
    async def work() -> str:
        """Work."""
        return name

    return work


def asks(*tools: str) -> Approve:
    """A policy with one rule, for these tools."""
    return Approve(Env(), policy=Policy.only(When("look", tools=tools, verdict=Ask(reason="look first"))))


READ, SEND, POST = make("read"), make("send"), make("post")
CLERK = Agent("clerk", instructions="Work.", tools=[READ, SEND])

RUN: dict[str, tuple[CallLayer, list[str]]] = {
    "a tool": (asks("read", "post"), []),
    "an agent": (asks("clerk"), []),
    "a misspelt tool": (asks("raed"), ["the rule 'look': there is no tool or agent 'raed'; did you mean read?"]),
    "two of them": (
        asks("raed", "psot"),
        [
            "the rule 'look': there is no tool or agent 'psot'; did you mean post?",
            "the rule 'look': there is no tool or agent 'raed'; did you mean read?",
        ],
    ),
    "a tool that the layer leaves out": (
        asks("send").where(tools={"read"}),
        ["the rule 'look': it never sees a call of 'send'; available: read"],
    ),
    "a tool that the layer is for": (asks("send").where(tools={"send", "read"}), []),
    "a rule of a layer for an agent": (asks("send").where(agents={"clerk"}), []),
    "an agent as a condition": (
        Authorize().where(agents={"clrek"}),
        ["Authorize().where(agents={'clrek'}): there is no tool or agent 'clrek'; did you mean clerk?"],
    ),
}


@pytest.mark.parametrize("case", RUN)
def test_a_layer_of_a_run_sees_the_calls_of_everything(case: str) -> None:
    layer, found = RUN[case]
    assert list(find_unknown_names([layer], [CLERK, READ, SEND, POST])) == found


def test_a_layer_of_an_agent_sees_the_calls_of_its_own_tools() -> None:
    for layer in (asks("post"), Authorize().where(tools={"post"})):
        (found,) = find_unknown_names([], [CLERK.layer(layer), READ, SEND, POST])
        assert found.startswith("agent clerk: ")
        assert found.endswith(": it never sees a call of 'post'; available: read, send")
    (found,) = find_unknown_names([], [CLERK.layer(Authorize().where(agents={"other"})), READ])
    assert found.endswith(": there is no tool or agent 'other'; available: clerk")
    assert list(find_unknown_names([], [CLERK.layer(asks("read")), READ, SEND])) == []


def test_a_layer_of_an_agent_sees_the_calls_that_its_scope_adds() -> None:
    scoped = Agent("clerk", instructions="Work.", tools=[READ], tool_scope=["post"]).layer(asks("post"))
    runtime = Runtime(App(name="test", agents=[scoped], tools=[POST]), model=Scripted([]))
    assert runtime.app.agents[0].name == "clerk"


def test_a_layer_of_a_tool_sees_the_calls_of_this_tool() -> None:
    (found,) = find_unknown_names([], [CLERK, READ, SEND.layer(asks("read"))])
    assert found == "tool send: the rule 'look': it never sees a call of 'read'; available: send"
    assert list(find_unknown_names([], [CLERK, READ, SEND.layer(asks("send").where(agents={"clerk"}))])) == []


def test_a_runtime_refuses_a_rule_that_can_never_match() -> None:
    policy = Policy(When("large", lambda _call: True, Ask(reason="it is large"), tools=["raed"]))
    with pytest.raises(SetupError, match=r"^the rule 'large': there is no tool or agent 'raed'; did you mean read"):
        Runtime(App(name="test", tools=[READ], policy=policy))
