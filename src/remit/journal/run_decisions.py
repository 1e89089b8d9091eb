"""The decisions and grants that the calls of an executing run use."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from remit.errors import RequestError
from remit.journal.ports import Store
from remit.record.grant import Grant
from remit.record.question import Decision, Question


class RunDecisions:
    """Reads the decisions and grants from the run's store.

    The ledger keeps ``application``, ``calls_by_question`` and ``decided_pairs`` as it reads and writes items.
    """

    def __init__(self, store: Store, run: str, epoch: int, conversation: str, clock: Callable[[], float]) -> None:
        self.application = ""
        self.calls_by_question: dict[str, list[str]] = {}
        self.decided_pairs: set[tuple[str, str]] = set()
        self._store = store
        self._run = run
        self._epoch = epoch
        self._conversation = conversation
        self._clock = clock

    def calls_waiting_for(self, question: str) -> list[str]:
        """The calls of this run that wait for the decision on a question."""
        return self.calls_by_question.get(question, [])

    def undecided_questions(self) -> list[tuple[str, str]]:
        """The questions of this run without a decision, each with its call."""
        if not self.calls_by_question:
            return []
        pairs = [(question, call) for question, calls in self.calls_by_question.items() for call in calls]
        return [pair for pair in pairs if pair not in self.decided_pairs]

    async def find_usable_question(self, match: str) -> tuple[Question, Decision | None] | None:
        """The conversation's open or unused question that matches, with its decision if there is one.

        A question that another call of this run already uses is not returned.
        """
        row = await self._store.find_usable_question(self._conversation, match) if self._conversation else None
        is_free = row is not None and all(call == match for call in self.calls_waiting_for(row.question.id))
        return (row.question, row.decision) if row is not None and is_free else None

    async def find_last_approval(
        self, *, tenant: str, asker: str, target: str, tool: str, rule: str
    ) -> tuple[Question, Decision] | None:
        """The newest approved question of this application with that rule, asker, tool and target."""
        row = await self._store.find_last_approval(
            application=self.application, tenant=tenant, asker=asker, target=target, tool=tool, rule=rule
        )
        return (row.question, row.decision) if row is not None and row.decision is not None else None

    async def is_used_elsewhere(self, question: str, call: str) -> bool:
        """Whether a call other than ``call`` has used the decision on a question."""
        row = await self._store.find_question(question)
        return row is not None and row.consumed_by not in (None, (self._run, call))

    async def decide(self, decision: Decision) -> Decision | None:
        """Store a decision made in this process; return the first stored one, or None if the question is closed."""
        try:
            await self._store.decide(decision)
        except RequestError:
            row = await self._store.find_question(decision.question)
            return row.decision if row is not None else None
        return decision

    async def usable_grants(self, tenant: str, tool: str) -> Sequence[Grant]:
        """The grants that can still approve calls of a tool."""
        rows = await self._store.list_grants(tenant=tenant, tool=tool)
        return [row.grant for row in rows if row.is_usable(self._clock())]

    async def is_grant_valid(self, tenant: str, grant: str) -> bool:
        """Whether a grant that approved a call is still valid."""
        row = await self._store.find_grant(grant)
        is_given = row is not None and row.grant.tenant == tenant and not row.revoked_by
        return row is not None and is_given and row.grant.expires > self._clock()

    async def use_grant(self, grant: str) -> bool:
        """Use one call of a grant."""
        return await self._store.use_grant(grant, self._run, self._epoch)
