"""Approval by a person, where the policy requires it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

from remit.approvals.approver import Approver, HasApprover, build_question, compute_match, find_announced_call
from remit.approvals.editing import add_edit_notice, approval_covers, canonicalize_edit
from remit.approvals.from_journal import ApprovedCall, find_recorded_question, find_started_call, with_arguments
from remit.approvals.grants import consume_grant, decide_by_grant, find_usable_grant
from remit.approvals.policy import DEFAULT_POLICY, Ask, Block, Policy
from remit.approvals.preview import preview_call
from remit.contracts.arguments import Limits
from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.items import DecisionItem, QuestionItem
from remit.contracts.ledger import Consumption
from remit.contracts.question import Decision, Question
from remit.contracts.reply import Reply
from remit.core import Place
from remit.errors import (
    ApprovalDeniedError,
    BlockedError,
    CallError,
    InvalidArgumentsError,
    MissingCapabilityError,
    Suspended,
)


@dataclass(frozen=True, slots=True)
class Approve(CallLayer):
    """Asks ``env.approver`` about each call for which ``policy`` requires approval. An open question suspends the run.

    An environment without an approver refuses every call. A call with its confirmation flag unset opens the question
    for the call it announces, and runs.
    """

    place = Place.APPROVE
    env: HasApprover = field(repr=False)
    policy: Policy = field(default=DEFAULT_POLICY, kw_only=True)

    def __call__(self, inner: CallService, /) -> CallService:
        """Obtain approval before ``inner``."""
        return _Approve(inner, self.env.approver, self.policy).__call__


class _Approve:
    __slots__ = ("_approver", "_inner", "_policy")

    def __init__(self, inner: CallService, approver: Approver | None, policy: Policy) -> None:
        self._inner = inner
        self._approver = approver
        self._policy = policy

    async def __call__(self, call: Call, /) -> Reply:
        if self._approver is None:
            raise MissingCapabilityError(f"{call.callee.name} cannot run: the environment has no approver")
        verdict, rule = self._policy.verdict(call)
        _raise_if_blocked(call, verdict, rule)
        approval = find_started_call(call)
        if approval is None and isinstance(verdict, Ask):
            announced = find_announced_call(call)
            if announced is not None:
                await self._open_announced_question(call, announced, verdict, rule)
            else:
                approval = await self._obtain_approval(call, verdict, rule, self._approver)
                if call.ledger.is_stopping:
                    raise asyncio.CancelledError  # the run is ending: no new call may begin
        if approval is None or not approval.editor:
            return await self._inner(call)
        try:
            reply = await self._inner(approval.call)
        except CallError as error:
            if not call.wire_id:
                raise
            reply = Reply.from_error(error)
        return add_edit_notice(reply, approval)

    async def _open_announced_question(self, call: Call, announced_call: Call, ask: Ask, rule: str) -> None:
        match = compute_match(announced_call, self._policy.version)
        if not call.caller.conversation or await call.ledger.find_usable_question(match) is not None:
            return
        if await find_usable_grant(announced_call, ask, self._policy.version) is None:
            question = build_question(
                announced_call, ask, rule, match, waits=False, preview=await preview_call(announced_call)
            )
            await call.ledger.commit(QuestionItem(call=match, parent="", question=question.id, body=question.to_json()))

    async def _obtain_approval(self, call: Call, ask: Ask, rule: str, approver: Approver) -> ApprovedCall:
        """Return the approved call. If the approver edited it and the policy requires more for the edit, ask again."""
        edited_question = editor = ""
        while True:
            question, decision = await self._find_or_open_question(call, ask, rule, edited_question, editor)
            decision = await _require_approval(call, question, decision, approver)
            if not decision.arguments:
                return ApprovedCall(call, editor)
            call, editor = with_arguments(call, decision.arguments), decision.by
            verdict, rule = self._policy.verdict(call)
            _raise_if_blocked(call, verdict, rule)
            if not isinstance(verdict, Ask) or approval_covers(question, verdict, rule):
                return ApprovedCall(call, editor)
            ask, edited_question = verdict, question.id

    async def _find_or_open_question(
        self, call: Call, ask: Ask, rule: str, edited_question: str, editor: str
    ) -> tuple[Question, Decision | None]:
        """Return the recorded or newly opened question about a call, and its decision if there is one."""
        match = compute_match(call, self._policy.version)
        question, decision = find_recorded_question(call, match, edited_question)
        if question is not None:
            return question, decision
        if call.callee.facts.confirm is not None and not edited_question:
            question, decision = await call.ledger.find_usable_question(match) or (None, None)
        if question is None:
            question, decision = await self._create_question(call, ask, rule, match, edited_question, editor)
        consumption = Consumption((edited_question,), call.caller.run, call.id) if edited_question else None
        if decision is not None and not decision.approved:
            consumption = Consumption((question.id,), call.caller.run, call.id, approved=False)
        item = QuestionItem(call=call.id, parent=call.caller.call, question=question.id, body=question.to_json())
        if decision is None:
            await call.ledger.commit(item, consumption)
        else:
            call.ledger.add(item)
            decision_item = DecisionItem(call=call.id, question=question.id, body=decision.to_json())
            await call.ledger.commit(decision_item, consumption)
        return question, decision

    async def _create_question(
        self, call: Call, ask: Ask, rule: str, match: str, edited_question: str, editor: str
    ) -> tuple[Question, Decision | None]:
        """Create a question, and the decision on it if a grant approves the call."""
        grant = await consume_grant(call, ask, self._policy.version, editor)
        if grant is None:
            ask = replace(ask, reason=f"{ask.reason}; {editor} edited it") if editor else ask
            preview = await preview_call(call)
            return build_question(
                call, ask, rule, match, waits=True, preview=preview, edits=edited_question, editor=editor
            ), None
        question = build_question(call, ask, rule, match, waits=True, edits=edited_question, editor=editor)
        return question, decide_by_grant(question, grant, call.ledger.now())


async def _require_approval(call: Call, question: Question, decision: Decision | None, approver: Approver) -> Decision:
    """Return the decision that approves the call.

    Raises:
        Suspended: the question is open.
        ApprovalDeniedError: the call was denied, no decision came in time, or the approver may not decide.
    """
    if decision is None and question.expires > call.ledger.now():
        decision = await approver.decide(question)
        if decision is None:
            raise Suspended(question.id)
        # Stored first: another approver may have decided by now, and a process that dies here must leave one decision.
        decision = await call.ledger.decide(_validate_decision(call, question, decision))
        if decision is not None:
            await call.ledger.commit(DecisionItem(call=call.id, question=question.id, body=decision.to_json()))
    if decision is None or question.expires <= call.ledger.now():
        raise ApprovalDeniedError(
            f"question {question.id} was not decided in time, or its approval was not used in time"
        )
    if not decision.approved:
        raise ApprovalDeniedError(decision.reason or f"{decision.by} denied {call.callee.name}")
    if decision.grant and not await call.ledger.is_grant_valid(question.tenant, decision.grant):
        raise ApprovalDeniedError(f"the grant {decision.grant} for {call.callee.name} was revoked or has expired")
    _check_four_eyes(call, question, decision)
    return decision


def _check_four_eyes(call: Call, question: Question, decision: Decision) -> None:
    if question.four_eyes and decision.by in (*question.requesters, call.caller.principal.name):
        raise ApprovalDeniedError(f"{decision.by} requested {call.callee.name}, so another approver must decide")


def _validate_decision(call: Call, question: Question, decision: Decision) -> Decision:
    """Check that an in-process approver returned a valid decision on this question."""
    is_person_decision = decision.question == question.id and type(decision.approved) is bool and not decision.grant
    if not is_person_decision or (decision.arguments and not decision.approved):
        raise ApprovalDeniedError(f"the approver did not return a decision on question {question.id}")
    _check_four_eyes(call, question, decision)
    if not decision.arguments:
        return decision
    try:
        edited = canonicalize_edit(call.callee, decision.arguments, question, Limits())
    except InvalidArgumentsError as error:
        raise ApprovalDeniedError(
            f"{decision.by} edited the arguments so that they are invalid: {error.message}"
        ) from error
    return replace(decision, arguments=edited)


def _raise_if_blocked(call: Call, verdict: object, rule: str) -> None:
    if isinstance(verdict, Block):
        raise BlockedError(f"{call.callee.name} is blocked by the rule '{rule}': {verdict.reason}")
