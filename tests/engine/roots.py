"""Fake root services: what a run does, without agents and tools."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from msgspec import structs

from remit.call.reply import Reply
from remit.engine.executor import ExecutionOutcome, RootCall, RunExecutor
from remit.errors import Suspended
from remit.journal.ledger import RunLedger
from remit.journal.ports import Store
from remit.record.items import DecisionItem, Item, Position, ToolOutput
from remit.testing.store_suite.samples import header_item, question, question_item

GOOD = Reply.from_value("done")


class Crash(BaseException):
    """What no `except Exception` catches."""


def end_of(reply: Reply) -> ToolOutput:
    return ToolOutput(
        call="root",
        parent="",
        callee="editor",
        wire="",
        text=reply.content,
        outcome=reply.outcome,
        final=reply.is_final,
    )


def replying(reply: Reply = GOOD) -> RootCall:
    """Ends at once with ``reply``."""

    async def root(ledger: RunLedger) -> Reply:
        ledger.add(end_of(reply))
        return reply

    return root


def asks(*names: str, meanwhile: Callable[[], object] = lambda: None, run: str = "run") -> RootCall:
    """Asks questions, one for each call, and ends when all of them are decided."""

    async def root(ledger: RunLedger) -> Reply:
        for name in names:
            if not ledger.items_for(f"call {name}"):
                of = question(name, run=run, call=f"call {name}", conversation="")
                await ledger.commit(question_item(of))
        meanwhile()
        await asyncio.sleep(0)
        left = [
            name for name in names if not any(isinstance(i, DecisionItem) for i in ledger.items_for(f"call {name}"))
        ]
        if left:
            raise Suspended(*left)
        return await replying()(ledger)

    return root


def raising(error: BaseException) -> RootCall:
    async def root(_ledger: RunLedger) -> Reply:
        raise error

    return root


async def never(_ledger: RunLedger) -> Reply:
    """What must not be driven at all."""
    raise AssertionError("the root was driven")


class Stage:
    """A store, drivers for it, and what those who watch them saw."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self.store = store
        self.clock = clock
        self.seen: list[Position] = []

    def driver(self, name: str = "me", *, seconds: float = 30.0) -> RunExecutor:
        return RunExecutor(
            store=self.store, clock=self.clock, on_stored=self.seen.extend, name=name, lease_seconds=seconds
        )

    async def begin(
        self, root: RootCall, *, run: str = "run", name: str = "me", seconds: float = 30.0
    ) -> ExecutionOutcome:
        driver = self.driver(name, seconds=seconds)
        outcome = await driver.execute(run, root, header=header_item(run), conversation="", prior_messages=())
        return structs.replace(outcome, items=())

    async def again(
        self, root: RootCall, *, run: str = "run", name: str = "me", stopping: bool = False
    ) -> ExecutionOutcome:
        outcome = await self.driver(name).execute(
            run, root, header=None, conversation="", prior_messages=(), stopping=stopping
        )
        return structs.replace(outcome, items=())

    async def items(self, run: str = "run") -> list[Item]:
        return [p.item for p in await self.store.read(run)]

    async def kinds(self, run: str = "run") -> Sequence[str]:
        return [item.kind for item in await self.items(run)]

    async def status(self, run: str = "run") -> str:
        row = await self.store.find_run(run)
        return row.status if row else "unknown"
