"""The ways in which a tool is reached, each a callee that carries a call to it, with a layer at every scope."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from pydantic import BaseModel
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from remit import Agent, App, Context, Effect, LeafContext, Risk, Stack, Tool, tool
from remit.app import Env
from remit.errors import DeniedError
from remit.layers import AgentLayer, Approve, Call, CallLayer, CallService, Reply, layer_fn
from remit.messages import ChatRequest
from remit.models.pydantic_ai import PydanticAIModel
from remit.pipeline import Given, Pipeline, Step
from remit.testing import Scripted, calls
from remit.tools import Callee
from remit.workers import WorkerDefinition, build_agent

AnyCallee = Callee[..., Any]
Say = Callable[[str], None]

TOOL: Final = "work"
NEEDS: Final = "door:work"
DESK: Final = "desk"
"""The default agent: calls from outside are made in its name."""
NUMBER: Final = {"number": 1}
PROMPT: Final = {"prompt": "go"}
CALL_FORMS: Final = ("object", "name", "arguments", "alias")
"""How Python code names what it calls."""
_BELOW: Final = ("carrier", "outer", "errand", "chain", "handoff_to_carrier", "between")
"""The names of whatever may stand between an actor and the tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What stands in the way of the tool, if anything: a layer that refuses at a scope, a question, an actor above."""

    refused_at: str = ""
    is_risky: bool = False
    has_approver: bool = True
    is_permitted: bool = True
    is_fenced: bool = False


CHECKS: Final[dict[str, Check]] = {
    "the same layers": Check(),
    "a refusal by the run": Check(refused_at="run"),
    "a refusal by the actor": Check(refused_at="actor"),
    "a refusal by the tool": Check(refused_at="tool"),
    "a permission that is not held": Check(is_permitted=False),
    "a question": Check(is_risky=True),
    "a layer that has nobody to ask": Check(has_approver=False),
    "out of reach": Check(is_fenced=True),
}


@layer_fn
async def probe(call: Call, inner: CallService, scope: str, name: str, check: Check, say: Say) -> Reply:
    """Says that it ran, and refuses, if it is the one that does."""
    if call.callee.name != TOOL:
        return await inner(call)
    say(name)
    if scope == check.refused_at:
        raise DeniedError(f"{name} refuses")
    return await inner(call)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How the tool is reached: ``build`` from parts, called with ``arguments``.

    ``calling_agent`` makes the call of the tool.

    One that ``stands_for`` the tool has its facts, and is asked about and refused in its place.
    """

    build: Callable[[Parts], AnyCallee]
    calling_agent: str = "carrier"
    arguments: dict[str, Any] = field(default_factory=lambda: PROMPT)
    stands_for: bool = False


class Number(BaseModel):
    """What the tool and a pipeline are called with."""

    number: int


class Parts:
    """What ways are made of, for one check."""

    def __init__(self, check: Check, say: Say) -> None:
        self.steps = list[AnyCallee]()
        self.check = check
        self.say = say
        risk = Risk.HIGH if check.is_risky else Risk.SAFE

        @tool(name=TOOL, effect=Effect.KEYED, risk=risk, permissions={NEEDS})
        async def work(_ctx: LeafContext, number: int) -> str:
            """Work."""
            say("base")
            return f"worked {number}"

        self.work: Tool[[int], str] = work.layer(self.probe("tool", "tool"))
        if not check.has_approver:
            self.work = self.work.layer(Approve(Env(approver=None)))

    def probe(self, scope: str, name: str) -> CallLayer:
        """A layer that says that it ran."""
        return probe(scope, name, self.check, self.say)

    def agent(self, name: str, *tools: AnyCallee, wants: str = "", arguments: dict[str, Any] = NUMBER) -> Agent:
        """An agent whose model calls its first tool, or the one it ``wants``, once."""
        model = Scripted([_call_once(wants or tools[0].name, arguments)] * 9)
        return Agent(name, instructions="Work.", tools=tools, model=model).layer(self.probe("actor", name))

    def worker(self, name: str, *tools: AnyCallee, arguments: dict[str, Any] = NUMBER, wants: str = "") -> Agent:
        """A worker whose model does the same, by PydanticAI. What is between it and the tool, it lets through."""
        listed = tuple(each.name for each in tools)
        delegates = tuple(each for each in (*_BELOW, *(() if wants else (TOOL,))) if each not in listed)
        definition = WorkerDefinition(name=name, prompt="Work.", tools=listed, delegates=delegates)
        layers = Stack[AgentLayer](self.probe("actor", name))
        asked = FunctionModel(_call_once_by_pydantic_ai(wants or listed[0], arguments))
        return build_agent(definition, tools=tools, model=asked, agent_layers=layers)

    def worker_with_remit_model(self) -> Agent:
        """A worker that asks a model of Remit's own port."""
        return self.worker("carrier", self.work).with_model(Scripted([_call_once(TOOL, NUMBER)] * 9))

    def agent_with_pydantic_ai_model(self) -> Agent:
        """The built-in agent, with a model of PydanticAI's."""
        return self.agent("carrier", self.work).with_model(
            PydanticAIModel(FunctionModel(_call_once_by_pydantic_ai(TOOL, NUMBER)))
        )

    def agent_with_handoff(self) -> Agent:
        """An agent that hands over to the one that calls."""
        carrier = self.agent("carrier", self.work)
        model = Scripted([calls(("handoff_to_carrier", {"reason": "it works"}))])
        front = Agent("outer", instructions="Hand over.", model=model, handoffs=[carrier])
        return front.layer(self.probe("actor", "outer"))

    def composed_tool(self, how: str) -> Tool[[int], str]:
        """A composed tool that calls the tool by its object, its name, or as an attribute of ``ctx.tools``."""
        work = self.work

        @tool(effect=Effect.COMPOSED)
        async def errand(ctx: Context, number: int) -> str:
            """Call another."""
            if how == "object":
                return await ctx.call(work, number)
            if how == "name":
                return cast("str", await ctx.call(TOOL, {"number": number}))
            if how == "arguments":
                return cast("str", await ctx.call(TOOL, number=number))
            return cast("str", await ctx.tools.work(number=number))

        return errand

    def pipeline(self, callee: AnyCallee, arguments: dict[str, Any]) -> Pipeline[Number]:
        """A pipeline with one step, which the application has to list."""
        self.steps.append(callee)
        takes = {"number": Given("number")} if "number" in arguments else arguments
        return Pipeline("chain", Number, [Step(name="step", callee=callee, takes=takes)], description="Go on.")

    def fencing_worker(self, carrier: AnyCallee, arguments: dict[str, Any]) -> Agent:
        """A worker that lets everything through but the tool, and calls ``carrier`` all the same."""
        tools = () if carrier.name == TOOL else (carrier,)
        return self.worker("fence", *tools, arguments=arguments, wants=carrier.name)


