"""What governs a call of an agent governs that it takes over: gates, approvals, facts, and rules that name it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import Agent, App, Ask, Block, Effect, Policy, Principal, Risk, Runtime, Stack, When, tool
from remit.app import Env
from remit.call.contract import names_of
from remit.call.facts import Facts
from remit.errors import DeniedError, SetupError
from remit.inventory import AuthenticationGate, Deprecation, DeprecationGate, EnabledGate
from remit.layers import Approve, Call, CallService, Gate, Reply, Timeout, layer_fn
from remit.testing import Scripted, calls
from tests.agent.team import TO_WRITER

BOB = Principal("bob")


class No(Gate):
    """Refuses every call."""

    async def check(self, call: Call, /) -> None:
        raise DeniedError(f"no to {call.callee.name}")


@tool(effect=Effect.PURE)
async def write() -> str:
    """Write."""
    return "written"


def writer(**known: Any) -> Agent:
    return Agent("writer", instructions="You write.", **known)


def composed(**known: Any) -> Facts:
    return Facts(effect=Effect.COMPOSED, **known)


async def reach(agent: Agent, way: str, by: Principal, app: dict[str, Any]) -> tuple[bool, list[str], int]:
    """Whether the model of the writer is asked, what its caller's model is told, and how many questions there are."""
    known: dict[str, Any] = {"tools": [agent]} if way == "call" else {"handoffs": ["writer"]}
    asked = calls(("writer", {"prompt": "go"})) if way == "call" else calls(TO_WRITER)
    model = Scripted([asked, "one", "two"])
    runtime = Runtime(
        App(name="desk", agents=(Agent("front", instructions="You ask.", **known), agent), **app), model=model
    )
    result = await runtime.run("go", by=by)
    told = [json.loads(text) for request in model.requests for text in request.history]
    is_reached = any(each["role"] == "system" and each["content"] == "You write." for each in told)
    return is_reached, [each["content"] for each in told if each["role"] == "tool"], len(result.questions)


SECRET = composed(tags={"secret"}, egress=True)
REFUSED: dict[str, tuple[Agent, dict[str, Any], Principal]] = {
    "a gate around it": (writer().layer_around(No()), {}, BOB),
    "a gate around it for calls of some agents": (writer().layer_around(No().where(agents={"front"})), {}, BOB),
    "a gate around it that names it": (writer().layer_around(No().where(tools={"writer"})), {}, BOB),
    "that it is disabled": (writer().layer_around(EnabledGate(enabled=False)), {}, BOB),
    "that it needs authentication": (writer().layer_around(AuthenticationGate()), {}, Principal("anonymous")),
    "that it was removed": (
        writer().layer_around(DeprecationGate(deprecation=Deprecation(since="1.0", removal="2.0"), version="2.0")),
        {},
        BOB,
    ),
    "a policy around it": (
        writer().layer_around(Approve(Env(), policy=Policy(When("w", tools=["writer"], verdict=Block(reason="no"))))),
        {},
        BOB,
    ),
    "a layer of the run that names it": (writer(), {"layers": Stack(No().where(tools={"writer"}))}, BOB),
    "a layer of the run for its tags": (
        writer(facts=SECRET),
        {"layers": Stack(No().where(test=lambda callee: "secret" in callee.facts.tags))},
        BOB,
    ),
    "a rule that names it": (
        writer(),
        {"policy": Policy(When("w", tools=["writer"], verdict=Block(reason="no")))},
        BOB,
    ),
    "a rule for its tags": (
        writer(facts=SECRET),
        {"policy": Policy(When("w", lambda call: "secret" in call.callee.facts.tags, Block(reason="no")))},
        BOB,
    ),
    "a rule for its egress": (
        writer(facts=SECRET),
        {"policy": Policy(When("w", lambda call: call.callee.facts.egress, Block(reason="no")))},
        BOB,
    ),
}


@pytest.mark.parametrize("what", REFUSED)
async def test_what_refuses_a_call_of_an_agent_refuses_a_handoff_to_it(what: str) -> None:
    agent, app, by = REFUSED[what]
    for way in ("call", "handoff"):
        is_reached, told, questions = await reach(agent, way, by, app)
        assert (is_reached, questions) == (False, 0), way
        assert json.loads(told[0])["errorCode"] in ("PERMISSION_DENIED", "BLOCKED"), way


@pytest.mark.parametrize(
    ("agent", "app"),
    [
        (writer(facts=composed(risk=Risk.HIGH)), {}),
        (writer(), {"policy": Policy(When("w", tools=["writer"], verdict=Ask(reason="why")))}),
        (writer().layer_around(Approve(Env(), policy=Policy(When("w", lambda _: True, Ask(reason="why"))))), {}),
    ],
)
async def test_what_asks_about_a_call_of_an_agent_asks_about_a_handoff_to_it(agent: Agent, app: dict[str, Any]) -> None:
    for way in ("call", "handoff"):
        assert await reach(agent, way, BOB, app) == (False, [], 1), way


@pytest.mark.parametrize(
    ("agent", "app"),
    [
        (writer(facts=composed(egress=True)), {}),
        (writer().layer_around(No().where(agents={"writer"})), {}),
        (writer(), {"layers": Stack(No().where(tools={"write"})), "tools": (write,)}),
        (writer(facts=composed(timeout=9.0, confirm="sure")), {}),
    ],
)
async def test_what_lets_a_call_of_an_agent_pass_lets_a_handoff_to_it_pass(agent: Agent, app: dict[str, Any]) -> None:
    for way in ("call", "handoff"):
        is_reached, _, questions = await reach(agent, way, BOB, app)
        assert (is_reached, questions) == (True, 0), way


async def test_what_changes_the_run_of_an_agent_does_not_stand_around_a_handoff_to_it() -> None:
    seen: list[str] = []

    @layer_fn
    async def note(call: Call, inner: CallService) -> Reply:
        seen.append(call.callee.name)
        return await inner(call)

    agent = writer().layer_around(note()).layer_around(Timeout(9.0))
    assert (await reach(agent, "handoff", BOB, {}))[0]
    assert (await reach(agent, "call", BOB, {}))[0]
    assert seen == ["writer"]


async def test_an_agent_may_attach_a_layer_for_handoffs_to_a_target_by_its_name() -> None:
    front = Agent("front", instructions="f", handoffs=["writer"]).layer(No().where(tools={"writer"}))
    model = Scripted([calls(TO_WRITER), "I stay"])
    result = await Runtime(App(name="desk", agents=(front, writer())), model=model).run("go", by=BOB)
    assert result.value() == "I stay"
    with pytest.raises(SetupError, match="never sees a call of 'writer'"):
        Runtime(
            App(name="desk", agents=(Agent("front", instructions="f").layer(No().where(tools={"writer"})), writer()))
        )


def test_a_handoff_is_named_by_its_own_name_and_by_that_of_the_agent_that_takes_over() -> None:
    runtime_front = Agent("front", instructions="f", handoffs=["writer"])
    (handoff,) = runtime_front.tools
    assert names_of(handoff) == ("handoff_to_writer", "writer")
    assert names_of(write) == ("write",)
