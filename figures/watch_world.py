"""A journal in which runs, questions and conversations change in two processes, and those who watch them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final

from sqlalchemy import Connection

from remit import Agent, App, Client, Effect, Principal, Risk, Runtime, tool
from remit.journal.sql.locks import LockKeys
from remit.journal.sql.writes import Change, store_decision
from remit.record.question import Decision
from remit.runtime import ConversationUpdate, ListedRun, QuestionUpdate, RunUpdate, WatchEvent
from remit.stores import ConversationRow, RunRow, SqlStore, Store
from remit.testing import Scripted, calls

ADA: Final = Principal("ada", "bakery")
BOB: Final = Principal("bob", "bakery")
BOSS: Final = Principal("boss", "bakery", frozenset({"runs:read", "approvals:decide"}))
TESS: Final = Principal("tess", "bakery", frozenset({"runs:read@bread/*"}))
STRANGER: Final = Principal("ada", "elsewhere", frozenset({"*"}))
PEOPLE: Final = (ADA, BOB, TESS, STRANGER, BOSS)


class Clock:
    """A clock that the journal's processes share."""

    now = 1e9

    def __call__(self) -> float:
        """The time."""
        return self.now


@tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@dataclass
class World:
    """A journal as two processes have it open; in memory both are one."""

    stores: Sequence[Store]
    clock: Clock
    last_runs: dict[str, str] = field(default_factory=dict[str, str])
    resumed_runs: set[object] = field(default_factory=set[object])
    is_over: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        ids = count(1)
        self.runtimes = [
            Runtime(
                App(name="shop", agents=[Agent("clerk", instructions="Sell.", tools=[pay])]),
                store=store,
                clock=self.clock,
                make_run_id=lambda: f"run {next(ids)}",
                model=Scripted([calls(("pay", {"amount": 1})), "paid"] * 50),
            )
            for store in self.stores
        ]
        for runtime in self.runtimes:
            runtime.add_principals(*PEOPLE)

    def client(self, principal: Principal, side: int = 0) -> Client:
        """A client of one of the processes."""
        return self.runtimes[side % len(self.runtimes)].client(principal)

    async def play(self, has_seen: Callable[[str], Awaitable[None]]) -> None:
        """Change everything. ``has_seen`` waits until those who watch have seen a run or a question."""
        ada, other, boss = self.client(ADA), self.client(ADA, 1), self.client(BOSS, 1)
        first = await ada.run("Bread?", conversation="talk", target="bread/main")
        await boss.decide(first.questions[0], approved=True)
        await other.resume(first.run)
        self.resumed_runs.add(first.run)
        await other.rename_conversation("talk", "About bread")
        await self.client(BOB, 1).run("Cakes?", conversation="cakes", target="cakes/main")
        await self.client(STRANGER).run("Whose?", conversation="talk")
        await has_seen((await ada.run("Later?")).questions[0])
        self.clock.now += 10_000_000  # all questions that are open expire
        second, third = await ada.run("Again?"), await ada.run("And again?")
        await boss.decide(third.questions[0], approved=False)
        await self._decide_slowly(second.questions[0], has_seen)
        await asyncio.gather(*(self.client(PEOPLE[n % 5], n).submit(f"Run {n}", target="bread/x") for n in range(20)))
        last = await other.submit("Never mind", conversation="talk")
        await has_seen(last)
        await ada.cancel(last)
        await other.share_conversation("talk", "bob")

    async def finish(self, word: str) -> None:
        """Open a last run of each principal."""
        for number, principal in enumerate(PEOPLE):
            self.last_runs[await self.client(principal, number).submit(word)] = word

    async def _decide_slowly(self, question: str, has_seen: Callable[[str], Awaitable[None]]) -> None:
        """Decide in a transaction that ends after later ones of the other process, if the database has such."""
        store = self.stores[-1]
        decision = Decision(question=question, approved=True, by="boss", at=self.clock())
        if not isinstance(store, SqlStore) or "postgresql" not in str(vars(store)["_url"]):
            await store.decide(decision)
            return
        has_begun, may_end = threading.Event(), threading.Event()

        def decide(connection: Connection) -> None:
            store_decision(connection, decision)
            has_begun.set()
            may_end.wait()

        writer: Any = vars(store)["_writer"]
        deciding = writer.submit(Change(decide, LockKeys(questions=frozenset({question})), is_seen=True))
        await asyncio.to_thread(has_begun.wait)
        try:
            await has_seen(await self.client(ADA).submit("Meanwhile"))
        finally:
            may_end.set()
        await deciding


class Watcher:
    """Watches as one principal, leaves after every so many events, and goes on where it was; later, if ``is_late``."""

    def __init__(self, principal: Principal, cut: int, *, is_late: bool) -> None:
        self.principal = principal
        self._cut = cut
        self.is_late = is_late
        self.rows: dict[object, object] = {}
        self._repeated: list[object] = []
        self.has_begun, self.has_caught_up = asyncio.Event(), asyncio.Event()
        self.changed = asyncio.Event()

    async def watch(self, world: World, client: Client) -> None:
        """Watch until the last run of the principal comes."""
        after, has_ended = "", False
        while not has_ended:
            async with contextlib.aclosing(client.watch(after=after)) as events:
                seen = 0
                async for event in events:
                    after, seen = event.after, seen + 1
                    has_ended = self._add(event, world) or has_ended
                    if has_ended or seen == self._cut:
                        break
            if self.is_late and not has_ended:
                await world.is_over.wait()

    def _add(self, event: WatchEvent, world: World) -> bool:
        self.has_begun.set()
        if not isinstance(event, RunUpdate | QuestionUpdate | ConversationUpdate):
            return False
        key, row = _identify(event.row)
        if self.rows.get(key) == row:
            self._repeated.append(key)
        self.rows[key] = row
        self.changed.set()
        is_own = isinstance(event, RunUpdate) and event.row.principal == self.principal.name
        word = world.last_runs.get(str(key), "") if is_own else ""
        if word:
            self.has_caught_up.set()
        return word == "really"

    def count_doubled(self, world: World) -> int:
        """How many rows came again unchanged. A run that was resumed has the row again that it had before it rested."""
        return sum(each not in world.resumed_runs for each in self._repeated)

    async def count(self, client: Client) -> tuple[int, int]:
        """How many rows of the principal's lists it lacks or has as they were, and how many it has beside them."""
        listed: dict[object, object] = {}
        pages: Sequence[Sequence[Any]] = (
            (await client.runs(limit=1000)).items,
            (await client.questions(status="all", limit=1000)).items,
            (await client.conversations(limit=1000)).items,
        )
        for page in pages:
            listed |= dict(map(_identify, page))
        missed = sum(self.rows.get(key) != row for key, row in listed.items())
        return missed, len(self.rows.keys() - listed.keys())


def _identify(row: Any) -> tuple[object, object]:
    """What a row is about, and the row. The status of a conversation is that of its newest run, which comes itself.

    A list of runs also says what they have done.
    """
    if isinstance(row, ConversationRow):
        return row.key, replace(row, status="done")
    if isinstance(row, RunRow):
        return row.run, row.row if isinstance(row, ListedRun) else row
    return row.question.id, row
