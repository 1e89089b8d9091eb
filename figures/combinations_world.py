"""A bank whose payments pass a combination of layers: who saw which result, what happened, and who approved it.

The slip of a payment is too large for the journal, so the model passes it on by reference, like the person's file. The
run has a target, for which alone the person may pay, and a typed result, which is corrected once. In every other bank
the clerk's history is compacted before each request, a run before this one has left something to remember, the clerk's
model searches its tools, and a reader follows the run over all processes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Coroutine, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import BaseModel

from figures.by_turn import Streamed, answer_by_turn
from figures.combinations_layers import CARD, MAKERS, asks_about
from figures.followed import execute_followed
from figures.scout import SCOUT, SCOUTING
from figures.stream_world import Reader
from remit import (
    Agent,
    App,
    Ask,
    Block,
    Context,
    Effect,
    LeafContext,
    Policy,
    Principal,
    Runtime,
    Stack,
    When,
    tool,
)
from remit.agent import Compaction, ToolSearch, WorkingMemory
from remit.app import Env
from remit.artifacts import Artifact, PromptWithFiles, RunArtifacts
from remit.errors import CallError, ExternalError
from remit.layers import (
    AgentLayer,
    Approve,
    CallLayer,
    ModelLayer,
    Validate,
)
from remit.messages import ChatRequest, Completion
from remit.record.arguments import Limits
from remit.record.artifact import ArtifactScope, digest_of
from remit.runtime import RunResult
from remit.testing import calls, superuser
from tests.runtime.kit import Clock, Mortal

TARGET: Final = "bakery/main"
RUN: Final = "run"
PERSON: Final = superuser("bank:write@bakery/*", name="ada")
INVOICE: Final = b"an invoice"
"""The person's file."""

SLIP: Final = "paid " * 400
"""What makes the result of a payment too large for the journal."""


class Receipt(BaseModel):
    """What the clerk gives."""

    status: str
    payments: int


DONE: Final = Receipt(status="done", payments=2)
_INVALID: Final = '{"status":"done"}'


Placed = tuple[str, str]
"""The name of a layer and its scope: run, agent or tool."""


@dataclass(slots=True)
class World:
    """What happened, over all processes: what each call paid, how often it ran, and what Python code saw."""

    paid: dict[str, int] = field(default_factory=dict[str, int])
    runs: dict[str, int] = field(default_factory=dict[str, int])
    shipped: list[str] = field(default_factory=list[str])
    shipped_calls: list[str] = field(default_factory=list[str])
    seen: list[str] = field(default_factory=list[str])
    targets: set[str] = field(default_factory=set[str])
    kept: set[str] = field(default_factory=set[str])
    reader: Reader = field(default_factory=Reader)
    processes: int = 0
    fails: bool = False
    is_long: bool = False