WAYS: Final[dict[str, Way]] = {
    "the tool": Way(build=lambda parts: parts.work, calling_agent=DESK, arguments=NUMBER),
    "an agent": Way(build=lambda parts: parts.agent("carrier", parts.work)),
    "an agent with a model of PydanticAI": Way(build=lambda parts: parts.agent_with_pydantic_ai_model()),
    "a handoff": Way(build=lambda parts: parts.agent_with_handoff()),
    "an agent as a tool": Way(
        build=lambda parts: parts.agent("outer", parts.agent("carrier", parts.work), arguments=PROMPT)
    ),
    "a worker": Way(build=lambda parts: parts.worker("carrier", parts.work)),
    "a worker with a model of ours": Way(build=lambda parts: parts.worker_with_remit_model()),
    "a nested worker": Way(
        build=lambda parts: parts.worker("outer", parts.worker("carrier", parts.work), arguments=PROMPT)
    ),
    "a worker below an agent": Way(
        build=lambda parts: parts.agent("outer", parts.worker("carrier", parts.work), arguments=PROMPT)
    ),
    "an agent below a worker": Way(
        build=lambda parts: parts.worker("outer", parts.agent("carrier", parts.work), arguments=PROMPT)
    ),
    "a handoff below a worker": Way(
        build=lambda parts: parts.worker("between", parts.agent_with_handoff(), arguments=PROMPT)
    ),
    "a pipeline": Way(
        build=lambda parts: parts.pipeline(parts.work, NUMBER), calling_agent=DESK, arguments=NUMBER, stands_for=True
    ),
    "a pipeline below a worker": Way(
        build=lambda parts: parts.worker("carrier", parts.pipeline(parts.work, NUMBER)), stands_for=True
    ),
    "a worker in a pipeline": Way(
        build=lambda parts: parts.pipeline(parts.worker("carrier", parts.work), PROMPT), arguments=NUMBER
    ),
    **{
        f"Python, by {how}": Way(
            build=lambda parts, how=how: parts.composed_tool(how), calling_agent=DESK, arguments=NUMBER
        )
        for how in CALL_FORMS
    },
    **{
        f"Python below a worker, by {how}": Way(
            build=lambda parts, how=how: parts.worker("carrier", parts.composed_tool(how))
        )
        for how in CALL_FORMS
    },
}


def build_app(way: Way, check: Check, say: Say) -> tuple[App, AnyCallee, dict[str, Any]]:
    """The application of a way and a check; the callee that is called from outside, and with what."""
    parts = Parts(check, say)
    top, arguments = way.build(parts), way.arguments
    if check.is_fenced:
        top, arguments = parts.fencing_worker(top, arguments), PROMPT
    desk = parts.agent(DESK, *dict.fromkeys((top, parts.work)), arguments=arguments)
    env = Env()
    tools = tuple(dict.fromkeys((top, parts.work, *parts.steps)))
    return App(name="door", agents=(desk,), tools=tools, env=env, layers=parts.probe("run", "run")), top, arguments


def app() -> App:
    """The application that the environment names, for the command line."""
    way, check = json.loads(os.environ["DOOR_WAY"])

    def say(line: str) -> None:
        with Path(os.environ["DOOR_LOG"]).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    return build_app(WAYS[way], CHECKS[check], say)[0]


def _call_once(name: str, arguments: dict[str, Any]) -> Callable[[ChatRequest], Any]:
    """Call once, and then be done: whichever agent has the conversation."""

    def line(request: ChatRequest) -> Any:
        called = any(f'"{name}"' in text and '"role":"assistant"' in text[:40] for text in request.history)
        return "done" if called else calls((name, arguments))

    return line


def _call_once_by_pydantic_ai(
    name: str, arguments: dict[str, Any]
) -> Callable[[list[ModelMessage], AgentInfo], ModelResponse]:
    def answer(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        if any(isinstance(message, ModelResponse) for message in messages):
            return ModelResponse([TextPart("done")])
        return ModelResponse([ToolCallPart(name, json.dumps(arguments), f"call_{name}")])

    return answer
