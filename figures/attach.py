"""Calls that attach: the same call by impatient callers is asked about once and made once, and its result is read.

Callers make one call at the same time and again, and give up after a random number of steps; a person decides between.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Iterator, Sequence
from typing import Any, Final

from figures import attach_joined
from figures.attach_world import APPROVER, ASKER, open_store
from figures.figure import Figure, no_violations
from remit import App, Effect, LeafContext, Risk, Runtime, tool
from remit.runtime import RunResult
from remit.stores import Store

CALLERS: Final = 3
MOST_STEPS: Final = 30
"""Turns of the event loop after which the last caller gives up."""


def figures(*, short: bool) -> Iterator[Figure]:
    """Calls that were asked about or made twice, decisions whose result no call got, and joiners that were parted."""
    seeds = 30 if short else 1_000
    doubled = lost = 0
    for seed in range(seeds):
        made_twice, unread = asyncio.run(_climb(random.Random(seed), seed % MOST_STEPS, on_disk=seed % 10 == 0))
        doubled, lost = doubled + made_twice, lost + unread
    how = (
        f"{seeds} calls with attach=True, each made by {CALLERS} callers at once, after the decision by one that gives "
        "up at each step in turn and one that waits, in processes of their own, on SQLite every tenth time"
    )
    yield no_violations("client.attach.doubled", doubled, seeds, f"{how}: asked about or made more than once")
    yield no_violations("client.attach.lost", lost, seeds, f"{how}: decided, and without a result")
    yield from attach_joined.figures(short=short)


async def _climb(dice: random.Random, last_step: int, *, on_disk: bool) -> tuple[bool, bool]:
    """Whether the call of one seed was doubled, and whether its result was lost."""
    async with open_store(on_disk=on_disk) as store:
        return await _call_until_read(store, dice, last_step)


async def _call_until_read(store: Store, dice: random.Random, last_step: int) -> tuple[bool, bool]:
    ran: list[str] = []
    asked = await _call_at_once(store, ran, [dice.randrange(2 * MOST_STEPS) for _ in range(CALLERS)])
    asked.append(await _call(store, ran))
    questions = {question for each in asked for question in each.questions}
    await _process(store, ran).client(APPROVER).decide(asked[-1].questions[0], approved=True)
    results = await _call_at_once(store, ran, [last_step])
    if not results:
        results.append(await _call(store, ran))
    return len(questions) > 1 or len({*ran}) > 1, results[0].status != "done"


async def _call_at_once(store: Store, ran: list[str], gives_up: Sequence[int]) -> list[RunResult[Any]]:
    """The results of callers that call at once, of those that did not give up before; each does so after its step."""
    callers = [asyncio.create_task(_call(store, ran)) for _ in gives_up]
    for step in range(MOST_STEPS):
        await asyncio.sleep(0)
        for caller, last in zip(callers, gives_up, strict=True):
            if step == last:
                caller.cancel()
    results = await asyncio.gather(*callers, return_exceptions=True)
    return [each for each in results if not isinstance(each, BaseException)]


async def _call(store: Store, ran: list[str]) -> RunResult[Any]:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(20):
            return await _process(store, ran).client(ASKER).call("pay", {"amount": 3}, attach=True)
    raise AssertionError("a call that attaches came to no end")


def _process(store: Store, ran: list[str]) -> Runtime:
    """A runtime as another process would have it, over the same store and the same world."""

    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def pay(ctx: LeafContext, amount: int) -> str:
        """Pay."""
        ran.append(ctx.key)
        await asyncio.sleep(0)
        return f"paid {amount}"

    return Runtime(App(name="bank", tools=(pay,)), store=store)
