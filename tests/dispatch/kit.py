"""One run in memory, which can be looked at while a body runs and taken up again as after a crash."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from remit import Ask, Stack
from remit.approvals.approver import build_question, compute_match
from remit.approvals.from_journal import question_item
from remit.dispatch.base import Base
from remit.dispatch.dispatcher import Dispatcher
from remit.dispatch.registry import AnyCallee, Registry
from remit.journal.ledger import RunLedger
from remit.layers import Call, CallLayer, Reply
from remit.policies import Decision, Question
from remit.record.arguments import Limits
from remit.record.items import DecisionItem, Item, Position
from remit.stores import InMemoryStore
from remit.testing import make_call


class Crash(BaseException):
    """The process died here."""


class Bench:
    """The bases of some callees over a store in memory. Each `drive` knows what the one before has stored."""

    def __init__(self, *callees: AnyCallee, layers: Stack[CallLayer] | None = None) -> None:
        self.store = InMemoryStore(lambda: 0.0)
        self.callees = Registry(callees)
        self.door = Dispatcher(layers or Stack(), self.callees, Limits())

    def named(self, name: str) -> AnyCallee:
        """The callee of that name, or what stands for one that nobody has."""
        return self.callees.get_or_missing(name)

    async def drive(self) -> RunLedger:
        """The ledger of a driver that has just taken the run up."""
        epoch = (await self.store.acquire("run", "test", 0.0)).epoch
        known = await self.store.read("run")
        return RunLedger(self.store, "run", epoch, clock=lambda: 0.0, on_stored=_nobody, history=known)

    async def call(self, callee: AnyCallee, arguments: str = "{}", *, ledger: RunLedger | None = None) -> Call:
        """A call as the base sees it."""
        return await make_call(callee, arguments, ledger=ledger or await self.drive())

    async def base(self, callee: AnyCallee, arguments: str = "{}", *, ledger: RunLedger | None = None) -> Reply:
        """What the base alone makes of a call."""
        return await Base(callee, self.door)(await self.call(callee, arguments, ledger=ledger))

    async def reply(self, callee: AnyCallee, arguments: str = "{}") -> Reply:
        """What the callee with all its layers makes of a call."""
        return await self.door.service("", callee)(await self.call(callee, arguments))

    async def stored(self) -> list[Item]:
        """What a crash at this moment would leave."""
        return [position.item for position in await self.store.read("run")]

    async def kinds(self) -> list[str]:
        """The kinds of `stored`."""
        return [item.kind for item in await self.stored()]

    async def approve(self, call: Call, *, approved: bool | None = True) -> Question:
        """Ask about a call, and decide unless ``approved`` is None, as approve does it."""
        bound = call.with_payload(call.callee.schema_in.bind(call.arguments))
        match = compute_match(bound, "1")
        question = build_question(bound, Ask(reason="why not"), "rule", match, waits=True)
        await call.ledger.commit(question_item(question, call=call.id, parent="parent"))
        if approved is not None:
            await call.ledger.commit(decided(call, question.id, approved=approved))
        return question


def decided(call: Call, question: str, *, approved: bool) -> DecisionItem:
    """The decision on a question, as the inbox gives it to a call."""
    decision = Decision(question=question, approved=approved, by="ada")
    return DecisionItem(call=call.id, question=question, body=decision.to_json())


def of_kind(items: Sequence[Item], kind: type[Item]) -> list[Any]:
    """The items of one class."""
    return [item for item in items if isinstance(item, kind)]


def _nobody(_positions: Sequence[Position]) -> None:
    """Nobody watches."""
