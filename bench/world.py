"""What is measured: one tool, an agent that calls it each turn, the default layers, and the floor beneath it all."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter

from remit import (
    Agent,
    App,
    Block,
    Effect,
    LeafContext,
    Policy,
    Principal,
    Runtime,
    Stack,
    Timeout,
    Tool,
    When,
    preset,
    tool,
)
from remit.agent.limits import AgentLimits
from remit.app import Env
from remit.call.call import Call
from remit.chat.chat import completion_from_message, encode_message
from remit.journal.ledger import RunLedger
from remit.journal.memory import InMemoryStore
from remit.journal.ports import Store
from remit.journal.sql.store import SqlStore
from remit.layers import Budget, CallLayer, CallService
from remit.messages import ChatRequest, Completion
from remit.models import Model
from remit.policies import Egress, HighRisk
from remit.record.arguments import Limits, parse_arguments
from remit.record.principal import Caller
from remit.testing import calls

PERSON = Principal("ada", permissions=frozenset({"notes:read"}))
RAW = '{"title":"hello world","number":7,"tags":["a","b","c"]}'


class Note(BaseModel):
    """What the measured tool takes."""

    title: str
    number: int
    tags: list[str]


class Saved(BaseModel):
    """What it gives."""

    title: str
    number: int


async def save(note: Note) -> Saved:
    """Save a note: the floor that a call is compared with."""
    return Saved(title=note.title, number=note.number)


async def save_with_context(_ctx: LeafContext, note: Note) -> Saved:
    """Save a note. A tool may take a context."""
    return Saved(title=note.title, number=note.number)


async def save_with_key(ctx: LeafContext, note: Note) -> Saved:
    """Save a note, and read the key of the call, as a keyed tool must."""
    if not ctx.key:
        raise RuntimeError("a call without a key")
    return Saved(title=note.title, number=note.number)


def measured_tool(effect: Effect, *, empty_layers: int = 0) -> Tool[[Note], Saved]:
    """The tool, with a timeout as the default stack has it, and ``empty_layers`` that do nothing."""
    body = save_with_key if effect is Effect.KEYED else save_with_context
    made = tool(body, name="save", effect=effect, permissions={"notes:read"}).layer(Timeout(30.0))
    for _ in range(empty_layers):
        made = made.layer(EmptyLayer())
    return made


class EmptyLayer(CallLayer):
    """A layer that does nothing."""

    def __call__(self, inner: CallService, /) -> CallService:
        """A service that only awaits ``inner``."""
        return _PassThrough(inner).__call__


class _PassThrough:
    __slots__ = ("_inner",)

    def __init__(self, inner: CallService) -> None:
        self._inner = inner

    async def __call__(self, call: Call, /) -> Any:
        return await self._inner(call)


def layers() -> Stack[CallLayer]:
    """The default run layers, with three approval rules."""
    policy = Policy.only(HighRisk(), Egress(), When("never", lambda call: not call.id, Block(reason="never")))
    return preset(Env(), policy=policy, budget=Budget(calls=10**9))


class ToolCallingModel:
    """A model that calls the tool ``wide`` times in each of ``turns`` turns, at almost no cost of its own."""

    def __init__(self, turns: int, *, wide: int = 1) -> None:
        self._turns = turns
        self._texts = [_turn_text(turn, wide) for turn in range(1, turns + 1)]
        self._completions = [completion_from_message(text, model="bench") for text in self._texts]
        self._last = completion_from_message(encode_message({"role": "assistant", "content": "done"}), model="bench")

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """The completion of this turn."""
        return self._completions[request.turn - 1] if request.turn <= self._turns else self._last


def _turn_text(turn: int, wide: int) -> str:
    message = calls(*[("save", RAW.replace("7", str(turn * 1000 + i))) for i in range(wide)])
    for index, call in enumerate(message["tool_calls"]):
        call["id"] = f"call_{turn}_{index}"
    return encode_message({"role": "assistant", **message})


def runtime(
    model: Model,
    *,
    callee: Tool[..., Any] | None = None,
    effect: Effect = Effect.PURE,
    store: Store | None = None,
    turns: int = 1,
) -> Runtime:
    """A runtime with ``callee``, else the measured tool, and an agent that may take ``turns`` turns and one more."""
    agent = Agent(
        "bench",
        instructions="Save notes.",
        tools=[callee or measured_tool(effect)],
        limits=AgentLimits(turns=turns + 1),
        parallel=50,
    )
    return Runtime(App(name="bench", agents=(agent,)), model=model, layers=layers(), store=store)


def sql_store(folder: Path) -> SqlStore:
    """A durable store on this machine's disk."""
    return SqlStore.at(folder / "journal.db")


async def time_calls(service: CallService, callee: Tool[..., Any], count: int) -> float:
    """CPU seconds for ``count`` calls from raw arguments through the whole onion, items hashed into a journal."""
    store = InMemoryStore()
    epoch = (await store.acquire("run", "bench", 1e9)).epoch
    ledger = RunLedger(store, "run", epoch, clock=time.time, on_stored=lambda _positions: None)
    caller = Caller("run", "bench", "parent", 1, PERSON)
    limits = Limits()
    started = time.process_time()
    for number in range(count):
        reply = await service(Call(f"call-{number}", callee, parse_arguments(RAW, limits), caller, ledger))
        if reply.outcome != "ok":
            raise RuntimeError(reply.content)
    await ledger.flush()
    return time.process_time() - started


async def time_floor(count: int) -> float:
    """CPU seconds for the floor: pydantic-core parses the arguments, a plain async function, its result written."""
    notes, saved = TypeAdapter(Note), TypeAdapter(Saved)
    started = time.process_time()
    for _ in range(count):
        saved.dump_json(await save(notes.validate_json(RAW)))
    return time.process_time() - started


async def minimum_of(measure: Callable[[], Awaitable[float]], times: int) -> float:
    """The least of several measurements: what the machine does when nobody disturbs it."""
    return min([await measure() for _ in range(times)])
