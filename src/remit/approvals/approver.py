"""The approver capability, and the questions about calls."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, Protocol, cast

from pydantic import BaseModel

from remit.approvals.defaults import names_at_default
from remit.approvals.from_journal import RecordedQuestion
from remit.approvals.lifetime import MAX_LIFETIME
from remit.approvals.policy import DECIDE_PERMISSION, Ask
from remit.call.call import Call
from remit.call.contract import Contract, definition_digest
from remit.call.failures import is_failure
from remit.call.observing import await_callback
from remit.call.redact import safe_cause
from remit.call.reference import ids_of_referents
from remit.chat.chat import decode_message, message_text
from remit.errors import CallError, InternalError
from remit.record.arguments import content_digest
from remit.record.current_run import CURRENT_RUN
from remit.record.items import Message
from remit.record.ledger import is_of_open_run
from remit.record.question import (
    NO_PREVIEW,
    Change,
    Decision,
    PlannedCall,
    Preview,
    Question,
    QuestionKind,
    RepeatReason,
)
from remit.record.secret import redact_secrets
from remit.schemas.jsontext import canonical_text
from remit.views.sentences import consequence_of, sentence_of_arguments
from remit.views.values import describe_value


class Approver(Protocol):
    """Decides questions. It returns a decision at once, or None to let the run wait for a person."""

    async def decide(self, question: Question, /) -> Decision | None:
        """Return the decision if it is available at once, else None."""
        ...


class HasApprover(Protocol):
    """An environment with an approver. Without one (None), every call that needs approval is denied."""

    @property
    def approver(self) -> Approver | None:
        """The approver, or None."""
        ...


class InboxApprover:
    """An approver that never decides at once: the question waits in the journal for a decision."""

    async def decide(self, question: Question, /) -> Decision | None:
        """Return None: the decision comes later."""
        return None

    def __repr__(self) -> str:
        return "InboxApprover()"


async def ask_approver(approver: Approver, question: Question, deadline: float | None) -> Decision | None:
    """Ask the application's approver for an immediate decision.

    Raises:
        InternalError: the approver failed; the question stays open. DeadlineError: it took too long.
    """
    what = f"the approver of {question.tool}"
    try:
        made = await await_callback(what, approver.decide(question), deadline=deadline)
    except CallError:
        raise
    except BaseException as error:
        if not is_failure(error):
            raise
        problem = redact_secrets(f"{type(error).__name__}: {error}")
        raise InternalError(f"the approver failed, so {question.tool} is not called: {problem}") from safe_cause(error)
    if made is not None and not isinstance(cast("object", made), Decision):
        raise InternalError(f"{what} returned a value of type {type(made).__name__}; return a Decision, or None")
    return made


def find_announced_call(call: Call) -> Call | None:
    """Return the call that a call with an unset confirmation flag announces; None for other calls.

    An unconfirmed call changes nothing and needs no approval itself.
    """
    payload = call.payload
    field = None if payload is None else find_unset_flag(call.callee, payload)
    return None if payload is None or field is None else call.with_payload(payload.model_copy(update={field: True}))


def only_announces(call: Call) -> bool:
    """Whether a call's confirmation flag is unset, so that it announces another call; see `find_announced_call`."""
    return call.payload is not None and find_unset_flag(call.callee, call.payload) is not None


def can_be_carried(call: Call) -> bool:
    """Whether the decision on an announced call can open a run that makes the call.

    This requires a conversation, and a call that is the root of its run or comes from the model of the root agent. Any
    other caller, including an open run, waits for the decision itself.
    """
    caller = call.caller
    if not caller.conversation or not caller.call:
        return bool(caller.conversation)
    return bool(call.wire_id) and len(caller.path) <= 1 and not is_of_open_run(call.ledger, caller.run)


def find_unset_flag(callee: Contract, payload: BaseModel) -> str | None:
    """The field of the confirmation flag, if the callee has one and ``payload`` leaves it unset."""
    flag = callee.facts.confirm
    if flag is None:
        return None
    fields = type(payload).model_fields.items()
    field = next((name for name, field_info in fields if flag in (name, field_info.alias)), flag)
    return None if payload.model_dump(include={field})[field] is True else field


