"""Calls that attach while the same call executes: each has the result of the run that it joined, and it ran once.

Many callers make an unsafe call at once, and the call ends only after all of them have joined it. Some give up, before
or while the others read the result; half of the calls were asked about and approved before.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct, field

from figures.attach_world import APPROVER, ASKER, open_store
from figures.figure import Figure, no_violations
from remit import App, Effect, Risk, Runtime, tool
from remit.runtime import RunResult
from remit.stores import Store

JOINERS: Final = 10
MOST_STEPS: Final = 40
"""Turns of the event loop in which callers give up, before the call ends and again from then on."""


def figures(*, short: bool) -> Iterator[Figure]:
    """Unsafe calls that ran more than once, or of which a caller had the result of another run."""
    seeds = 28 if short else 1_000
    parted = sum(asyncio.run(_join(seed)) for seed in range(seeds))
    how = (
        f"{seeds} unsafe calls with attach=True, each joined by {JOINERS} callers before it ended, of one process or of"
        " one each, up to half of which gave up, after an approval every second time, on SQLite every seventh time:"
        " made more than once, or with different results"
    )
    yield no_violations("client.attach.parted", parted, seeds, how)


async def _join(seed: int) -> bool:
    """Whether the callers of one call had different results, or the call ran more than once."""
    dice = random.Random(seed)
    async with open_store(on_disk=seed % 7 == 0) as store, asyncio.timeout(20):
        call = _JoinedCall(store, is_asked=seed % 4 < 2)
        runtimes = [call.process()] if seed % 2 else [call.process() for _ in range(JOINERS)]
        if call.is_asked:
            asked = await runtimes[0].client(ASKER).call("pay", {"amount": 3}, attach=True)
            await runtimes[0].client(APPROVER).decide(asked.questions[0], approved=True)
        gives_up = [dice.randrange(2 * MOST_STEPS) for _ in range(dice.randrange(JOINERS // 2))]
        results = await call.join([runtimes[n % len(runtimes)] for n in range(JOINERS)], gives_up)
    outcomes = {(each.run, each.status, each.text) if isinstance(each, RunResult) else repr(each) for each in results}
    return call.executions != 1 or len(outcomes) != 1 or not isinstance(results[0], RunResult)


class _JoinedCall(Struct):
    """An unsafe call that does not end before it may, and the tasks that have joined it."""

    store: Store
    is_asked: bool
    executions: int = 0
    may_end: asyncio.Event = field(default_factory=asyncio.Event)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    joined: set[asyncio.Task[Any] | None] = field(default_factory=set[asyncio.Task[Any] | None])

    def __post_init__(self) -> None:
        attach_call = self.store.attach_call

        async def attach_counted(call: str, run: str) -> str:
            run = await attach_call(call, run)
            self.joined.add(asyncio.current_task())
            self.news.set()
            return run

        self.store.attach_call = attach_counted

    def process(self) -> Runtime:
        """A runtime as another process would have it, over the same store and the same world."""

        @tool(effect=Effect.UNSAFE, risk=Risk.HIGH if self.is_asked else Risk.SAFE)
        async def pay(amount: int) -> str:
            """Pay."""
            self.executions += 1
            number = self.executions
            await self.may_end.wait()
            return f"paid {amount}, payment {number}"

        return Runtime(App(name="bank", tools=(pay,)), store=self.store)

    async def join(self, runtimes: Sequence[Runtime], gives_up: Sequence[int]) -> list[object]:
        """The results of one caller for each runtime; the first callers give up, each after its step."""
        calls = [each.client(ASKER).call("pay", {"amount": 3}, attach=True) for each in runtimes]
        callers = [asyncio.create_task(each) for each in calls]
        for step in range(2 * MOST_STEPS):
            if step == MOST_STEPS:
                await self._let_end(callers)
            await asyncio.sleep(0)
            for caller, last in zip(callers, gives_up, strict=False):
                if step == last:
                    caller.cancel()
        found = await asyncio.gather(*callers, return_exceptions=True)
        return [each for each in found if not isinstance(each, asyncio.CancelledError)]

    async def _let_end(self, callers: Sequence[asyncio.Task[Any]]) -> None:
        """Let the call end as soon as each caller has joined it or given up."""
        for caller in callers:
            caller.add_done_callback(lambda _: self.news.set())
        while not all(each.done() or each in self.joined for each in callers):
            self.news.clear()
            await self.news.wait()
        self.may_end.set()
