"""Messages to busy conversations under crashes and cancellations, and what a conversation at rest keeps in memory."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import random
import tempfile
import tracemalloc
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from figures.figure import Figure, at_most, no_violations
from remit import Agent, App, Effect, LeafContext, Principal, Runtime, tool
from remit.errors import LeaseError, RequestError
from remit.journal.ports import AcquiredLease, AppendFuture
from remit.messages import ChatRequest, decode_message
from remit.record.items import Position
from remit.record.ledger import Consumption
from remit.stores import InMemoryStore, SqlStore, Store
from remit.testing import Scripted, calls

PERSON: Final = Principal("ada", permissions=frozenset({"*"}))
TALKS: Final = ("one", "two")
MESSAGES: Final = 6
EXECUTORS: Final = 3
ROUNDS: Final = 40
MAX_BYTES: Final = 128.0
REST_ROUNDS: Final = 4


def figures(*, short: bool) -> Iterator[Figure]:
    """Queued messages that were lost, doubled or out of turn; and memory by conversation at rest."""
    seeds, rests = (10, 60) if short else (400, 300)
    worlds = [asyncio.run(_World(random.Random(seed)).play()) for seed in range(seeds)]
    how = (
        f"{seeds} schedules of {MESSAGES} messages at once to each of {len(TALKS)} conversations, of which some are "
        f"cancelled, and {EXECUTORS} executors, which died {sum(each.store.deaths for each in worlds):,} times"
    )
    cases = seeds * MESSAGES * len(TALKS)
    yield no_violations("queue.lost", sum(each.lost for each in worlds), cases, f"{how}; refused or never executed")
    doubled = sum(each.doubled for each in worlds)
    yield no_violations("queue.doubled", doubled, cases, f"{how}; with two effects, or one after their cancellation")
    disorder = sum(each.disorder for each in worlds)
    yield no_violations("queue.disorder", disorder, cases, f"{how}; begun before one that was stored earlier")
    grown = asyncio.run(_measure_rest(rests))
    how = (
        f"growth of allocated memory by {rests} more conversations at rest in one process with SQLite, least of "
        f"{REST_ROUNDS - 1}: other parts of the process grow too, but not each time"
    )
    yield at_most("conversation.idle_bytes", round(grown, 1), "bytes", MAX_BYTES, rests, how)


class _ProcessDied(BaseException):
    """The process of an executor is gone."""


class _Store(InMemoryStore):
    """A store in which each append of an executor may be its last, before it is stored or after."""

    def __init__(self, chance: random.Random) -> None:
        self.now = 0.0
        super().__init__(clock=lambda: self.now)
        self._chance = chance
        self.is_executing = False
        self.deaths = 0

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        """Append, unless the process dies."""
        dies = self.is_executing and self._chance.random() < 0.05
        self.deaths += dies
        if dies and self._chance.random() < 0.5:
            raise _ProcessDied
        stored = super().append(run, epoch, items, consumption)
        if dies:
            raise _ProcessDied
        return stored

    async def acquire(
        self, run: str, executor: str, seconds: float, after: int = -1, opening: Sequence[Position] = ()
    ) -> AcquiredLease:
        """Acquire a lease or open a run as a database does: others may write before."""
        await asyncio.sleep(0)
        return await super().acquire(run, executor, seconds, after, opening)

    async def release(self, run: str, epoch: int) -> None:
        """Keep the lease: a process that died has released nothing, and others wait for its end."""
        if not self.is_executing:
            await super().release(run, epoch)


class _World:
    """One schedule: messages are sent at once, then executed."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.store = _Store(chance)
        self.sent = dict[str, str]()
        self.cancelled = set[str]()
        self.begun = list[str]()
        self.keys = dict[str, set[str]]()
        self.lost = self.doubled = self.disorder = 0

    async def play(self) -> _World:
        """Send and execute everything, and count what went wrong."""
        await asyncio.gather(*(self._send(talk, number) for talk in TALKS for number in range(MESSAGES)))
        self.store.is_executing = True
        for _ in range(ROUNDS):
            await asyncio.gather(*(self._execute() for _ in range(EXECUTORS)))
            self.store.now += 60
        self.store.is_executing = False
        rows = {row.run: row for row in await self.store.list_runs(limit=1000)}
        for text, run in self.sent.items():
            executed = len(self.keys.get(text, ()))
            self.lost += not rows[run].ended or (text not in self.cancelled and not executed)
            self.doubled += executed > (text not in self.cancelled)
        for talk in TALKS:
            listed = [row.run for row in await self.store.list_runs(conversation=talk, limit=1000)]
            order = [listed.index(self.sent[text]) for text in self.begun if text.startswith(talk)]
            self.disorder += sum(earlier < later for earlier, later in pairwise(order))  # the newest is listed first
        return self

    async def _send(self, talk: str, number: int) -> None:
        await self._pass_turns()
        text, runtime = f"{talk} {number}", self._runtime()
        try:
            self.sent[text] = await runtime.submit(text, by=PERSON, conversation=talk, when_busy="queue")
        except RequestError:
            self.lost += 1
            return
        await self._pass_turns()
        if self.chance.random() < 0.2:
            self.cancelled.add(text)
            await runtime.cancel(self.sent[text], by=PERSON)

    async def _execute(self) -> None:
        while due := await self.store.list_due_runs("talks"):
            with contextlib.suppress(LeaseError, _ProcessDied):
                await self._runtime().resume(self.chance.choice([*due, *self.sent.values()]))
            await self._pass_turns()

    async def _pass_turns(self) -> None:
        for _ in range(self.chance.randint(0, 5)):
            await asyncio.sleep(0)

    def _runtime(self) -> Runtime:
        """What a new process has."""

        @tool(effect=Effect.KEYED)
        async def note(ctx: LeafContext, text: str) -> str:
            """Note a text, once for its key."""
            self.begun.append(text)
            self.keys.setdefault(text, set()).add(ctx.key)
            await self._pass_turns()
            return text

        runtime = _runtime(self.store, Agent("clerk", instructions="Note.", tools=(note,)), Scripted([_answer] * 99))
        runtime.add_principals(PERSON)
        return runtime


def _answer(request: ChatRequest) -> Any:
    """Note what the user said last, then end."""
    last = decode_message(request.history[-1])
    return "done" if last["role"] == "tool" else calls(("note", {"text": last.get("content")}))


def _runtime(store: Store, agent: Agent, model: Scripted) -> Runtime:
    return Runtime(App(name="talks", agents=(agent,)), model=model, store=store)


async def _measure_rest(count: int) -> float:
    """Bytes of allocated memory by conversation that has ended its runs."""
    with tempfile.TemporaryDirectory(prefix="remit-conversations-") as folder:
        store = SqlStore(f"sqlite:///{Path(folder)}/journal.db")
        agent = Agent("clerk", instructions="Answer.")
        model = Scripted(["hello"])
        runtime = _runtime(store, agent, model)
        sizes = list[int]()
        tracemalloc.start()
        for turn in range(REST_ROUNDS + 1):
            for number in range(count):
                await runtime.run("hello", by=PERSON, conversation=f"{turn} {number}")
                model.requests.clear()
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        await store.close()
    return max(min(after - before for before, after in pairwise(sizes[1:])) / count, 0.0)