def compute_match(call: Call, policy_version: str) -> str:
    """Digest the properties that another call must share to use the same approval.

    With a confirmation flag, these are application, conversation, target, principal, tool and arguments. Otherwise,
    only the call itself matches.
    """
    caller, by = call.caller, call.caller.principal
    confirms = call.callee.facts.confirm is not None and caller.conversation
    shared = ("conversation", caller.application, caller.conversation, by.name)
    scope = shared if confirms else ("call", caller.run, call.id)
    parts = (by.tenant, *scope, call.callee.name, definition_digest(call.callee), policy_version)
    target = [call.caller.target] if call.caller.target else []
    return content_digest(*parts, call.canonical_arguments, *target)


def build_question(
    call: Call,
    ask: Ask,
    rule: str,
    match: str,
    *,
    waits: bool,
    preview: Preview = NO_PREVIEW,
    edits: str = "",
    editor: str = "",
    replaces: str = "",
    plan: tuple[PlannedCall, ...] = (),
    news: tuple[Change, ...] = (),
    again: RepeatReason | None = None,
) -> Question:
    """Build the question about a call, bound to everything that the decision depends on."""
    layer = len(call.approvals)  # each may ask the same
    question_id = content_digest(match, call.caller.run, call.id, edits, replaces, str(layer))[:12]
    question = replace(
        _build_question(call, "approval", ask, rule, question_id=question_id, match=match),
        waits=waits,
        edits=edits,
        editor=editor,
        replaces=replaces,
        layer=layer,
        message=_read_user_message(call),
        news=news,
        plan=plan,
        again=again,
    )
    return _with_preview(question, preview, call.callee)


def _with_preview(question: Question, preview: Preview, callee: Contract) -> Question:
    """Add the preview that the approver is shown, and bind the approval to it."""
    return replace(
        question,
        shown=preview.summary,
        changes=preview.changes,
        link=preview.link,
        shows=preview.shows,
        state=preview.state,
        sentence=sentence_of_arguments(
            callee.name, callee, question.arguments, names=dict(preview.names), at_default=question.at_default
        ),
    )


def find_change(question: Question, call: Call, *, is_edited: bool, is_used: bool) -> RepeatReason | None:
    """What changed since the question was opened; None if an approver has only edited the arguments."""
    risk, tool = call.callee.facts.risk.value, call.callee.name
    if is_used:
        return RepeatReason("used", "another call has used the approval")
    if risk != question.risk:
        return RepeatReason("risk", f"the risk of {tool} was {question.risk} and is {risk} now")
    if definition_digest(call.callee) != question.definition:
        return RepeatReason("definition", f"the definition of {tool} has changed")
    return None if is_edited else _compare_arguments(question, call)


def _compare_arguments(question: Question, call: Call) -> RepeatReason:
    if question.arguments == call.canonical_arguments:
        return RepeatReason("policy", "the policy has changed")
    before, now = (ids_of_referents(json.loads(each)) for each in (question.arguments, call.canonical_arguments))
    if before != now:
        return RepeatReason("arguments", "the arguments have changed")
    return RepeatReason("state", f"the state has changed since it was shown: it was {question.shown}")


def build_replacement(question: Question, preview: Preview, call: Call) -> Question:
    """Build the question that replaces ``question`` after a change of the state that it showed.

    The run of this call waits for it, also if another run announced the call.
    """
    was = f": it was {question.shown}" if question.shown != preview.summary else ""
    now = call.ledger.now()
    replacement = replace(
        question,
        id=content_digest(question.id, preview.state)[:12],
        run=call.ledger.run,
        call=call.id,
        again=RepeatReason("state", f"the state has changed since it was approved{was}"),
        asked=now,
        expires=now + question.expires - valid_from(question.asked, call),
        waits=True,
        replaces=question.id,
    )
    return _with_preview(replacement, preview, call.callee)


_MAX_MESSAGE: Final = 1000
_MAX_NEWS: Final = 200


async def compare_with_last(call: Call, rule: str) -> tuple[Change, ...]:
    """List the arguments that differ from the principal's last approved call of this tool and rule for the target."""
    by = call.caller.principal
    last = await call.ledger.decisions.find_last_approval(
        tenant=by.tenant, asker=by.name, target=call.caller.target, tool=call.callee.name, rule=rule
    )
    if last is None:
        return ()
    before: dict[str, Any] = json.loads(RecordedQuestion(*last).arguments)
    after: dict[str, Any] = json.loads(call.canonical_arguments)
    differing = (name for name in sorted({*before, *after}) if before.get(name) != after.get(name))
    return tuple(_compare_values(name, before.get(name), after.get(name)) for name in differing)


