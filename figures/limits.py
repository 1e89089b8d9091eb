"""Limits are reserved before a call starts: seeded schedules of calls that come, wait, fail and are cancelled."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field

import looptime

from figures.figure import Figure, no_violations
from remit import Agent, App, Context, Effect, LeafContext, Principal, Runtime, Stack, tool
from remit.errors import BudgetError, CallError, ExternalError
from remit.layers import Budget, Call, CallLayer, Concurrency, RateLimit, Reply
from remit.testing import Scripted, calls, make_call, superuser

PERSON = Principal("ada", permissions=frozenset({"*"}))
Check = Callable[[random.Random], Awaitable[int]]


@tool(effect=Effect.UNSAFE)
async def send() -> str:
    """Send."""
    return "sent"


@tool(effect=Effect.PURE)
async def look() -> str:
    """Look."""
    return "seen"


def figures(*, short: bool) -> Iterator[Figure]:
    """Calls that started beyond a limit."""
    seeds = 40 if short else 1_000
    over = 0
    for check in (_rate, _concurrency, _budget):
        for seed in range(seeds):
            with asyncio.Runner(loop_factory=_clock) as runner:
                over += runner.run(_run(check, seed))
    how = f"{seeds:,} schedules each of rate, concurrency and a budget shared by nested calls; some are cancelled"
    yield no_violations("limits.over", over, 3 * seeds, how)


def _clock() -> looptime.LoopTimeEventLoop:
    """A loop whose clock goes on when nothing else does, and looks only twice whether that is so."""
    return looptime.new_event_loop(noop_cycles=2)


async def _run(check: Check, seed: int) -> int:
    return await check(random.Random(seed))


@dataclass
class CallRecorder:
    """Stands inside a limit: notes when calls of each tenant and tool start, and the most that were under way."""

    chance: random.Random
    started: dict[tuple[str, str], list[float]] = field(default_factory=dict[tuple[str, str], list[float]])
    under_way: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    max_under_way: int = 0

    async def __call__(self, call: Call, /) -> Reply:
        """Take a random time, and sometimes fail."""
        key = (call.caller.principal.tenant, call.callee.name)
        self.started.setdefault(key, []).append(asyncio.get_running_loop().time())
        self.under_way[key] = self.under_way.get(key, 0) + 1
        self.max_under_way = max(self.max_under_way, self.under_way[key])
        try:
            await asyncio.sleep(self.chance.choice([0, 0.5, 1, 3]))
        finally:
            self.under_way[key] -= 1
        if self.chance.random() < 0.2:
            raise ExternalError("it failed")
        return Reply.from_value("done")


async def _run_crowd(chance: random.Random, layer: CallLayer, worker: CallRecorder) -> None:
    """Calls of two tools by two tenants, at random times; a quarter are cancelled, wherever they stand then."""
    services = [layer(worker), layer(worker)]

    async def one() -> None:
        await asyncio.sleep(chance.random() * 8)
        call = await make_call(chance.choice([send, look]), by=superuser(tenant=chance.choice(["north", "south"])))
        going = asyncio.ensure_future(_ignore_call_error(chance.choice(services)(call)))
        if chance.random() < 0.25:
            asyncio.get_running_loop().call_later(chance.random() * 4, going.cancel)
        await asyncio.wait([going])

    await asyncio.gather(*(one() for _ in range(chance.randrange(20, 60))))


async def _ignore_call_error(reply: Awaitable[Reply]) -> None:
    try:
        await reply
    except CallError:
        return


async def _rate(chance: random.Random) -> int:
    worker = CallRecorder(chance)
    limit, seconds = chance.randrange(1, 5), chance.choice([0.5, 1.0, 3.0])
    await _run_crowd(chance, RateLimit(calls=limit, seconds=seconds, max_wait=chance.choice([0, 1, 60])), worker)
    windows = [sum(at <= each < at + seconds for each in times) for times in worker.started.values() for at in times]
    return max(0, max(windows) - limit)


async def _concurrency(chance: random.Random) -> int:
    worker = CallRecorder(chance)
    limit = chance.randrange(1, 5)
    await _run_crowd(
        chance, Concurrency(calls=limit, max_queued=chance.choice([0, 3, 99]), max_wait=chance.random() * 5), worker
    )
    return max(0, worker.max_under_way - limit)


async def _budget(chance: random.Random) -> int:
    """An agent calls tools and composed tools, which call more of them, all from one budget."""
    started = 0
    limit = chance.randrange(1, 12)

    @tool(effect=Effect.KEYED)
    async def work(_ctx: LeafContext, number: int) -> int:
        """Work."""
        nonlocal started
        started += 1
        await asyncio.sleep(chance.random())
        return number

    @tool(effect=Effect.COMPOSED)
    async def many(ctx: Context, times: int) -> int:
        """Work many times at once."""
        done = await asyncio.gather(*(ctx.call(work, number) for number in range(times)), return_exceptions=True)
        return sum(not isinstance(each, BudgetError) for each in done)

    planned_calls = [_one_or_many(chance, number) for number in range(chance.randrange(1, 12))]
    agent = Agent("agent", instructions="Work.", tools=[work, many], parallel=chance.randrange(1, 10))
    layers: Stack[CallLayer] = Stack(Budget(calls=limit))
    model = Scripted([calls(*planned_calls), "done"])
    await Runtime(App(name="budget", agents=(agent,)), model=model, layers=layers).run("go", by=PERSON)
    return max(0, started - limit)


def _one_or_many(chance: random.Random, number: int) -> tuple[str, dict[str, int]]:
    if chance.random() < 0.5:
        return "work", {"number": number}
    return "many", {"times": chance.randrange(1, 6)}
