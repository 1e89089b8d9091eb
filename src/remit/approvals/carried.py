"""Announced calls that a person confirmed or approved. The runtime makes each in the run that the decision opened.

Such a run *carries* the call. Its header names the call, and is stored in one transaction with the question and the
decision.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from remit.approvals.approver import compute_match
from remit.approvals.from_journal import RecordedQuestion, question_item
from remit.call.call import Call, derive_call_id, root_call_id
from remit.call.gate import has_begun
from remit.call.reply import Reply
from remit.chat.call_ids import PORTABLE_CHARS
from remit.chat.chat import CARRIED_ID
from remit.errors import ApprovalDeniedError
from remit.record.arguments import Limits, content_digest, parse_arguments
from remit.record.items import AttemptEnded, DecisionItem, Item, RunOpened, ToolOutput, output_content
from remit.record.ledger import find_carried_call
from remit.record.question import Decision, Question
from remit.record.run_artifacts import from_recorded


def carried_wire_id(call: str) -> str:
    """The id of a carried call in the agent's conversation, since no model gave it one."""
    return CARRIED_ID + content_digest("carried", call)[: PORTABLE_CHARS - len(CARRIED_ID)]


def describe_act(question: Question, decision: Decision) -> str:
    """The message of a run that was opened by a decision without a message."""
    did = "confirmed" if decision.kind == "confirm" else "approved"
    return f"[{decision.by} {did} the announced call of {question.tool}; it is made now, and its result follows.]"


def open_with(header: RunOpened, carried: RecordedQuestion, limits: Limits) -> tuple[RunOpened, Sequence[Item]]:
    """The header of a run that carries a question's call, followed by the question and the decision."""
    question, decision = carried
    call, parent, wire = root_call_id(header), "", ""
    if question.agent:
        call, parent = derive_call_id(call, question.tool, parse_arguments(question.arguments, limits), {}), call
        wire = carried_wire_id(call)
    following: list[Item] = [question_item(question, call=call, parent=parent, wire=wire)]
    if decision is not None:
        following.append(DecisionItem(call=call, question=question.id, body=decision.to_json()))
    return structs.replace(header, carries=call), following


async def find_shared(call: Call, match: str) -> RecordedQuestion | None:
    """Find the conversation's question that the call shares: an open one, or a denial not yet reported to a call.

    A question that is approved while its run executes is shared only by the calls of that run; the approval is used by
    the run that the decision opens.
    """
    found = await call.ledger.decisions.find_usable_question(match)
    if found is None or (found[1] is not None and found[1].approved and found[0].run != call.caller.run):
        return None
    return RecordedQuestion(*found)


async def find_repeated(call: Call, policy_version: str) -> Reply | None:
    """The reply to the run's carried call if ``call`` repeats it, else None."""
    carried, question = find_carried_call(call.ledger)
    if question is None or carried == call.id or question.match != compute_match(call, policy_version):
        return None
    items = call.ledger.items_for(carried)
    output = next((item for item in items if isinstance(item, ToolOutput)), None)
    if output is None:
        return None
    ended = next((item for item in reversed(items) if isinstance(item, AttemptEnded)), None)
    if ended is None or not has_begun(items):
        return Reply.from_journal(output_content(output), output.outcome, is_final=output.final)
    return Reply.from_journal(await from_recorded(ended.content), ended.outcome, is_final=ended.final)


def refuse_used(call: Call, question: str) -> None:
    """Refuse a run's carried call if another call that waited for the same answer was made instead.

    Raises:
        ApprovalDeniedError: the other call used the approval.
    """
    if find_carried_call(call.ledger)[0] == call.id:
        raise ApprovalDeniedError(
            f"the answer to question {question} was used by another call: {call.callee.name} was called"
        )
