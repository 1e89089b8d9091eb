"""The world of the crash sweep: tools of every effect class, whose effects are lines in a file opened O_APPEND.

An agent calls them, alone or nested: by tools that call others, or by workers that call workers.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final, Literal

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from remit import Agent, App, Context, Effect, LeafContext, Principal, Risk, Runtime, Tool, tool
from remit.errors import ModelBusyError
from remit.journal.crashpoint import crashpoint
from remit.journal.sql.store import SqlStore
from remit.messages import ChatRequest, Completion
from remit.testing import Scripted, calls
from remit.workers import WorkerDefinition, build_agent

PERSON = Principal("judge", permissions=frozenset({"*"}))
DONE = "all done"
LEAVES: Final = ("look", "put", "pay", "send", "erase")
Script = Literal["flat", "nested", "workers", "stalled"]


class World:
    """The file that tells what really happened, and tools that write to it."""

    def __init__(self, home: Path, script: Script) -> None:
        self.home = home
        self.log = home / "effects.log"
        self._outage = home / "outage"
        self.tools = self._tools()
        self._script: Script = script

    def runtime(self, store: SqlStore) -> Runtime:
        """A runtime over the tools, with a script that calls them all."""
        lead = (_lead(self.tools),) if self._script == "workers" else ()
        agent = Agent("agent", instructions="Work.", tools=(*self.tools, *lead))
        return Runtime(App(name="sweep", agents=(agent,)), store=store, model=self._answer, make_run_id=lambda: "run")

    def begin_outage(self) -> None:
        """Let the model fail each request but the first of an agent, until the outage ends."""
        self._outage.touch()

    def end_outage(self) -> bool:
        """Let the model answer again; return whether there was an outage."""
        is_out = self._outage.exists()
        self._outage.unlink(missing_ok=True)
        return is_out

    async def _answer(self, request: ChatRequest, /) -> Completion:
        if self._outage.exists() and any('"role":"assistant"' in each for each in request.history):
            raise ModelBusyError("429", retry_after=3600)
        return await Scripted(_SCRIPTS[self._script])(request)

    def read_effects(self) -> list[tuple[str, str]]:
        """What happened, in order: tool and key."""
        if not self.log.exists():
            return []
        return [(line.split()[0], line.split()[1]) for line in self.log.read_text().splitlines()]

    def append(self, name: str, key: str) -> None:
        """Make an effect happen: a line in the file."""
        crashpoint(f"before {name}")
        handle = os.open(self.log, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        os.write(handle, f"{name} {key}\n".encode())
        os.close(handle)
        crashpoint(f"after {name}")

    def _tools(self) -> tuple[Tool[..., Any], ...]:
        append = self.append

        @tool(effect=Effect.PURE)
        async def look(ctx: LeafContext, number: int) -> str:
            """Look at something."""
            append("look", ctx.key)
            return f"saw {number}"

        @tool(effect=Effect.IDEMPOTENT)
        async def put(ctx: LeafContext, number: int) -> str:
            """Set a file to a value."""
            (self.home / f"state-{number}").write_text(str(number))
            append("put", ctx.key)
            return f"put {number}"

        @tool(effect=Effect.KEYED)
        async def pay(ctx: LeafContext, number: int) -> str:
            """Pay once for a key."""
            append("pay", ctx.key)
            return f"paid {number}"

        @tool(effect=Effect.UNSAFE)
        async def send(ctx: LeafContext, number: int) -> str:
            """Send something that cannot be taken back."""
            append("send", ctx.key)
            return f"sent {number}"

        @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
        async def erase(ctx: LeafContext, number: int) -> str:
            """Erase something, after a person has agreed."""
            append("erase", ctx.key)
            return f"erased {number}"

        @tool(effect=Effect.COMPOSED)
        async def both(ctx: Context, number: int) -> str:
            """Pay and send, by other calls."""
            paid = await ctx.call(pay, number)
            return f"{paid}, {await ctx.call(send, number)}"

        @tool(effect=Effect.COMPOSED)
        async def tree(ctx: Context, number: int) -> str:
            """Do both, twice, and erase: three levels deep."""
            first = await ctx.call(both, number)
            second = await ctx.call(both, number + 1)
            return f"{first}; {second}; {await ctx.call(erase, number)}"

        return look, put, pay, send, erase, both, tree


def _lead(tools: tuple[Tool[..., Any], ...]) -> Agent:
    """A worker that calls tools and another worker at once, which calls all of the tools."""
    leaves = [tool for tool in tools if tool.name in LEAVES]
    below = [(name, f'{{"number":{number}}}') for number, name in enumerate(LEAVES, 30)]
    mate = _worker("mate", leaves, [below, [("pay", '{"number":36}')]])
    above = [("mate", '{"prompt":"on"}'), ("send", '{"number":40}'), ("pay", '{"number":41}'), ("put", '{"number":42}')]
    return _worker("lead", leaves, [above, [("send", '{"number":43}')]], mate)


def _worker(name: str, tools: list[Tool[..., Any]], turns: list[list[tuple[str, str]]], *workers: Agent) -> Agent:
    def answer(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn == len(turns):
            return ModelResponse([TextPart(f"{name} is done")])
        return ModelResponse([ToolCallPart(*wanted, f"{name}_{turn}_{i}") for i, wanted in enumerate(turns[turn])])

    team = {each.name: each for each in workers}
    definition = WorkerDefinition(
        name=name, prompt="Work.", tools=tuple(tool.name for tool in tools), workers=tuple(team)
    )
    return build_agent(definition, tools=tools, workers=team, model=FunctionModel(answer))


_FLAT: Final = calls(
    ("look", {"number": 1}),
    ("put", {"number": 2}),
    ("pay", {"number": 3}),
    ("send", {"number": 4}),
    ("erase", {"number": 5}),
    ("both", {"number": 6}),
)
_SCRIPTS: Final[dict[Script, list[Any]]] = {
    "flat": [_FLAT, calls(("pay", {"number": 3})), DONE],
    "nested": [calls(("tree", {"number": 10}), ("send", {"number": 20}), ("tree", {"number": 30})), DONE],
    "stalled": [_FLAT, calls(("send", {"number": 7}), ("pay", {"number": 8})), DONE],
    "workers": [calls(("lead", {"prompt": "go"}), ("send", {"number": 20})), DONE],
}
