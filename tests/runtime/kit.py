"""An application that writes to a small world, a clock to set, and a store whose process can die."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from remit import Agent, App, Effect, LeafContext, Policy, Principal, Risk, Runtime, Stack, Tool, tool
from remit.journal.ports import AcquiredLease, AppendFuture, Store
from remit.layers import Budget, CallLayer
from remit.models import Model
from remit.record.items import Item, Position, RunStalled
from remit.record.ledger import Consumption
from remit.runtime import PrincipalDirectory, RunResult
from remit.stores import InMemoryStore
from remit.testing import Scripted, superuser

AnyTool = Tool[..., Any]


class Clock:
    """Seconds since the epoch, which pass when a test says so."""

    def __init__(self, now: float = 1_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class World:
    """What tools did to the world. ``ran`` counts bodies, ``done`` holds effects by their idempotency key."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.done: dict[str, str] = {}

    def write(self, name: str = "write", effect: Effect = Effect.KEYED, risk: Risk = Risk.SAFE) -> Tool[[str], str]:
        """A tool that writes once for each key, as a database would."""

        @tool(name=name, effect=effect, risk=risk)
        async def write(ctx: LeafContext, text: str) -> str:
            """Write a text."""
            self.ran.append(text)
            self.done.setdefault(ctx.key, text)
            return f"wrote {text}"

        return write

    @property
    def texts(self) -> list[str]:
        """The effects, in order."""
        return list(self.done.values())


class Crash(BaseException):
    """The process died here."""


class Mortal(InMemoryStore):
    """A store whose process dies at its n-th append: before it is stored, or after. What was stored stays.

    A run that is opened with its lease is its first append.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._left: int | None = None
        self._after = False
        self.dead = False

    def die_at(self, append: int, *, after: bool) -> None:
        """Die at that append from now on, counted from 1."""
        self._left, self._after = append, after

    def revive(self) -> None:
        """A new process comes to the same data."""
        self._left, self.dead = None, False

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        with self._writing():
            return super().append(run, epoch, items, consumption)

    def acquire(
        self, run: str, executor: str, seconds: float, after: int = -1, opening: Sequence[Position] = ()
    ) -> Awaitable[AcquiredLease]:
        with self._writing() if opening else nullcontext():
            return super().acquire(run, executor, seconds, after, opening)

    @contextmanager
    def _writing(self) -> Generator[None]:
        if self.dead:
            raise Crash
        if self._left is not None:
            self._left -= 1
        if self._left != 0:
            yield
            return
        self.dead = True
        if self._after:
            yield
        raise Crash

    async def release(self, run: str, epoch: int) -> None:
        if not self.dead:
            await super().release(run, epoch)


def find_superuser(name: str, tenant: str) -> Principal:
    """A directory in which each principal holds all permissions."""
    return superuser(name=name, tenant=tenant)


def runtime_of(
    model: Model,
    *tools: AnyTool,
    store: Store | None = None,
    clock: Callable[[], float] = time.time,
    directory: PrincipalDirectory | None = find_superuser,
    layers: Stack[CallLayer] | None = None,
    policy: Policy | None = None,
    budget: Budget | None = None,
    instructions: str = "Work.",
    parallel: int = 8,
    app: str = "test",
) -> Runtime:
    """A runtime of an application with one agent."""
    agent = Agent("agent", instructions=instructions, tools=tools, parallel=parallel)
    made = App(name=app, agents=(agent,), policy=policy, budget=budget)
    return Runtime(made, model=model, store=store, clock=clock, directory=directory, layers=layers)


async def loosen(runtime: Runtime, run: str) -> None:
    """Let a run continue in a process that lacks terms of it, as a person with the right."""
    stalls = [item for item in (await runtime.resume(run)).items if isinstance(item, RunStalled)]
    (row,) = await runtime.store.list_runs()
    await runtime.loosen(run, without=stalls[-1].lacks, by=superuser(name="eve", tenant=row.tenant), reason="a test")


async def items_of(store: Store, run: str) -> list[Item]:
    """What the journal holds of a run."""
    return [position.item for position in await store.read(run)]


async def tool_messages(runtime: Runtime, run: str) -> list[str]:
    """The contents of the tool messages of a run, in order."""
    messages = [json.loads(text) for text in await runtime.history(run)]
    return [message["content"] for message in messages if message["role"] == "tool"]


def last_reply(model: Scripted) -> dict[str, Any]:
    """What the model read last, from JSON."""
    return json.loads(json.loads(model.requests[-1].history[-1])["content"])


def code_of(result: RunResult[Any]) -> str:
    """The code of the error with which a run has failed."""
    assert result.reply is not None
    assert result.reply.error is not None
    return result.reply.error.code
