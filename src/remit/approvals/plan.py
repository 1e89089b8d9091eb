"""The planned calls of a pipeline, which are approved together with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, NamedTuple

from remit.approvals.approver import build_question, compute_match, only_announces, valid_from
from remit.approvals.from_journal import RecordedQuestion, read_approvals
from remit.approvals.grants import find_usable_grant
from remit.approvals.policy import Allow, Ask, Policy, Verdict
from remit.approvals.preview import preview_call
from remit.call.call import Call, CallLayer, derive_call_id
from remit.call.callee import HasPlan
from remit.call.gate import Gate, check_gate
from remit.call.resolution import find_referents
from remit.core import Stack
from remit.core.protocols import implements
from remit.errors import CallError
from remit.record.arguments import Limits, parse_arguments
from remit.record.question import Decision, PlannedCall, Preview, Question

MAX_PLANNED_CALLS: Final = 100
"""The maximum number of calls in one question; further calls are asked about when they are made."""

_MAX_CHARS: Final = 1 << 17


class PlannedQuestion(NamedTuple):
    """A planned call, the policy's verdict that asks about it, and its preview."""

    call: Call
    ask: Ask
    rule: str
    preview: Preview


async def plan_calls(call: Call, policy: Policy) -> list[PlannedQuestion]:
    """The planned calls of the body of ``call`` that ``policy`` asks about and no grant covers.

    A call that would be refused now, or that cannot be described, is omitted.
    """
    planned: list[PlannedQuestion] = []
    for inner, layers in _derive_calls(call):
        if len(planned) >= MAX_PLANNED_CALLS:
            break
        with suppress(CallError):
            planned += await _plan_call(await find_referents(inner), layers, policy)
    return planned


async def ask_about_calls(call: Call, policy: Policy) -> tuple[Ask, str] | None:
    """The verdict on a call from its planned calls, with the rule of the first that asks.

    None if there is nothing to ask. After the body has started, each of its calls is asked about separately.
    """
    planned = [] if call.ledger.execution.is_replaying else await plan_calls(call, policy)
    if not planned or any(call.ledger.items_for(each.call.id) for each in planned):
        return None
    return _ask_about_first(call, planned)


def select_covered(planned: Iterable[PlannedQuestion], ask: Ask, policy: Policy) -> tuple[PlannedCall, ...]:
    """The planned calls that an answer to ``ask`` covers, in the form shown to the approver."""
    covered: list[PlannedCall] = []
    size = 0
    for call, own, rule, preview in planned:
        shown = PlannedCall(
            call=call.id,
            match=compute_match(call, policy.version),
            tool=call.callee.name,
            arguments=call.canonical_arguments,
            rule=rule,
            reason=own.reason,
            preview=preview,
        )
        size += len(repr(shown))
        if len(covered) == MAX_PLANNED_CALLS or size > _MAX_CHARS:
            break
        if _satisfies(own, who=ask.who, kind=ask.kind, four_eyes=ask.four_eyes):
            covered.append(shown)
    return tuple(covered)


def find_cover(call: Call, ask: Verdict, rule: str, match: str) -> RecordedQuestion | None:
    """A question about the call, with the decision on its caller's question that showed exactly this call.

    None if there is no such decision or it is no longer valid; then a separate question is asked about the call.
    """
    if not isinstance(ask, Ask):
        return None
    for question, decision in read_approvals(call.ledger.items_for(call.caller.call)).standing.values():
        shown = next((each for each in question.plan if (each.call, each.match) == (call.id, match)), None)
        expires = min(question.expires, valid_from(question.asked, call) + ask.expires_in)
        if (
            shown is not None
            and shown.rule == rule
            and decision is not None
            and decision.approved
            and question.accepts(decision)
            and _satisfies(ask, who=question.who, kind=question.needs, four_eyes=question.four_eyes)
            and expires > call.ledger.now()
        ):
            return _cover(call, ask, rule, shown, question, decision, expires)
    return None


def _cover(
    call: Call, ask: Ask, rule: str, shown: PlannedCall, question: Question, decision: Decision, expires: float
) -> RecordedQuestion:
    covered = replace(
        build_question(call, ask, rule, shown.match, waits=True, preview=shown.preview, editor=question.editor),
        asked=question.asked,
        within=question.id,
        expires=expires,
        plan=question.plan if isinstance(call.callee, HasPlan) else (),
    )
    reason = f"approved with {question.tool} by the answer to question {question.id}"
    return RecordedQuestion(covered, replace(decision, question=covered.id, arguments="", reason=reason))


def _ask_about_first(call: Call, planned: Sequence[PlannedQuestion]) -> tuple[Ask, str]:
    first = planned[0]
    reason = f"{call.callee.name} makes calls that need approval: {first.ask.reason}"
    return replace(first.ask, reason=reason), first.rule


def _satisfies(ask: Ask, *, who: str, kind: str, four_eyes: bool) -> bool:
    """Whether a decision under these rules is at least as strict as ``ask`` requires."""
    return (ask.who, ask.kind) == (who, kind) and (four_eyes or not ask.four_eyes)


def _derive_calls(call: Call) -> Iterator[tuple[Call, Stack[CallLayer]]]:
    """The body's planned calls with their future ids, and the layers of their tools.

    A call with computed defaults cannot be planned, because the values are computed again when it is made.
    """
    callee, payload = call.callee, call.payload
    if payload is None or not implements(callee, HasPlan):
        return
    caller, occurrences = call.caller.enter_call(call.id), dict[str, int]()
    for step_callee, text in callee.plan(payload):
        if step_callee.schema_in.computes_defaults:
            continue
        arguments = parse_arguments(text, Limits())
        call_id = derive_call_id(call.id, step_callee.name, arguments, occurrences)
        inner = Call(call_id, step_callee, arguments, caller, call.ledger, "", call.deadline)
        try:
            inner = inner.with_payload(step_callee.schema_in.bind(arguments, strict=True))
        except CallError:
            continue
        yield inner, step_callee.layers


async def _plan_call(call: Call, layers: Stack[CallLayer], policy: Policy) -> list[PlannedQuestion]:
    """The call and its own planned calls.

    Raises:
        CallError: the call would be refused now.
    """
    await policy.earlier_calls.read(call)
    verdict, rule = policy.verdict(call)
    inner = await plan_calls(call, policy)
    if isinstance(verdict, Allow) and inner:
        verdict, rule = _ask_about_first(call, inner)
    if (
        not isinstance(verdict, Ask)
        or only_announces(call)
        or await find_usable_grant(call, verdict, policy.version) is not None
    ):
        return []
    for layer in layers:
        if isinstance(layer, Gate):
            await check_gate(layer, call)
    return [PlannedQuestion(call, verdict, rule, await preview_call(call)), *inner]
