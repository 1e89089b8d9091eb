"""Runs, questions and items for tests of a store. Each function sets only the fields that tests need."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence

from remit.approvals.from_journal import question_item as item_of
from remit.errors import JournalError
from remit.journal.codec import body_digest, compute_chain_hash, encode_item
from remit.journal.ports import AppendFuture, Store
from remit.record.items import AttemptStarted, Item, Note, Position, QuestionItem, RunOpened
from remit.record.ledger import Consumption
from remit.record.question import Decision, Question


class Clock:
    """A clock that only tests advance."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now += seconds


def header_item(run: str = "run", *, conversation: str = "", after: str = "", application: str = "app") -> RunOpened:
    return RunOpened(
        call=run,
        format=1,
        tenant="default",
        principal="ada",
        application=application,
        agent="editor",
        callee="cms_createPage",
        arguments='{"slug":"about"}',
        conversation=conversation,
        after=after,
    )


def note(data: str = "") -> Note:
    return Note(call="call", name="said", data=data)


def positions(run: str, items: Sequence[Item], *, epoch: int = 1, first: int = 0, at: float = 1000.0) -> list[Position]:
    """Number and chain items as an executor would append them, from seq ``first``."""
    link = b""
    placed: list[Position] = []
    for index, item in enumerate(items):
        body = encode_item(item)
        digest = body_digest(body)
        link = compute_chain_hash(link, item.kind, item.call, digest)
        placed.append(Position(run, epoch, first + index, at, item, body, digest, link))
    return placed


def start_item(call: str = "call", *, question: str = "", parent: str = "root", attempt: int = 1) -> AttemptStarted:
    return AttemptStarted(call=call, parent=parent, callee="save", attempt=attempt, question=question)


def question(
    name: str = "q1",
    *,
    run: str = "run",
    call: str = "call",
    conversation: str = "talk",
    match: str = "match",
    asked: float = 1000.0,
    expires: float = 2000.0,
    tenant: str = "default",
) -> Question:
    return Question(
        id=name,
        match=match,
        kind="approval",
        tenant=tenant,
        conversation=conversation,
        run=run,
        call=call,
        agent="editor",
        asker="ada",
        tool="cms_deletePage",
        arguments='{"slug":"about"}',
        definition="d1",
        risk="high",
        rule="high risk",
        reason="it cannot be undone",
        who="approvals:decide",
        asked=asked,
        expires=expires,
    )


def later(storing: Coroutine[object, object, None]) -> AppendFuture:
    """The result of an operation that has yielded to the event loop once."""
    stored: AppendFuture = asyncio.get_running_loop().create_future()

    async def answer() -> None:
        try:
            await storing
        except JournalError as error:
            stored.set_exception(error)
        else:
            stored.set_result(None)

    under_way.add(task := asyncio.create_task(answer()))
    task.add_done_callback(under_way.discard)
    return stored


under_way: set[asyncio.Task[None]] = set()


def question_item(of: Question, *, call: str = "") -> QuestionItem:
    return item_of(of, call=call or of.call, parent="root")


def yes(of: str = "q1", *, by: str = "bob", at: float = 1001.0) -> Decision:
    return Decision(question=of, approved=True, by=by, at=at)


def no(of: str = "q1", *, by: str = "bob", at: float = 1001.0) -> Decision:
    return Decision(question=of, approved=False, by=by, reason="not now", at=at)


class Run:
    """A run whose lease the test holds. `append` continues where the last append ended."""

    def __init__(self, store: Store, run: str, epoch: int) -> None:
        self.store = store
        self.run = run
        self.epoch = epoch
        self.next = 0

    async def append(self, *items: Item, at: float = 1000.0, take: Consumption | None = None) -> list[Position]:
        placed = positions(self.run, items, epoch=self.epoch, first=self.next, at=at)
        await self.store.append(self.run, self.epoch, placed, take)
        self.next += len(placed)
        return placed

    async def start(self, of: str, *, call: str = "call") -> None:
        """Start a call with the approval of question ``of``."""
        await self.append(start_item(call, question=of), take=Consumption((of,), self.run, call))


async def begin(
    store: Store,
    run: str = "run",
    *,
    conversation: str = "",
    after: str = "",
    at: float = 1000.0,
    application: str = "app",
) -> Run:
    """Open a run with a long lease."""
    begun = await acquire_run(store, run)
    await begun.append(header_item(run, conversation=conversation, after=after, application=application), at=at)
    return begun


async def acquire_run(store: Store, run: str = "run") -> Run:
    """Acquire the lease of a run without items."""
    return Run(store, run, (await store.acquire(run, "driver", 1e6)).epoch)


async def read_decisions(store: Store, run: str) -> list[Decision]:
    """The decisions on the questions of a run, oldest first, read from the questions."""
    rows = await store.list_questions(only_open=False)
    found = [row.decision for row in rows if row.question.run == run and row.decision is not None]
    return sorted(found, key=lambda decision: decision.at)
