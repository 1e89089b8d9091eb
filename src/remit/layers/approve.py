"""Approval by a person, where the policy requires it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Final

from pydantic import PositiveInt

from remit.approvals.answers import record_question, record_rule, require_approval
from remit.approvals.approval_case import ApprovalCase
from remit.approvals.approver import (
    Approver,
    HasApprover,
    build_question,
    can_be_carried,
    compare_with_last,
    compute_match,
    find_announced_call,
)
from remit.approvals.authority import why_lost
from remit.approvals.carried import find_repeated, find_shared, refuse_used
from remit.approvals.editing import add_edit_notice
from remit.approvals.from_journal import (
    Approvals,
    AskAgain,
    RecordedQuestion,
    as_recorded,
    question_item,
    questions_since_start,
    read_approvals,
    was_just_edited,
)
from remit.approvals.grants import consume_grant, decide_by_grant, find_usable_grant
from remit.approvals.plan import ask_about_calls, find_cover, plan_calls, select_covered
from remit.approvals.policy import DEFAULT_POLICY, Allow, Ask, Block, Policy
from remit.approvals.preview import preview_call
from remit.approvals.question_limit import DEFAULT_MAX_QUESTIONS, find_due_summary
from remit.approvals.shadow import record_shadow
from remit.call.call import Call, CallLayer, CallService
from remit.call.facts import Effect
from remit.call.gate import has_begun
from remit.call.reply import Reply
from remit.call.resolution import resolve_references
from remit.core import Place
from remit.core.call_checks import check_arguments
from remit.core.checks import wrong_value
from remit.errors import (
    ApprovalDeniedError,
    BlockedError,
    CallError,
    ConflictError,
    MissingCapabilityError,
)
from remit.record.items import AttemptEnded, AttemptStarted, QuestionItem
from remit.record.ledger import Consumption
from remit.record.question import NO_PREVIEW


@check_arguments()
@dataclass(frozen=True, slots=True)
class Approve(CallLayer):
    """Asks ``env.approver`` about each call for which ``policy`` requires approval. An open question suspends the run.

    An environment without an approver refuses every call. A call with its confirmation flag unset runs, and opens the
    question about the call that it announces; a person's approval opens the run that makes that call. The tool's gates
    and its preview must succeed before a question is opened. After ``max_questions`` questions, a summary asks whether
    the run may ask as many again. ``shadow`` judges the calls too, and only what it says differently is recorded.
    """

    place = Place.APPROVE
    env: HasApprover = field(repr=False)
    policy: Policy = field(default=DEFAULT_POLICY, kw_only=True)
    max_questions: PositiveInt = field(default=DEFAULT_MAX_QUESTIONS, kw_only=True)
    shadow: Policy | None = field(default=None, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        if not hasattr(self.env, "approver"):
            raise wrong_value("Approve: env", self.env, "give an object with an approver, such as Env()")

    @property
    def own_code(self) -> str:
        """The rules of the application."""
        return ", ".join(f"the rule {name!r}" for name in self.policy.own_rules)

    def __call__(self, inner: CallService, /) -> CallService:
        """Obtain approval before ``inner``."""
        return _Approve(inner, self.env.approver, self).__call__


_MAX_ROUNDS: Final = 20
"""The number of times that one execution asks about a call whose arguments or state change after each answer."""


class _Approve:
    __slots__ = ("_approver", "_inner", "_max_questions", "_policy", "_shadow")

    def __init__(self, inner: CallService, approver: Approver | None, layer: Approve) -> None:
        self._inner = layer.policy.earlier_calls.mark_calls(inner)
        self._approver = approver
        self._policy = layer.policy
        self._max_questions = layer.max_questions
        self._shadow = layer.shadow

    async def __call__(self, call: Call, /) -> Reply:
        if self._approver is None:
            raise MissingCapabilityError(f"{call.callee.name} cannot run: the environment has no approver")
        if call.approvals:
            return await self._inner(await self._approve(call, self._approver))
        can_repeat = call.callee.facts.confirm is not None
        if can_repeat and (repeated := await find_repeated(call, self._policy.version)) is not None:
            return repeated
        can_refer = bool(call.callee.schema_in.references)
        for _ in range(_MAX_ROUNDS):
            try:
                if can_refer or call.ledger.items_for(call.id):
                    return await self._call_as_edited(call, self._approver)
                return await self._inner(await self._approve(call, self._approver))
            except AskAgain:
                await asyncio.sleep(0)  # the journal has a new edit or question
        raise ConflictError(f"{call.callee.name} has changed after each of {_MAX_ROUNDS} approvals")

    async def _call_as_edited(self, call: Call, approver: Approver) -> Reply:
        """Make the call with the last edit in the journal, even if the edit answered another policy."""
        edited = read_approvals(call.ledger.items_for(call.id))
        if edited.edit is not None or call.callee.schema_in.references:
            call = await resolve_references(as_recorded(call, edited.edit), edited=was_just_edited(call, edited.edit))
        if edited.edit is not None:
            for reserve in call.budgets:
                await reserve(call)
        call = await self._approve(call, approver)
        if edited.edit is None:
            return await self._inner(call)
        try:
            reply = await self._inner(call)
        except CallError as error:
            if not call.wire_id:
                raise
            reply = Reply.from_error(error)
        return add_edit_notice(reply, call, edited.editor)

    async def _approve(self, call: Call, approver: Approver) -> Call:
        """Return the call with the question whose approval this policy requires, or "" if it requires none."""
        earlier = self._policy.earlier_calls
        if earlier.rules:
            await earlier.read(call)
        judged = verdict, rule = self._policy.verdict(call)
        if earlier.rules:
            earlier.record(call)
        if self._shadow is not None:
            record_shadow(call, self._shadow, verdict, rule)
        if isinstance(verdict, Block):
            raise BlockedError(f"{call.callee.name} is blocked by the rule '{rule}': {verdict.reason}")
        items = call.ledger.items_for(call.id)
        question = ""
        makes_calls = call.callee.facts.effect is Effect.COMPOSED
        if makes_calls and isinstance(verdict, Allow):
            was_asked = any(isinstance(each, QuestionItem) for each in items)
            if not was_asked:
                verdict, rule = await ask_about_calls(call, self._policy) or (verdict, rule)
        if rule and isinstance(verdict, Allow):
            record_rule(call, rule)
        # Digests for matching are costly, so they are skipped for a call that needs no question and has none.
        if items or isinstance(verdict, Ask):
            match, approvals = compute_match(call, self._policy.version), read_approvals(items)
            recorded = _find_own_question(call, match, approvals)
            if _is_same_use(call, recorded):
                return call.with_approval("")
            used = recorded.question.id if recorded and await _is_used_elsewhere(call, recorded) else ""
            if used:
                refuse_used(call, used)
            lost = why_lost(call, *recorded) if recorded else ""
            case = ApprovalCase(call, verdict, rule, match, approvals, recorded, used, lost)
            question = await self._obtain_approval(case, approver)
            if question and earlier.rules and await earlier.have_changed(call, judged, self._policy.verdict):
                raise AskAgain(question)  # what happened while a person decided
        if question and call.ledger.execution.is_stopping:
            raise asyncio.CancelledError  # the run is ending: no new call may begin
        return call.with_approval(question)

    async def _obtain_approval(self, case: ApprovalCase, approver: Approver) -> str:
        """Return the approved question about the call; "" if it needs none.

        A call with a recorded question needs an answer even if the present policy or definition would not ask.
        """
        call, recorded = case.call, case.recorded
        if recorded is None:
            if not isinstance(case.verdict, Ask):
                return ""
            announced = find_announced_call(call)
            if announced is not None:
                await self._open_announced_question(call, announced, case.verdict, case.rule)
                return ""
            is_early = call.ledger.execution.is_early and not call.caller.call
            if is_early and await self._waits_for_grant(case, case.verdict):
                return ""
        if recorded is None or not case.still_applies(recorded, self._policy.version):
            if recorded is not None and recorded.edit:
                await require_approval(call, recorded, approver)
            recorded = await self._find_earlier_answer(case) or await self._open_question(case, approver)
        decision = await require_approval(call, recorded, approver)
        if decision.arguments not in ("", call.canonical_arguments) or why_lost(call, recorded.question, decision):
            raise AskAgain(recorded.question.id)
        return recorded.question.id

    async def _waits_for_grant(self, case: ApprovalCase, ask: Ask) -> bool:
        """Whether a scheduled call needs no question now because a grant is to approve it when it is made."""
        call, editor = case.call, case.approvals.editor
        if call.ledger.execution.is_replaying:
            return True
        return await find_usable_grant(call, ask, self._policy.version, editor) is not None

    async def _open_announced_question(self, call: Call, announced_call: Call, ask: Ask, rule: str) -> None:
        match = compute_match(announced_call, self._policy.version)
        if not can_be_carried(call) or await find_shared(call, match) is not None:
            return
        if await find_usable_grant(announced_call, ask, self._policy.version) is None:
            preview = await preview_call(announced_call)
            news = await compare_with_last(announced_call, rule)
            # There must be no await before the question is written, so that concurrent calls count towards the limit.
            if find_due_summary(call, ask, self._max_questions) is not None:
                return  # the call itself will ask
            question = build_question(announced_call, ask, rule, match, waits=False, preview=preview, news=news)
            await call.ledger.commit(question_item(question, call=match))

    async def _require_more_questions(self, call: Call, ask: Ask, approver: Approver) -> None:
        """Ask whether the run may keep asking if it has reached its limit of questions.

        Raises:
            Suspended: a person has not decided yet.
            ApprovalDeniedError: the run may not ask about this call.
        """
        summary = find_due_summary(call, ask, self._max_questions)
        if summary is None:
            return
        question = summary.question
        run_items = call.ledger.items_for(question.call)
        if not any(isinstance(each, QuestionItem) and each.question == question.id for each in run_items):
            await call.ledger.commit(question_item(question, call=question.call))
        await require_approval(call, summary, approver)

    async def _find_earlier_answer(self, case: ApprovalCase) -> RecordedQuestion | None:
        """Record the question about this call that was asked with its caller or opened by an announcing call."""
        call = case.call
        if case.recorded is not None or case.approvals.edit is not None:
            return None
        covered = None if case.approvals.refuted else find_cover(call, case.verdict, case.rule, case.match)
        if covered is not None:
            await record_question(call, covered, Consumption((), call.caller.run, call.id))
            return covered
        shared = None if call.callee.facts.confirm is None else await find_shared(call, case.match)
        if shared is None:
            return None
        question, decision = shared
        if decision is not None and decision.approved:
            raise ApprovalDeniedError(
                f"{decision.by} has answered question {question.id}: {call.callee.name} is called when this run has "
                "ended; do not call it again"
            )
        denied = () if decision is None else (question.id,)
        await record_question(call, shared, Consumption(denied, call.caller.run, call.id, approved=False))
        return shared

    async def _open_question(self, case: ApprovalCase, approver: Approver) -> RecordedQuestion:
        """Open a question about the call, decided at once if a grant approves the call.

        The question that it replaces can no longer be used.
        """
        call, approvals = case.call, case.approvals
        ask, rule, again = case.ask()
        grant = await consume_grant(call, ask, self._policy.version, approvals.editor)
        preview = NO_PREVIEW if grant else await preview_call(call)
        planned = [] if grant else await plan_calls(call, self._policy)
        news = () if grant else await compare_with_last(call, rule)
        if not grant:
            await self._require_more_questions(call, ask, approver)
        question = build_question(
            call,
            ask,
            rule,
            case.match,
            waits=True,
            preview=preview,
            plan=select_covered(planned, ask, self._policy),
            edits=approvals.edit.question.id if approvals.edit else "",
            editor=approvals.editor,
            replaces=case.earlier_question,
            news=news,
            again=again,
        )
        decision = decide_by_grant(question, grant, call.ledger.now()) if grant else None
        opened = RecordedQuestion(question, decision)
        used_up = [each for each in approvals.consumable_questions(call.ledger.now()) if each != case.used_elsewhere]
        await record_question(call, opened, Consumption(tuple(used_up), call.caller.run, call.id))
        return opened


def _is_same_use(call: Call, recorded: RecordedQuestion | None) -> bool:
    """Whether a recorded attempt makes another approval unnecessary."""
    items = call.ledger.items_for(call.id)
    if not has_begun(items):
        return False
    newest = next(item for item in reversed(items) if isinstance(item, (AttemptStarted, AttemptEnded)))
    has_ended = isinstance(newest, AttemptEnded) and newest.outcome == "ok"
    if has_ended or call.callee.facts.effect is Effect.UNSAFE:  # the base determines the outcome of an unsafe attempt
        return True
    return recorded is not None and recorded.question.id not in questions_since_start(items)


def _find_own_question(call: Call, match: str, approvals: Approvals) -> RecordedQuestion | None:
    """The question about the call by the layer in this position, or else one that matches."""
    standing = approvals.standing
    same = next((each for each in standing.values() if each.question.match == match and not each.edit), None)
    return standing.get(len(call.approvals)) or same


async def _is_used_elsewhere(call: Call, recorded: RecordedQuestion) -> bool:
    """Whether another call used the approval of a question that calls of a conversation share."""
    if call.callee.facts.confirm is None or recorded.decision is None or not recorded.decision.approved:
        return False
    return await call.ledger.decisions.is_used_elsewhere(recorded.question.id, call.id)
