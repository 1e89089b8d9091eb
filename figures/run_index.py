"""The index of runs: what it says that a run has done is what the items of the run say, at each stage of its life.

The expectations are read from the items one by one, without the fold that feeds the index.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Iterator, Sequence
from itertools import pairwise
from tempfile import TemporaryDirectory
from typing import Any, Final

from figures.figure import Figure, no_violations
from remit import Agent, App, Effect, Principal, Risk, Runtime, SqlStore, tool
from remit.errors import ExternalError
from remit.items import (
    ModelUsage,
    Position,
    RunFinished,
    RunOpened,
    RunResumed,
    RunScheduled,
    RunStalled,
    RunSuspended,
    ToolOutput,
)
from remit.messages import ChatRequest, Completion, completion_from_message
from remit.runtime import ListedRun
from remit.stores import InMemoryStore, Store
from remit.testing import Scripted, calls

PERSON: Final = Principal("ada", permissions=frozenset({"*"}))
TURNS: Final = 4
RESTS: Final = (RunFinished, RunSuspended, RunStalled, RunScheduled)
DAY: Final = 86_400


class _Crash(BaseException):
    """The process dies here."""


@tool(effect=Effect.PURE)
async def look(where: str) -> str:
    """Look."""
    if where == "away":
        raise ExternalError(where)
    return where


@tool(effect=Effect.PURE)
async def die() -> str:
    """End the process, the first time."""
    raise _Crash


@tool(effect=Effect.PURE, name="die")
async def survive() -> str:
    """End the process, the first time."""
    return "alive"


@tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
async def send(text: str) -> str:
    """Send."""
    return text


_CHOICES: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("look", {"where": "here"}), ("look", {"where": "away"}), ("send", {"text": "a"}), ("die", {}), ("helper", {}),
)  # fmt: skip


def figures(*, short: bool) -> Iterator[Figure]:
    """Runs of which the index says something else than their items, and sums of usage that are not theirs."""
    yield measure(16 if short else 400)


def measure(seeds: int) -> Figure:
    """The figure over the runs of so many seeds."""
    differs = stages = 0
    for seed in range(seeds):
        measuring = _measure(random.Random(seed), on_disk=seed % 4 != 3, is_direct=seed % 16 >= 12)
        more, wrong = asyncio.run(measuring)
        stages, differs = stages + more, differs + wrong
    how = (
        f"{seeds} runs, one in four a direct call, that make random calls, wait, crash and are resumed, three in four "
        "on SQLite, with clocks that jump: after each execution their entry in the index, and the usage of 12 times, "
        "against the items one by one"
    )
    return no_violations("index.differs", differs, stages, how)


async def _measure(dice: random.Random, *, on_disk: bool, is_direct: bool) -> tuple[int, int]:
    """The stages of a run, and those at which the index says something else than its items."""
    now = [dice.uniform(0, 3 * DAY)]
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/journal.db"
        store: Any = SqlStore(url, lambda: now[0]) if on_disk else InMemoryStore(lambda: now[0])
        try:
            return await _live(store, dice, now, is_direct=is_direct)
        finally:
            await store.close()


async def _live(store: Store, dice: random.Random, now: list[float], *, is_direct: bool) -> tuple[int, int]:
    stages, wrong, questions = 0, 0, list[str]()

    def clock() -> float:
        now[0] += dice.choice((0.0, 0.0, 0.25, 7.0))
        return now[0]

    run, (name, arguments) = "", dice.choice(_CHOICES[:4]) if is_direct else ("", {})
    for execution in range(6):
        runtime = _process(store, clock, dice, dies=execution == 0)
        client = runtime.client(PERSON)
        for question in questions:
            await client.decide(question, approved=dice.random() < 0.6)
        with contextlib.suppress(_Crash):
            if run:
                result = await client.resume(run)
            else:
                result = await (client.call(name, arguments) if name else client.run(f"go  {dice.random()}"))
            questions = list(result.questions)
        (row,) = await client.runs()
        run, items = row.run, await store.read(row.run)
        stages += 1
        wrong += _summarize(row) != _read(items)
        wrong += await _is_usage_wrong(store, row, items, dice)
        if row.ended:
            break
        now[0] += dice.choice((0.0, 5.0, DAY))
    return stages, wrong


def _process(store: Store, clock: Any, dice: random.Random, *, dies: bool) -> Runtime:
    turns = [calls(*dice.choices(_CHOICES, k=dice.randint(1, 3))) for _ in range(dice.randint(0, TURNS))]
    tools = [look, send, die if dies else survive]
    model = _Metered(Scripted([*turns, "done"] * 20), dice)
    helper = Agent("helper", instructions="Help.", tools=tools, model=model)
    clerk = Agent("clerk", instructions="Work.", tools=[*tools, helper], model=model)
    app = App(name="office", agents=(clerk,), tools=(*tools,))
    return Runtime(app, store=store, clock=clock, directory=lambda _name, _tenant: PERSON)


class _Metered:
    """A scripted model that reports some usage, under one of several names."""

    vendor, model = "scripted", "clerk"

    def __init__(self, script: Scripted, dice: random.Random) -> None:
        self._script, self._dice = script, dice

    async def __call__(self, request: ChatRequest, /) -> Completion:
        message = (await self._script(request)).message
        return completion_from_message(
            message,
            prompt_tokens=self._dice.randint(1, 900),
            completion_tokens=self._dice.randint(1, 90),
        )


def _summarize(row: ListedRun) -> dict[str, Any]:
    failure = row.failure
    return {
        "title": row.title,
        "calls": row.calls,
        "tokens": (row.usage.requests, row.usage.prompt_tokens, row.usage.completion_tokens),
        "seconds": (round(row.worked, 3), round(row.waited, 3)),
        "failure": None if failure is None else (failure.call, failure.tool, failure.at),
    }


def _read(positions: Sequence[Position]) -> dict[str, Any]:
    items = [each.item for each in positions]
    header = next(each for each in items if isinstance(each, RunOpened))
    used = [each for each in items if isinstance(each, ModelUsage)]
    ends = [each for each in positions if isinstance(each.item, ToolOutput)]
    failures = [
        (each.item.call, each.item.callee, each.at)
        for each in ends
        if isinstance(each.item, ToolOutput) and each.item.outcome == "error"
    ]
    seconds = {"worked": 0.0, "waited": 0.0}
    is_at_rest = False
    for before, position in pairwise(positions):
        is_at_rest = isinstance(before.item, RESTS) or (is_at_rest and not isinstance(before.item, RunResumed))
        waits = is_at_rest or isinstance(position.item, RunResumed)
        seconds["waited" if waits else "worked"] += position.at - before.at
    is_agents = header.callee == "clerk"
    made = [each for each in ends if isinstance(each.item, ToolOutput) and each.item.parent]
    return {
        "title": " ".join([*json.loads(header.arguments).values(), header.callee][0].split()),
        "calls": len(made) + (not is_agents),
        "tokens": (len(used), sum(each.prompt_tokens for each in used), sum(each.completion_tokens for each in used)),
        "seconds": (round(seconds["worked"], 3), round(seconds["waited"], 3)),
        "failure": failures[0] if failures else None,
    }


async def _is_usage_wrong(store: Store, row: ListedRun, items: Sequence[Position], dice: random.Random) -> bool:
    """Whether the usage of some time is not that of the run, which was opened in it or not."""
    used = sum(each.item.prompt_tokens for each in items if isinstance(each.item, ModelUsage))
    for since in (0.0, row.opened - dice.uniform(0, 2 * DAY), row.opened + 1, row.opened):
        for until in (row.opened, row.opened + dice.uniform(0.1, 2 * DAY), 9 * DAY):
            found = await store.read_usage(tenant=row.tenant, since=since, until=until)
            if sum(each.counts.prompt_tokens for each in found) != (used if since <= row.opened < until else 0):
                return True
    return False
