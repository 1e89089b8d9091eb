"""The decisions and reservations of replayed calls, which the journal records; a replay starts nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from remit.record.grant import Grant
from remit.record.items import DecisionItem, Item, QuestionItem
from remit.record.ledger import TurnRequest
from remit.record.question import Decision, Question
from remit.record.uses import UseRefusal, UseRequest


class ReplayedDecisions:
    """The recorded decisions of a run. ``items`` are the run's items by call."""

    def __init__(self, items: Mapping[str, Sequence[Item]]) -> None:
        self._items_by_call = items

    async def find_usable_question(self, match: str) -> tuple[Question, Decision | None] | None:
        """The question that the run recorded for this match."""
        question: Question | None = None
        decision: Decision | None = None
        for item in (item for items in self._items_by_call.values() for item in items):
            if isinstance(item, QuestionItem) and Question.from_json(item.body).match == match:
                question, decision = Question.from_json(item.body), None
            elif isinstance(item, DecisionItem) and question is not None and item.question == question.id:
                decision = Decision.from_json(item.body)
        return (question, decision) if question is not None else None

    async def find_last_approval(
        self, *, tenant: str, asker: str, target: str, tool: str, rule: str
    ) -> tuple[Question, Decision] | None:
        """Return None: a replay opens no question."""

    async def is_used_elsewhere(self, question: str, call: str) -> bool:
        """Return False: the run recorded the approval that it used."""
        return False

    async def decide(self, decision: Decision) -> Decision | None:
        """Return the decision: it is compared where it is journaled."""
        return decision

    async def usable_grants(self, tenant: str, tool: str) -> Sequence[Grant]:
        """Return none: decisions by grants are recorded."""
        return ()

    async def is_grant_valid(self, tenant: str, grant: str) -> bool:
        """Return True: decisions by grants are recorded."""
        return True

    async def use_grant(self, grant: str) -> bool:
        """Return False: a replay starts nothing."""
        return False


class NoReservations:
    """Grants every reservation, because the recorded calls had theirs."""

    async def take_turn(self, call: str, attempt: int, request: TurnRequest) -> float:
        """Return 0: a replay starts nothing."""
        return 0.0

    def reserve_call(self, call: str, limit: int, window: float = 0.0) -> bool:
        """Return True: a replay starts nothing."""
        return True

    async def reserve_uses(self, call: str, requests: Sequence[UseRequest]) -> UseRefusal | None:
        """Return None: a replay starts nothing."""

    async def latest_use(self, subject: str, call: str) -> float | None:
        """Return None: the run recorded what its rules read."""

    def reserve_handoff(self, agent: str, limit: int) -> bool:
        """Return True: a replay starts nothing."""
        return True