def _compare_values(name: str, before: object, after: object) -> Change:
    """A difference between two values in words, or as JSON where the words would be the same."""
    texts = describe_value(before), describe_value(after)
    if texts[0] == texts[1]:
        texts = canonical_text(before)[:_MAX_NEWS], canonical_text(after)[:_MAX_NEWS]
    return Change(name, *texts)


def _read_user_message(call: Call) -> str:
    """The user message that began the run; empty if there is none, and in a replay, which opens no questions.

    A message that Remit itself wrote does not count.
    """
    own = (item for item in call.ledger.recorded_items() if isinstance(item, Message) and item.call == item.agent)
    messages = (decode_message(each.text) for each in own if each.by != "loop")
    return next((message_text(each) for each in messages if each["role"] == "user"), "")[:_MAX_MESSAGE]


def build_outcome_question(
    call: Call, attempt: int, approvals: Sequence[Question] = (), *, replaces: str = "", lost: str = ""
) -> Question:
    """Build the question whether an interrupted call, whose end is unknown, happened.

    ``replaces`` is the question whose answer is void because its author has ``lost`` the permission.

    A decision must satisfy the rules of all ``approvals`` of the call: it needs their permissions and, if one requires
    four eyes, an author who did not request the call.
    """
    match = content_digest("outcome", call.caller.run, call.id, str(attempt), *([replaces] if replaces else []))
    reason = f"{call.callee.name} was started, and its end is unknown: did it happen?"
    ask = Ask(reason=reason, who=DECIDE_PERMISSION, expires_in=MAX_LIFETIME)
    question = _build_question(call, "outcome", ask, "outcome unknown", question_id=match[:12], match=match)
    question = replace(question, replaces=replaces, again=RepeatReason("authority", lost) if lost else None)
    if not approvals:
        return question
    first, permissions = approvals[0], dict.fromkeys(each.who for each in approvals)
    return replace(
        question,
        tenant=first.tenant,
        asker=first.asker,
        editor=next((each.editor for each in approvals if each.editor), ""),
        who=first.who,
        further_permissions=tuple(permissions)[1:],
        four_eyes=any(each.four_eyes for each in approvals),
        needs="approve" if any(each.needs == "approve" for each in approvals) else "confirm",
    )


def build_about_run(call: Call, ask: Ask, rule: str, number: str) -> Question:
    """Build a question about the run of ``call``, the next call about which the run would ask."""
    match = content_digest(rule, call.caller.run, number)
    question = _build_question(call, "approval", ask, rule, question_id=match[:12], match=match)
    return replace(question, call=call.caller.run)


def valid_from(asked: float, call: Call) -> float:
    """When the lifetime of a question about ``call`` begins. A scheduled call may be approved long before it runs."""
    return max(asked, call.ledger.execution.starts_at)


def _tell_time(call: Call) -> str:
    """Tell the approver when a scheduled call runs."""
    starts_at = call.ledger.execution.starts_at
    if starts_at <= call.ledger.now() or call.caller.call:
        return ""
    return f"; to run at {datetime.fromtimestamp(starts_at, UTC):%Y-%m-%d %H:%M} UTC"


def _build_question(call: Call, kind: QuestionKind, ask: Ask, rule: str, *, question_id: str, match: str) -> Question:
    now, caller = call.ledger.now(), call.caller
    name, arguments = call.callee.name, call.canonical_arguments
    at_default = names_at_default(call.callee.schema_in.model, arguments)
    return Question(
        id=question_id,
        match=match,
        kind=kind,
        tenant=caller.principal.tenant,
        conversation=caller.conversation,
        run=caller.run,
        call=call.id,
        agent="" if caller.is_outside else caller.agent,  # the caller is outside the run
        asker=caller.principal.name,
        tool=name,
        arguments=arguments,
        definition=definition_digest(call.callee),
        risk=call.callee.facts.risk.value,
        rule=rule,
        reason=ask.reason + _tell_time(call),
        who=ask.who,
        asked=now,
        expires=valid_from(now, call) + ask.expires_in,
        four_eyes=ask.four_eyes,
        needs=ask.kind,
        target=caller.target,
        at_default=at_default,
        sentence=sentence_of_arguments(name, call.callee, arguments, at_default=at_default),
        consequence=consequence_of(call.callee.facts, CURRENT_RUN.get().find_callee),
    )
