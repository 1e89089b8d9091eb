"""A person's approval, where the policy asks for one."""

from __future__ import annotations

from dataclasses import dataclass, field

from remit.approvals.inbox import Approver, HasApprover, intended, match_of, question_of
from remit.approvals.policy import DEFAULT_POLICY, Ask, Block, Policy
from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.items import Asked, Decided, Started
from remit.contracts.ledger import Take
from remit.contracts.question import Decision, Question
from remit.contracts.reply import Reply
from remit.core import Place
from remit.errors import BlockedError, CapabilityError, RefusedError, Suspended


@dataclass(frozen=True, slots=True)
class Approve(CallLayer):
    """Asks ``env.approver`` about each call that ``policy`` says to ask about; an undecided question suspends the run.

    An environment without an approver refuses every call. A call with its confirmation flag unset opens the question
    for the call it announces, and goes on.
    """

    place = Place.APPROVE
    env: HasApprover = field(repr=False)
    policy: Policy = field(default=DEFAULT_POLICY, kw_only=True)

    def __call__(self, inner: CallService, /) -> CallService:
        """The service that asks before ``inner``."""
        return _Approve(inner, self.env.approver, self.policy).__call__


class _Approve:
    __slots__ = ("_approver", "_inner", "_policy")

    def __init__(self, inner: CallService, approver: Approver | None, policy: Policy) -> None:
        self._inner = inner
        self._approver = approver
        self._policy = policy

    async def __call__(self, call: Call, /) -> Reply:
        if self._approver is None:
            raise CapabilityError(f"{call.callee.name} cannot run: the environment has no approver to ask")
        verdict, rule = self._policy.verdict(call)
        if isinstance(verdict, Block):
            raise BlockedError(f"{call.callee.name} is blocked by the rule '{rule}': {verdict.reason}")
        if isinstance(verdict, Ask):
            announced = intended(call)
            if announced is None:
                await self._decided(call, verdict, rule, self._approver)
            else:
                await self._announce(call, verdict, rule, announced)
        return await self._inner(call)

    async def _announce(self, call: Call, ask: Ask, rule: str, arguments: str) -> None:
        match = match_of(call, arguments, self._policy.version)
        if call.caller.conversation and await call.ledger.standing(match) is None:
            question = question_of(call, ask, rule, arguments=arguments, match=match, waits=False)
            await call.ledger.commit(Asked(call=match, parent="", question=question.id, body=question.json()))

    async def _decided(self, call: Call, ask: Ask, rule: str, approver: Approver) -> None:
        if any(isinstance(item, Started) for item in call.ledger.known(call.id)):
            return
        question, decision = await self._question(call, ask, rule)
        if decision is None and question.expires > call.ledger.now():
            decision = await approver.decide(question)
            if decision is None:
                raise Suspended(question.id)
            if decision.question != question.id or type(decision.approved) is not bool:
                raise RefusedError(f"what the approver answered is no decision on question {question.id}")
            await call.ledger.commit(Decided(call=call.id, question=question.id, body=decision.json()))
        if question.expires <= call.ledger.now():
            raise RefusedError(f"nobody answered question {question.id} in time, or the approval was not used in time")
        if decision is not None and not decision.approved:
            raise RefusedError(decision.reason or f"{decision.by} did not allow {call.callee.name}")

    async def _question(self, call: Call, ask: Ask, rule: str) -> tuple[Question, Decision | None]:
        match = match_of(call, call.canonical, self._policy.version)
        question, decision = recorded(call, match)
        if question is not None:
            return question, decision
        if call.callee.facts.confirm is not None:
            question, decision = await call.ledger.standing(match) or (None, None)
        if question is None:
            question = question_of(call, ask, rule, arguments=call.canonical, match=match, waits=True)
        asked = Asked(call=call.id, parent=call.caller.call, question=question.id, body=question.json())
        await call.ledger.commit(asked)
        if decision is not None:
            used = None if decision.approved else Take(question.id, call.caller.run, call.id, approved=False)
            await call.ledger.commit(Decided(call=call.id, question=question.id, body=decision.json()), used)
        return question, decision


def recorded(call: Call, match: str) -> tuple[Question | None, Decision | None]:
    """The newest question that the journal holds about this call, if it still matches, and the decision on it."""
    question: Question | None = None
    decision: Decision | None = None
    for item in call.ledger.known(call.id):
        if isinstance(item, Asked) and item.about == "approval":
            question, decision = Question.of(item.body), None
        elif isinstance(item, Decided) and question is not None and item.question == question.id:
            decision = Decision.of(item.body)
    return (question, decision) if question is not None and question.match == match else (None, None)
