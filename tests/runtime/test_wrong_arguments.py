"""An argument of the wrong type is refused in one line that says what to pass instead, never by an AttributeError."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from remit import (
    Agent,
    App,
    Ask,
    Block,
    Effect,
    Policy,
    Principal,
    Retry,
    Risk,
    Runtime,
    Stack,
    Timeout,
    Tool,
    When,
    preset,
    tool,
)
from remit.app import Env
from remit.call.step import StepOutcome, StepRequest
from remit.engines import LocalEngine
from remit.errors import SetupError
from remit.inventory import SessionGate
from remit.layers import (
    Approve,
    Breaker,
    Budget,
    Call,
    CallLayer,
    CallService,
    Concurrency,
    ModelService,
    RateLimit,
    Reply,
    StepService,
    layer_fn,
)
from remit.messages import ChatRequest, Completion
from remit.models import OpenAI
from remit.policies import HighRisk
from remit.secrets import Secret
from remit.testing import Scripted
from remit.tools import Facts, Limits, Rate

ADA = Principal("ada")


def untyped(value: object) -> Any:
    """Hide the type of a value from the type checker, which would refuse most of these."""
    return value


async def double(number: int) -> int:
    """Double a number."""
    return number * 2


@layer_fn
async def around_models(request: ChatRequest, inner: ModelService) -> Completion:
    return await inner(request)


@layer_fn
async def around_steps(request: StepRequest, inner: StepService) -> StepOutcome:
    return await inner(request)


class Misplaced(CallLayer):
    place = untyped("limit")

    def __call__(self, inner: CallService, /) -> CallService:
        """Change nothing."""
        return inner

    def __repr__(self) -> str:
        return "Misplaced"


@layer_fn
async def pass_through(call: Call, inner: CallService) -> Reply:
    return await inner(call)


DOUBLE = tool(double, effect=Effect.PURE)


def agent(**changes: Any) -> Agent:
    return Agent("clerk", instructions="Work.", **changes)


def application(**changes: Any) -> App:
    parts: dict[str, Any] = {"name": "shop", "agents": [agent(model=Scripted(["done"]))], **changes}
    return App(**parts)


def tool_with(**facts: Any) -> Any:
    return tool(**facts)(double)


BUILT: dict[str, tuple[Callable[[], Any], str]] = {
    "an unknown risk": (lambda: tool_with(risk="hi"), "Facts: risk is 'hi'; use 'safe', 'moderate', 'high'"),
    "an effect": (
        lambda: tool_with(effect=3),
        "Facts: effect is 3; use 'pure', 'idempotent', 'keyed', 'unsafe', 'composed'",
    ),
    "permissions": (lambda: tool_with(permissions=3), "Facts: permissions is 3; give a list"),
    "a permission": (lambda: tool_with(permissions=[3]), "Facts: an item of permissions is 3; give a string"),
    "a timeout": (lambda: tool_with(timeout="5"), "Facts: timeout is '5'; give a number"),
    "a flag": (lambda: tool_with(egress="no"), "Facts: egress is 'no'; give True or False"),
    "a confirmation": (lambda: tool_with(confirm=True), "Facts: confirm is True; give a string"),
    "a name": (lambda: tool_with(name=3), "3 is not a tool name"),
    "a description": (lambda: tool_with(description=3), "the description of double is 3; give a string"),
    "a rate": (lambda: tool_with(rate=5), "rate 5 is not of the form 60/minute"),
    "half a rate": (lambda: tool_with(rate=(5,)), "rate (5,) is not of the form 60/minute"),
    "words as a rate": (lambda: Rate(untyped("a"), 1), "Rate: calls is 'a'; give a whole number"),
    "a class as a layer": (lambda: DOUBLE.layer(untyped(Retry)), "Retry is a class, not a layer; write Retry(…)"),
    "a function as a layer": (
        lambda: DOUBLE.layer(untyped(double)),
        "double is a function, not a layer; make one of it with @layer_fn",
    ),
    "a number as a layer": (
        lambda: Stack(untyped(3)),
        "3 is not a layer; derive a class from CallLayer, or use @layer_fn",
    ),
    "a list as a layer": (
        lambda: Stack(untyped([Retry()])),
        f"{[Retry()]} is a list, not a layer; write Stack(…) with",
    ),
    "two layers": (
        lambda: untyped(DOUBLE).layer(Retry(), Timeout(1)),
        "Tool.layer takes 1 argument positionally, not 2; write layer(Stack(…))",
    ),
    "two layers of an agent": (lambda: untyped(agent()).layer(Retry(), Timeout(1)), "Agent.layer takes 1 argument"),
    "a system prompt": (
        lambda: untyped(Agent)("a", system="x"),
        "Agent has no parameter 'system'; write instructions=…",
    ),
    "a model layer around a tool": (
        lambda: DOUBLE.layer(untyped(around_models())),
        "around_models() is a layer around model requests or steps; attach it to an agent",
    ),
    "a step layer around a runtime": (
        lambda: Runtime(application()).layer(untyped(around_steps())),
        "around_steps() is a layer around model requests or steps; attach it to an agent",
    ),
    "a layer around steps for a runtime": (
        lambda: Runtime(application()).layer(untyped(Timeout(5).steps)),
        "Timeout(seconds=5).steps is a layer around model requests or steps; attach it to an agent: agent.layer(",
    ),
    "a name as a place": (
        lambda: DOUBLE.layer(Misplaced()),
        "Misplaced is not a layer; derive a class from CallLayer, or use @layer_fn",
    ),
    "a function as a tool": (
        lambda: agent(tools=[double]),
        "agent clerk: tools: double is a function, not a tool; put @tool above it, or pass tool(double)",
    ),
    "a function of Python as a tool": (
        lambda: agent(tools=[len]),
        "agent clerk: tools: len is a function, not a tool; put @tool above it, or pass tool(len)",
    ),
    "a tool twice": (lambda: agent(tools=[DOUBLE, DOUBLE]), "agent clerk has two tools named 'double'; list each once"),
    "a tool without a list": (
        lambda: agent(tools=DOUBLE),
        "agent clerk: tools is Tool double (pure, safe); give a list",
    ),
    "a class as a tool": (
        lambda: agent(tools=[Agent]),
        "agent clerk: tools: Agent is a class; pass an instance of it",
    ),
    "a class with a call as a tool": (
        lambda: agent(tools=[Scripted]),
        "agent clerk: tools: Scripted is a class; pass an instance of it: tool(Scripted(…))",
    ),
    "an object with a call as a tool": (
        lambda: agent(tools=[Scripted([])]),
        "agent clerk: tools: <remit.",
    ),
    "a name as a tool": (lambda: agent(tools=["double"]), "agent clerk: tools: 'double' is not a tool or an agent"),
    "a name with a space": (
        lambda: Agent("my clerk", instructions="Work."),
        "'my clerk' is not an agent name: use 1 to",
    ),
    "a number as a model": (
        lambda: agent(model=3),
        "agent clerk: model is 3; give a model, or its name, such as 'openai:gpt-5'",
    ),
    "a class as a model": (lambda: agent(model=Scripted), "agent clerk: model is the class Scripted; give a model, or"),
    "another model": (lambda: agent().with_model(untyped(3)), "agent clerk: model is 3; give a model, or its name"),
    "a handoff": (lambda: agent(handoffs=[3]), "agent clerk: an item of handoffs is 3; give an agent, or its name"),
    "a handoff without a list": (
        lambda: agent(handoffs=agent()),
        "agent clerk: handoffs is Agent clerk (0 tools); give a list",
    ),
    "an agent twice": (
        lambda: application(agents=[agent(), agent()]),
        "application shop has two agents named 'clerk'; list each once, or rename one",
    ),
    "an approver": (
        lambda: Env(approver=untyped(3)),
        "Env: approver is 3; give an approver, such as InboxApprover()",
    ),
    "a script": (lambda: Scripted(untyped(3)), "Scripted: lines is 3; give a list"),
    "a layer function": (
        lambda: untyped(layer_fn)(3),
        "layer_fn: function is 3; put @layer_fn above an async function",
    ),
    "a decorated function as a layer": (
        lambda: DOUBLE.layer(untyped(pass_through)),
        "pass_through is a function, not a layer; call it: pass_through(…)",
    ),
    "a reference of a secret": (lambda: Secret(untyped(3), "12345678"), "Secret: reference is 3; give a string"),
    "a value of a secret": (
        lambda: Secret("env:KEY", untyped(b"12345678")),
        "the value of the secret env:KEY is not a string",
    ),
    "a number as a name": (lambda: application(name=3), "App: name is 3; give a string"),
    "an agent without a list": (
        lambda: application(agents=agent()),
        "App: agents is Agent clerk (0 tools); give a list",
    ),
    "a tool as an agent": (
        lambda: application(agents=[DOUBLE]),
        "App: an item of agents is Tool double (pure, safe); give Agent(…)",
    ),
    "a function in an application": (
        lambda: application(tools=[double]),
        "application shop: tools: double is a function, not a tool; put @tool above it, or pass tool(double)",
    ),
    "an environment": (
        lambda: application(env=3),
        "application shop: env is 3; give an object with an approver, such as Env()",
    ),
    "a stack as layers": (
        lambda: application(layers=3),
        "application shop: layers is 3; give a list",
    ),
    "a policy of a runtime": (
        lambda: untyped(Runtime)(application(), policy=Policy.only()),
        "Runtime has no parameter 'policy'; give it to the application: App(policy=…)",
    ),
    "a misspelt keyword": (lambda: agent(tols=[DOUBLE]), "Agent has no parameter 'tols'; did you mean tools?"),
    "an unknown keyword": (
        lambda: application(xyz=1),
        "App has no parameter 'xyz'; use name, agents, tools, env, policy, budget",
    ),
    "a number of turns": (
        lambda: agent(max_turns="3"),
        "Agent has no parameter 'max_turns'; write limits=AgentLimits(turns=…)",
    ),
    "the prompt of an agent": (
        lambda: untyped(Agent)("clerk", system_prompt="x"),
        "Agent has no parameter 'system_prompt'; write instructions=…",
    ),
    "an agent as an application": (
        lambda: Runtime(untyped(agent())),
        "Runtime: app is Agent clerk (0 tools); give App(…)",
    ),
    "a file name as a store": (
        lambda: Runtime(application(), store=untyped("shop.db")),
        "Runtime: store is 'shop.db'; give a store, such as SqlStore('sqlite:///journal.db')",
    ),
    "a list of layers": (
        lambda: Runtime(application(), layers=untyped([3])),
        "Runtime: layers is [3]; give Stack(…)",
    ),
    "limits": (lambda: Runtime(application(), limits=untyped(3)), "Runtime: limits is 3; give Limits(…)"),
    "a clock": (
        lambda: Runtime(application(), clock=untyped(3)),
        "Runtime: clock is 3; give a function",
    ),
    "instructions without a name": (
        lambda: untyped(Agent)("clerk", "Work."),
        "Agent takes 1 argument positionally, not 2; write Agent(name, instructions=…)",
    ),
    "a rate without names": (
        lambda: untyped(RateLimit)("60/minute"),
        "RateLimit takes 0 arguments positionally, not 1; write RateLimit(calls=…, seconds=…)",
    ),
    "no reason to ask": (untyped(Ask), "Ask: reason is missing; write Ask(reason=…)"),
    "an endpoint without a key": (
        lambda: untyped(OpenAI)("gpt-5"),
        "OpenAI: api_key is missing; write OpenAI(model, api_key=…)",
    ),
    "an engine without a handler of errors": (
        lambda: untyped(LocalEngine)(3, 4, applications="x"),
        "LocalEngine: on_error is missing; write LocalEngine(store, execute, applications=…, on_error=…)",
    ),
    "a name as a known principal": (
        lambda: Runtime(application()).add_principals(untyped("ada")),
        "add_principals is 'ada'; give a Principal, such as Principal('ada')",
    ),
    "a number as a principal's name": (lambda: Principal(untyped(3)), "Principal: name is 3; give a string"),
    "no tenant of a principal": (lambda: Principal("ada", tenant=""), "the tenant of a principal is empty"),
    "a sentence as permissions": (
        lambda: Principal("ada", permissions=untyped("all of it")),
        "a permission of ada is 'all of it'; give a permission, like cms:write",
    ),
    "an empty permission": (
        lambda: Principal("ada", permissions=frozenset({""})),
        "a permission of ada is ''; give a permission, like cms:write",
    ),
    "a number as a reason": (lambda: Ask(reason=untyped(3)), "Ask: reason is 3; give a string"),
    "a person who decides": (lambda: Ask(reason="x", who=untyped(None)), "Ask: who is None; give a string"),
    "truthy four eyes": (lambda: Ask(reason="x", four_eyes=untyped("yes")), "Ask: four_eyes is 'yes'; give True or"),
    "a lifetime": (lambda: Ask(reason="x", expires_in=untyped("60")), "Ask: expires_in is '60'; give seconds"),
    "no reason to block": (lambda: Block(reason=untyped(None)), "Block: reason is None; give a string"),
    "truthy four eyes of a policy": (
        lambda: Policy.only(four_eyes=untyped(1)),
        "Policy: four_eyes is 1; give True or Fa",
    ),
    "a size as text": (
        lambda: Limits(argument_bytes=untyped("x")),
        "Limits: argument_bytes is 'x'; give a whole number",
    ),
    "a size below zero": (
        lambda: Limits(argument_bytes=-1),
        "Limits: argument_bytes is -1; give a whole number of at least 0",
    ),
    "no call of a schema": (
        lambda: Tool.from_schema("f", "F.", {"type": "object"}, untyped(3)),
        "Tool.from_schema('f'): call is 3; give a function",
    ),
    "an environment without sessions": (
        lambda: SessionGate(untyped(Env())),
        "SessionGate: env is Env(",
    ),
    "an environment without an approver": (
        lambda: Approve(untyped(3)),
        "Approve: env is 3; give an object with an approver, such as Env()",
    ),
    "a key that is not seen": (
        lambda: tool(effect=Effect.KEYED)(double),
        "double is KEYED but cannot see its key: take `ctx: LeafContext` first",
    ),
    "a class as a rule": (lambda: Policy.only(untyped(HighRisk)), "Policy: HighRisk is a class; write HighRisk(…)"),
    "a number as a rule": (
        lambda: Policy.only(untyped(3)),
        "Policy: 3 is not a rule, such as HighRisk() or When(name, test, verdict)",
    ),
    "a list of rules": (
        lambda: Policy(untyped([])),
        "Policy: a list, whose rules must be given one after the other, is not a rule, such as HighRisk()",
    ),
    "a test": (
        lambda: When("late", untyped(3), Ask(reason="late")),
        "When: test is 3; give a function that is not async, such as `def test(call)`",
    ),
    "a verdict": (
        lambda: When("late", bool, untyped("ask")),
        "When: verdict is 'ask'; give Allow(…) or Ask(…) or Block(…)",
    ),
    "an environment of the preset": (
        lambda: preset(untyped(3)),
        "env is 3; give an object with an approver, such as Env()",
    ),
    "a rule as a policy": (
        lambda: preset(Env(), policy=untyped(HighRisk())),
        "policy is HighRisk(name='high risk'); give a Policy of your rules, such as Policy(HighRisk())",
    ),
    "a budget": (lambda: preset(Env(), budget=untyped(3)), "budget is 3; give a Budget, such as Budget(calls=64)"),
    "a timeout layer": (lambda: Timeout(untyped("5")), "Timeout: seconds is '5'; give a number"),
    "a retry layer": (lambda: Retry(attempts=untyped("3")), "Retry: attempts is '3'; give a whole number"),
    "a breaker": (lambda: Breaker(failures=untyped("3")), "Breaker: failures is '3'; give a whole number"),
    "a budget layer": (lambda: Budget(calls=untyped("3")), "Budget: calls is '3'; give a whole number"),
    "a rate limit": (lambda: RateLimit(calls=untyped("3"), seconds=1), "RateLimit: calls is '3'; give a whole number"),
    "a concurrency limit": (lambda: Concurrency(calls=untyped("3")), "Concurrency: calls is '3'; give a whole number"),
}


@pytest.mark.parametrize("case", BUILT)
def test_a_part_of_the_wrong_type_is_refused_when_it_is_built(case: str) -> None:
    build, message = BUILT[case]
    with pytest.raises(SetupError) as caught:
        build()
    assert caught.value.message.startswith(message)
    assert "\n" not in caught.value.message


def test_what_is_unambiguous_is_converted() -> None:
    made = tool_with(risk="high", effect="pure", permissions="sums:read", tags="sums", rate=(2, 1))
    assert made.facts == Facts(
        risk=Risk.HIGH,
        effect=Effect.PURE,
        permissions=frozenset({"sums:read"}),
        tags=frozenset({"sums"}),
        rate=Rate(2, 1),
    )
    assert Facts(risk=untyped("high")).risk is Risk.HIGH
    assert Principal("ada", permissions=untyped(["sums:read"])).permissions == {"sums:read"}
    assert application(tools=[DOUBLE]).tools == (DOUBLE,)
