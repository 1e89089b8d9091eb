"""A tree three deep: an agent calls a worker, that calls a worker, and the innermost tool asks a person."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, Field
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from remit import Agent, App, Context, Effect, LeafContext, Principal, Risk, Runtime, Tool, tool
from remit.agent.prompt import Prompt
from remit.journal.ports import Store
from remit.testing import Scripted, calls
from remit.workers import WorkerDefinition, build_agent

PERSON: Final = Principal("ada", permissions=frozenset({"*"}))
DONE: Final = "all done"

EffectRecorder = Callable[[str, str], None]
"""Is told what happens in the world: which tool, under which key."""


class Entry(BaseModel):
    """What the inner worker gives."""

    amount: int
    note: str = ""


class DescribedEntry(BaseModel):
    """What the inner worker gives."""

    amount: int = Field(description="In cents")
    note: str = ""


class LongEntry(Entry):
    """What the inner worker gives."""

    paid: bool = False


class LongPrompt(Prompt):
    """What the inner worker is asked."""

    tone: str = ""


@dataclass(frozen=True)
class Code:
    """The code of the application, as far as it may change between a run and its replay."""

    instructions: str = "You keep the books."
    lead: str = "You lead. {% include 'tone' %}"
    tone: str = "Be careful."
    mate: str = "You enter what you are told: {{ prompt }}"
    mate_description: str = "Enters amounts."
    input_model: type[Prompt] = Prompt
    output: type[BaseModel] = Entry
    tool_description: str = "Add an amount to the books."
    default: int = 1
    extra_parameter: bool = False
    passed_on: int = 5
    order: tuple[int, ...] = (1, 2)
    tools: tuple[int, ...] = (0, 1)
    result: str = "booked"
    provider_tool: Literal["", "web_search"] = ""
    prompt_suffix: Callable[[], str] = lambda: ""


def make_runtime(code: Code, store: Store, record_effect: EffectRecorder, *, asks: bool = True) -> Runtime:
    """A runtime of the application; where it does not ``ask``, its models refuse to say anything."""
    tools = _tools(code, record_effect)
    mate = _mate(code, tools, asks=asks)
    lead = WorkerDefinition(
        name="lead", prompt=code.lead, includes={"tone": code.tone}, workers=("mate",), delegates=_BELOW
    )
    turns = [[("mate", '{"prompt":"seven"}'), ("mate", '{"prompt":"eight"}')], [("mate", '{"prompt":"nine"}')]]
    leading = build_agent(lead, workers={"mate": mate}, model=_model([*turns, "led"], asks=asks))
    lines = [calls(("lead", {"prompt": "enter them"})), DONE] if asks else [RuntimeError("asked")]
    agent = Agent("agent", instructions=code.instructions, tools=[leading], model=Scripted(lines))
    made = Runtime(App(name="tree", agents=(agent,), tools=tools), store=store)
    made.add_principals(PERSON)
    return made


def effect_writer(folder: Path) -> EffectRecorder:
    """Writes what happens into a file of a folder, line by line, so that it outlives any process."""

    def happen(name: str, key: str) -> None:
        handle = os.open(folder / "effects.log", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        os.write(handle, f"{name} {key}\n".encode())
        os.close(handle)

    return happen


_BELOW: Final = ("add", "book", "erase")


def _mate(code: Code, tools: tuple[Tool[..., Any], ...], *, asks: bool) -> Agent:
    definition = WorkerDefinition(
        name="mate",
        description=code.mate_description,
        prompt=code.mate + code.prompt_suffix(),
        input=code.input_model,
        output=code.output,
        tools=tuple(tools[index].name for index in code.tools),
        delegates=("book",),
        builtin_tools=(code.provider_tool,) if code.provider_tool else (),
    )
    turns = [[("add", '{"number":3}'), ("erase", '{"number":4}')], [("final_result", '{"amount":3}')]]
    return build_agent(definition, tools=tools, model=_model(turns, asks=asks))


def _tools(code: Code, record_effect: EffectRecorder) -> tuple[Tool[..., Any], ...]:
    @tool(effect=Effect.KEYED)
    async def book(ctx: LeafContext, amount: int) -> str:
        """Book an amount."""
        record_effect("book", ctx.key)
        return f"booked {amount}"

    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
    async def erase(ctx: LeafContext, number: int) -> str:
        """Erase a line, after a person has agreed."""
        record_effect("erase", ctx.key)
        return f"erased {number}"

    async def add(ctx: Context, number: int = code.default) -> str:
        for each in code.order:
            await ctx.call(book, number * each * code.passed_on)
        return code.result

    async def add_more(ctx: Context, number: int = code.default, more: int = 0) -> str:
        return await add(ctx, number + more)

    body = add_more if code.extra_parameter else add
    return tool(body, name="add", description=code.tool_description, effect=Effect.COMPOSED), erase, book


def _model(turns: list[Any], *, asks: bool) -> FunctionModel:
    """A model whose n-th answer is the n-th of ``turns``: calls, or a text."""

    def answer(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        if not asks:
            raise RuntimeError("asked")
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        said = turns[turn]
        if isinstance(said, str):
            return ModelResponse([TextPart(said)])
        return ModelResponse([ToolCallPart(name, given, f"call_{turn}_{at}") for at, (name, given) in enumerate(said)])

    return FunctionModel(answer)
