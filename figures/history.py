"""A run is cut at every point there is, by a cancel, an error or a crash: histories stay valid, each call ends once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from figures.figure import Figure, no_violations
from remit import Agent, App, Context, Effect, LeafContext, Principal, Runtime, Stack, tool
from remit.errors import ModelError
from remit.journal.ports import AppendFuture
from remit.layers import CallLayer
from remit.record.items import Position, ToolOutput
from remit.record.ledger import Consumption
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls
from remit.testing.history_check import history_errors

PERSON = Principal("ada", permissions=frozenset({"*"}))
NO_LAYERS: Stack[CallLayer] = Stack()


class ProcessDied(BaseException):
    """The process is gone."""


class DyingStore(InMemoryStore):
    """A store that dies at its ``at``-th append, once: before it is stored, or after."""

    def __init__(self, at: int, *, stored: bool) -> None:
        super().__init__(clock=lambda: 0.0)
        self.left = at
        self._stored = stored
        self.dead = False

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        """Append, unless it is time to die."""
        self.left -= 1
        if self.dead or (self.left == 0 and not self._stored):
            self.dead = True
            raise ProcessDied
        stored = super().append(run, epoch, items, consumption)
        if self.left == 0:
            self.dead = True
            raise ProcessDied
        return stored

    def revive(self) -> None:
        """Another process opens the store."""
        self.dead = False

    async def release(self, run: str, epoch: int) -> None:
        """Let the lease go: the dead hold none."""
        self._runs[run].leased_until = 0.0


@tool(effect=Effect.KEYED)
async def slow(_ctx: LeafContext, number: int) -> int:
    """Do something in several steps."""
    for _ in range(number):
        await asyncio.sleep(0)
    return number


@tool(effect=Effect.PURE)
async def fail(number: int) -> int:
    """Fail."""
    await asyncio.sleep(0)
    raise ValueError(str(number))


@tool(effect=Effect.COMPOSED)
async def pair(ctx: Context, number: int) -> int:
    """Call two at once."""
    first, second = await asyncio.gather(ctx.call(slow, number), ctx.call(slow, number + 1))
    return first + second


def _script() -> list[Any]:
    batch = calls(
        ("slow", {"number": 2}), ("fail", {"number": 1}), ("pair", {"number": 1}), ("slow", {"number": 4}), ("no", {})
    )
    return [batch, calls(("slow", {"number": 1})), "done"]


def _runtime(parallel: int, *, store: InMemoryStore | None = None, script: list[Any] | None = None) -> Runtime:
    agent = Agent("agent", instructions="Work.", tools=[slow, fail, pair], parallel=parallel)
    runtime = Runtime(
        App(name="history", agents=(agent,)),
        model=Scripted(script or _script()),
        layers=NO_LAYERS,
        store=store,
        make_run_id=lambda: "run",
    )
    runtime.add_principals(PERSON)
    return runtime


def figures(*, short: bool) -> Iterator[Figure]:
    """Histories that a provider would refuse, and calls without exactly one end."""
    found, cut = asyncio.run(_count_violations(every=7 if short else 1))
    how = "cancelled at every step of the loop, each model request failing, each append dying before and after it"
    yield no_violations("history.invalid", len(found), cut, how if not found else f"{how}; first: {found[0]}")


async def _count_violations(every: int) -> tuple[list[str], int]:
    found: list[str] = []
    cut = 0
    for parallel in (1, 8):
        for step in range(0, 400, every):
            runtime, over = await _check_cancelled(step, parallel)
            found += await _check_history(runtime, f"cancelled at step {step}")
            cut += 1
            if over:
                break
        for turn in range(3):
            found += await _check_history(await _check_failing(turn, parallel), f"turn {turn + 1} failed")
            cut += 1
        for stored in (False, True):
            for at in range(1, 60, max(1, every // 2)):
                runtime, died = await _check_dying(at, parallel, stored=stored)
                found += await _check_history(runtime, f"died at append {at}")
                if not died:
                    break
                await runtime.resume("run")
                found += await _check_history(runtime, f"resumed after dying at append {at}")
                cut += 2
    return found, cut


async def _check_cancelled(step: int, parallel: int) -> tuple[Runtime, bool]:
    runtime = _runtime(parallel)
    running = asyncio.create_task(runtime.run("go", by=PERSON))
    for _ in range(step):
        await asyncio.sleep(0)
    over = running.done()
    running.cancel()
    await asyncio.wait([running])
    return runtime, over


async def _check_failing(turn: int, parallel: int) -> Runtime:
    script = _script()
    script[turn] = ModelError("the model failed")
    runtime = _runtime(parallel, script=script)
    await runtime.run("go", by=PERSON)
    return runtime


async def _check_dying(at: int, parallel: int, *, stored: bool) -> tuple[Runtime, bool]:
    store = DyingStore(at, stored=stored)
    runtime = _runtime(parallel, store=store)
    try:
        await runtime.run("go", by=PERSON)
    except ProcessDied:
        store.revive()
        return _runtime(parallel, store=store), await store.find_run("run") is not None
    return runtime, False


async def _check_history(runtime: Runtime, when: str) -> list[str]:
    positions = await runtime.store.read("run")
    if not positions:
        return []
    found = [f"{when}: {fault.kind.name}" for fault in history_errors(await runtime.history("run"))]
    ends = Counter(p.item.call for p in positions if isinstance(p.item, ToolOutput))
    return found + [f"{when}: a call has {count} ends" for count in ends.values() if count > 1]
