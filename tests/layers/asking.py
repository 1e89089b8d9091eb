"""People who decide, and a ledger over a store that both sides of an approval can see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from remit import Policy, Risk, Tool, tool
from remit.approvals.policy import DEFAULT_POLICY
from remit.journal.ledger import RunLedger
from remit.layers import Approve, Call
from remit.policies import Approver, Decision, Question
from remit.record.items import DecisionItem, QuestionItem
from remit.stores import InMemoryStore
from remit.testing import make_call


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Person:
    """An approver in this process: answers each question by ``answer``, and remembers what was asked."""

    def __init__(self, answer: Callable[[Question], Decision | None]) -> None:
        self._answer = answer
        self.asked: list[Question] = []

    async def decide(self, question: Question, /) -> Decision | None:
        self.asked.append(question)
        return self._answer(question)


def says(approved: bool, reason: str = "") -> Person:
    """A person who answers at once."""
    return Person(lambda question: Decision(question=question.id, approved=approved, by="bea", reason=reason))


def later() -> Person:
    """A person who answers later."""
    return Person(lambda _question: None)


@dataclass
class Env:
    approver: Approver | None


@dataclass
class Desk:
    """One store and clock, for several runs of one conversation."""

    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.store = InMemoryStore(self.clock)

    async def ledger(self, run: str, *, conversation: str = "") -> RunLedger:
        """The ledger of a run that begins now, or of one that is driven again."""
        epoch = (await self.store.acquire(run, "test", 1.0)).epoch
        known = await self.store.read(run)
        self.clock.now += 1.0
        return RunLedger(
            self.store,
            run,
            epoch,
            conversation=conversation,
            clock=self.clock,
            on_stored=lambda _positions: None,
            history=known,
        )

    async def call(
        self,
        callee: Tool[..., Any],
        arguments: str,
        *,
        run: str = "run",
        conversation: str = "",
        name: str = "call",
        wire: str = "",
    ) -> Call:
        """A bound call in a run, as validate hands it on. With an id on the ``wire`` a model has made it."""
        ledger = await self.ledger(run, conversation=conversation)
        call = await make_call(callee, arguments, ledger=ledger, conversation=conversation, call_id=name, wire=wire)
        return call.with_payload(callee.schema_in.bind(call.arguments))

    async def decide(self, question: str, *, approved: bool, reason: str = "") -> None:
        """The decision of an authenticated person, as the runtime stores it."""
        await self.store.decide(Decision(question=question, approved=approved, by="bea", reason=reason))

    async def questions(self) -> list[Question]:
        return [row.question for row in await self.store.list_questions(only_open=False)]


def approve(approver: Approver | None, policy: Policy = DEFAULT_POLICY) -> Approve:
    return Approve(Env(approver), policy=policy)


def asked(call: Call) -> list[Question]:
    """The questions that the journal holds about a call."""
    return [Question.from_json(item.body) for item in call.ledger.items_for(call.id) if isinstance(item, QuestionItem)]


def decided(call: Call) -> list[Decision]:
    """The decisions that the journal holds about a call."""
    return [Decision.from_json(item.body) for item in call.ledger.items_for(call.id) if isinstance(item, DecisionItem)]


@tool(risk=Risk.HIGH)
async def drop(page: str) -> str:
    """Drop a page."""
    return page


DROP = '{"page":"about"}'