class BankStore(Mortal):
    """A store that tells which contents it was given."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.contents: dict[str, bytes] = {}

    async def add_artifact(self, digest: str, owner: ArtifactScope, content: bytes | None) -> None:
        """Add an artifact."""
        self.contents |= {digest: content} if content is not None else {}
        await super().add_artifact(digest, owner, content)


_WORLD: Final[ContextVar[World]] = ContextVar("figures_combinations_world")


async def _pay(ctx: LeafContext, cents: int) -> dict[str, str]:
    """Pay an amount."""
    world = _WORLD.get()
    world.targets.add(ctx.caller.target)
    if world.fails and ctx.key not in world.paid:
        world.paid[ctx.key] = 0
        raise ExternalError("busy")
    world.paid[ctx.key] = cents
    world.runs[ctx.key] = world.runs.get(ctx.key, 0) + 1
    return {"card": CARD, "cents": str(cents), "slip": SLIP}


_WRITES: Final = frozenset({"bank:write"})
PAY: Final = {
    effect: tool(name="pay", effect=effect, risk="safe", permissions=_WRITES)(_pay)
    for effect in (Effect.KEYED, Effect.UNSAFE)
}


@tool(effect=Effect.UNSAFE, risk="safe", permissions=_WRITES)
async def ship(ctx: LeafContext, to: str) -> str:
    """Ship to the holder of a card."""
    _WORLD.get().targets.add(ctx.caller.target)
    _WORLD.get().shipped.append(to)
    _WORLD.get().shipped_calls.append(ctx.key)
    return f"shipped to {to}"


@tool(effect=Effect.COMPOSED)
async def settle(ctx: Context) -> str:
    """Pay and ship."""
    try:
        paid: Any = await ctx.call("pay", cents=7)
    except CallError as error:
        paid = {"card": error.code}
    _WORLD.get().seen.append(json.dumps(paid))
    return await ctx.call(ship, paid["card"])


@tool(effect=Effect.KEYED, risk="safe", permissions=_WRITES)
async def keep(ctx: LeafContext, file: Artifact) -> str:
    """Keep a file."""
    content = await RunArtifacts().read(file)
    _WORLD.get().targets.add(ctx.caller.target)
    _WORLD.get().kept.add(digest_of(content))
    return f"kept {len(content)}"


def _plain(request: ChatRequest) -> str:
    """All that the model reads, without the marks of JSON in JSON."""
    return "".join(request.history).replace("\\", "")


class Bank:
    """One process of the bank. Others share its store and world."""

    def __init__(self, placed: Sequence[Placed], effect: Effect, store: Mortal, clock: Clock, world: World) -> None:
        self.world = world
        world.processes += 1
        self._remark = f"This is process {world.processes}."
        _WORLD.set(world)
        world.fails = effect is Effect.KEYED and any(name in ("Retry", "retrying") for name, _ in placed)
        by_scope: dict[str, list[CallLayer]] = {"run": [], "agent": [], "tool": []}
        around_model: list[AgentLayer] = []
        for number, (name, scope) in enumerate(placed):
            layer = Approve(Env(), policy=asks_about(f"rule {number}")) if name == "Approve" else MAKERS[name]()
            if isinstance(layer, ModelLayer):
                around_model.append(layer)
            else:
                by_scope[scope].append(layer.where(tools={"pay"}) if scope != "tool" else layer)
        pay = PAY[effect].layer(Stack[CallLayer](*by_scope["tool"]))
        is_native = effect is Effect.KEYED
        clerk = Agent(
            "clerk",
            instructions="Pay.",
            tools=[pay, settle, ship, keep],
            input=PromptWithFiles,
            output=Receipt,
            output_mode="native" if is_native else "tool",
            compaction=Compaction(tokens=300, keep=150) if world.is_long else None,
            memory=WorkingMemory(),
            tool_search=ToolSearch(above=2, limit=3, always=["keep"]) if world.is_long else None,
        )
        results: list[Any] = [" " * world.processes + each for each in (_INVALID, DONE.model_dump_json())]
        results = results if is_native else [calls(("final_result", each), content=self._remark) for each in results]
        searches = [calls(("search_tools", {"query": "pay, settle, ship"}))] if world.is_long else []
        self._script = [*searches, calls(("pay", {"cents": 500})), self._settle_and_keep, *results]
        clerk = clerk.layer(Stack[AgentLayer](*around_model, *by_scope["agent"]))
        ships = Policy.only(
            When("elsewhere", lambda call: call.caller.target != TARGET, Block(reason="another bank"), version="1"),
            When("ships", lambda call: call.callee.name == "ship", Ask(reason="far"), version="1"),
        )
        approve_ships = Approve(Env(), policy=ships).where(tools={"ship"})
        self.runtime = Runtime(
            App(name="bank", agents=(clerk, SCOUT), limits=Limits(output_bytes=1024)),
            store=store,
            clock=clock,
            directory=_find_principal,
            model=Streamed(self._answer),
            layers=Stack[CallLayer](Validate(), approve_ships, *by_scope["run"]),
            make_run_id=lambda: self._run_id,
        )
        self._run_id = RUN

    async def start(self) -> RunResult[Any]:
        """Begin the run for the target, with the person's file."""
        conversation = "c" if self.world.is_long else ""
        if conversation:
            self._run_id = "scouting"
            await self.runtime.run("Look.", by=PERSON, agent="scout", target=TARGET, conversation=conversation)
            self._run_id = RUN
        file = await self.runtime.artifacts.add(INVOICE, by=PERSON, name="invoice.txt")
        return await self._execute(
            self.runtime.run("Pay.", by=PERSON, agent="clerk", files=[file], target=TARGET, conversation=conversation)
        )

    async def resume(self) -> RunResult[Any]:
        """Go on with the run."""
        return await self._execute(self.runtime.resume(RUN))

    async def _execute(self, execution: Coroutine[Any, Any, RunResult[Any]]) -> RunResult[Any]:
        """Execute the run, before the reader's eyes if it is long."""
        if not self.world.is_long:
            return await execution
        return await execute_followed(self.runtime.store, RUN, self.world.reader, execution)

    def _settle_and_keep(self, request: ChatRequest) -> dict[str, Any]:
        """Settle, and keep what the messages so far refer to: the person's file, and the slip if there is one."""
        found = re.findall(
            r'"digest":"(sha256:[0-9a-f]{64})","size":(\d+),"media_type":"([a-z/]+)","name":"([^"]*)"', _plain(request)
        )
        files = [dict(zip(("digest", "size", "media_type", "name"), each, strict=True)) for each in found]
        return calls(
            ("settle", {}),
            *(("keep", {"file": each | {"size": int(each["size"])}}) for each in files),
            content=self._remark,
        )

    async def _answer(self, request: ChatRequest, /) -> Completion:
        is_scout = '"content":"Scout."' in request.history[0]
        return await answer_by_turn(SCOUTING if is_scout else self._script, request)


def _find_principal(name: str, tenant: str) -> Principal:
    """The person, and others who may do everything."""
    return PERSON if name == PERSON.name else superuser(name=name, tenant=tenant)
