"""Workers to test with: models that answer by a script, tools that write to a small world, and what was journaled."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from remit import Agent, App, Effect, LeafContext, Risk, Runtime, Stack, Tool, tool
from remit.journal.ports import Store
from remit.layers import Budget, CallLayer, Reply
from remit.models import Model
from remit.record.items import Item
from remit.stores import InMemoryStore
from remit.testing import superuser
from remit.tools import Callee
from remit.workers import AnyModel, WorkerDefinition, build_agent
from tests.runtime.kit import find_superuser

Kind = TypeVar("Kind", bound=Item)

Line = str | ModelResponse | Sequence[ModelResponsePart] | Callable[[list[ModelMessage]], "Line"] | BaseException


class Found(BaseModel):
    """What a worker that gives no text gives."""

    page: str
    words: int


class Script:
    """A model of PydanticAI whose n-th answer of a conversation is the n-th line."""

    def __init__(self, *lines: Line) -> None:
        self._lines = lines
        self.requests: list[list[ModelMessage]] = []
        self.told: list[AgentInfo] = []
        self.model = FunctionModel(self._answer, model_name="script")

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.requests.append(messages)
        self.told.append(info)
        line = self._lines[sum(isinstance(message, ModelResponse) for message in messages)]
        while callable(line):
            line = line(messages)
        if isinstance(line, BaseException):
            raise line
        if isinstance(line, ModelResponse):
            return line
        return ModelResponse([TextPart(line)] if isinstance(line, str) else list(line))


def call(name: str, arguments: str | dict[str, Any] = "{}", wire: str = "") -> ToolCallPart:
    """A call that a model wants; its id is its name where none is given."""
    return ToolCallPart(name, arguments, wire or f"call_{name}")


def found(page: str = "about", words: int = 3) -> list[ToolCallPart]:
    """The answer by which a model gives a `Found`."""
    return [call("final_result", {"page": page, "words": words})]


def instructions_of(messages: Sequence[ModelMessage]) -> str:
    """The system message of a request; empty if it has none."""
    first = messages[0].parts[0]
    return first.content if isinstance(first, SystemPromptPart) else ""


def prompts_of(messages: Sequence[ModelMessage]) -> list[Any]:
    """The contents of the user's messages in the first request."""
    return [part.content for part in messages[0].parts if isinstance(part, UserPromptPart)]


def read_of(messages: Sequence[ModelMessage]) -> list[str]:
    """What the model read of its calls, in order."""
    parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
    return [part.model_response_str() for part in parts if isinstance(part, ToolReturnPart)]


def worker_of(
    model: AnyModel | None,
    *tools: Callee[..., Any],
    name: str = "worker",
    workers: Sequence[Agent] = (),
    parallel: int = 8,
    **said: Any,
) -> Agent:
    """A worker that may call ``tools`` and ``workers``."""
    names, below = tuple(tool.name for tool in tools), tuple(each.name for each in workers)
    known: dict[str, Any] = {"prompt": "Do as you are told.", "tools": names, "workers": below}
    definition = WorkerDefinition(name=name, **(known | said))
    team = {each.name: each for each in workers}
    return build_agent(definition, tools=tools, workers=team, model=model, parallel=parallel)


def runtime_of(
    *callees: Callee[..., Any],
    store: Store | None = None,
    layers: Stack[CallLayer] | None = None,
    budget: Budget | None = None,
    model: Model | None = None,
    clock: Callable[[], float] = time.time,
    app: str = "test",
) -> Runtime:
    """A runtime of an application without an agent of its own."""
    return Runtime(
        App(name=app, tools=callees, budget=budget),
        store=store or InMemoryStore(clock),
        directory=find_superuser,
        layers=layers,
        model=model,
        clock=clock,
    )


async def filed(store: Store, run: str, kind: type[Kind]) -> list[Kind]:
    """The items of a kind that the journal holds of a run."""
    return [position.item for position in await store.read(run) if isinstance(position.item, kind)]


async def outcome_of(worker: Agent, *args: Any, layers: Stack[CallLayer] | None = None, **kwargs: Any) -> Reply:
    result = await runtime_of(worker, layers=layers).call(worker, superuser(), *args, **kwargs)
    assert result.reply is not None
    return result.reply


Calls = list[tuple[str, str, int, tuple[str, ...]]]


def seeing(seen: Calls, name: str = "look", risk: Risk = Risk.SAFE) -> Tool[[], str]:
    """A tool that remembers who called it, from which call, how deep, below whom."""

    @tool(name=name, effect=Effect.KEYED, risk=risk)
    async def look(ctx: LeafContext) -> str:
        """Look."""
        seen.append((ctx.caller.agent, ctx.caller.call, ctx.caller.depth, ctx.caller.path))
        return f"{name} saw"

    return look


async def value_of(callee: Callee[..., Any], *args: Any, beside: Sequence[Callee[..., Any]] = (), **kwargs: Any) -> Any:
    return (await runtime_of(callee, *beside).call(callee, superuser(), *args, **kwargs)).value()
