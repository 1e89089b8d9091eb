"""A person's approval, where the policy asks for one."""

from __future__ import annotations

import asyncio
from dataclasses import field, replace

from remit.approvals.editing import answers, canonical_edit, told
from remit.approvals.granting import by_grant, standing_grant, used_grant
from remit.approvals.inbox import Approver, HasApprover, intended, match_of, question_of
from remit.approvals.policy import DEFAULT_POLICY, Ask, Block, Policy
from remit.approvals.recorded import Approved, begun, recorded, with_arguments
from remit.approvals.shown import shown
from remit.contracts.arguments import Limits
from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.items import Asked, Decided
from remit.contracts.ledger import Take
from remit.contracts.question import Decision, Question
from remit.contracts.reply import Reply
from remit.core import Place
from remit.core.frozen import frozen
from remit.errors import BlockedError, CallError, CapabilityError, InvalidError, RefusedError, Suspended


@frozen(kw_only=False)
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
        _refuse_blocked(call, verdict, rule)
        approved = begun(call)
        if approved is None and isinstance(verdict, Ask):
            announced = intended(call)
            if announced is not None:
                await self._announce(call, announced, verdict, rule)
            else:
                approved = await self._approved(call, verdict, rule, self._approver)
                if call.ledger.stopping:
                    raise asyncio.CancelledError  # the run only ends: what has not begun does not begin
        if approved is None or not approved.editor:
            return await self._inner(call)
        try:
            reply = await self._inner(approved.call)
        except CallError as error:
            if not call.wire:
                raise
            reply = Reply.failed(error)
        return told(reply, approved)

    async def _announce(self, call: Call, announced: Call, ask: Ask, rule: str) -> None:
        match = match_of(announced, self._policy.version)
        if not call.caller.conversation or await call.ledger.standing(match) is not None:
            return
        if await standing_grant(announced, ask, self._policy.version) is None:
            question = question_of(announced, ask, rule, match, waits=False, shown=await shown(announced))
            await call.ledger.commit(Asked(call=match, parent="", question=question.id, body=question.json()))

    async def _approved(self, call: Call, ask: Ask, rule: str, approver: Approver) -> Approved:
        """The call as somebody allowed it. Where they edited it and the policy then asks for more, it is asked anew."""
        edits = editor = ""
        while True:
            question, decision = await self._question(call, ask, rule, edits, editor)
            decision = await _answer(call, question, decision, approver)
            if not decision.arguments:
                return Approved(call, editor)
            call, editor = with_arguments(call, decision.arguments), decision.by
            verdict, rule = self._policy.verdict(call)
            _refuse_blocked(call, verdict, rule)
            if not isinstance(verdict, Ask) or answers(question, verdict, rule):
                return Approved(call, editor)
            ask, edits = verdict, question.id

    async def _question(
        self, call: Call, ask: Ask, rule: str, edits: str, editor: str
    ) -> tuple[Question, Decision | None]:
        """The question about a call, as it was asked or is now, and the decision, if there is one."""
        match = match_of(call, self._policy.version)
        question, decision = recorded(call, match, edits)
        if question is not None:
            return question, decision
        if call.callee.facts.confirm is not None and not edits:
            question, decision = await call.ledger.standing(match) or (None, None)
        if question is None:
            question, decision = await self._new(call, ask, rule, match, edits, editor)
        take = Take(edits, call.caller.run, call.id) if edits else None
        if decision is not None and not decision.approved:
            take = Take(question.id, call.caller.run, call.id, approved=False)
        asked = Asked(call=call.id, parent=call.caller.call, question=question.id, body=question.json())
        if decision is None:
            await call.ledger.commit(asked, take)
        else:
            call.ledger.add(asked)
            await call.ledger.commit(Decided(call=call.id, question=question.id, body=decision.json()), take)
        return question, decision

    async def _new(
        self, call: Call, ask: Ask, rule: str, match: str, edits: str, editor: str
    ) -> tuple[Question, Decision | None]:
        """A question of its own, and the decision on it, if a grant gives one."""
        grant = await used_grant(call, ask, self._policy.version, editor)
        if grant is None:
            ask = replace(ask, reason=f"{ask.reason}; {editor} edited it") if editor else ask
            about = await shown(call)
            return question_of(call, ask, rule, match, waits=True, shown=about, edits=edits, editor=editor), None
        question = question_of(call, ask, rule, match, waits=True, edits=edits, editor=editor)
        return question, by_grant(question, grant, call.ledger.now())


async def _answer(call: Call, question: Question, decision: Decision | None, approver: Approver) -> Decision:
    """The yes to a question.

    Raises:
        Suspended: nobody has decided.
        RefusedError: somebody said no, nobody answered in time, or it is not for them to decide.
    """
    if decision is None and question.expires > call.ledger.now():
        decision = await approver.decide(question)
        if decision is None:
            raise Suspended(question.id)
        decision = _checked(call, question, decision)
        await call.ledger.commit(Decided(call=call.id, question=question.id, body=decision.json()))
    if decision is None or question.expires <= call.ledger.now():
        raise RefusedError(f"nobody answered question {question.id} in time, or the approval was not used in time")
    if not decision.approved:
        raise RefusedError(decision.reason or f"{decision.by} did not allow {call.callee.name}")
    if decision.grant and not await call.ledger.honours(question.tenant, decision.grant):
        raise RefusedError(f"the grant {decision.grant} that allowed {call.callee.name} does not stand any more")
    if question.four_eyes and decision.by in (*question.requesters, call.caller.principal.name):
        raise RefusedError(f"{decision.by} wants {call.callee.name} to run, and somebody else must allow it")
    return decision


def _checked(call: Call, question: Question, decision: Decision) -> Decision:
    """What an approver of this process answered, if it is a decision on this question."""
    of_a_person = decision.question == question.id and type(decision.approved) is bool and not decision.grant
    if not of_a_person or (decision.arguments and not decision.approved):
        raise RefusedError(f"what the approver answered is no decision on question {question.id}")
    if not decision.arguments:
        return decision
    try:
        edited = canonical_edit(call.callee, decision.arguments, question, Limits())
    except InvalidError as error:
        raise RefusedError(f"{decision.by} edited the arguments to what cannot run: {error.message}") from error
    return replace(decision, arguments=edited)


def _refuse_blocked(call: Call, verdict: object, rule: str) -> None:
    if isinstance(verdict, Block):
        raise BlockedError(f"{call.callee.name} is blocked by the rule '{rule}': {verdict.reason}")
