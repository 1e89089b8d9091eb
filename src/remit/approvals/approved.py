"""Compares what approvers saw with the current state: before a call starts, and again when its body writes."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from remit.approvals.approver import build_replacement
from remit.approvals.from_journal import AskAgain, question_item, read_questions
from remit.approvals.preview import preview_call
from remit.call.call import Call
from remit.call.gate import has_begun
from remit.call.resolution import find_referents
from remit.errors import ConflictError, SealError
from remit.record.items import ArgumentsBound, AttemptStarted
from remit.record.ledger import Consumption
from remit.record.question import Preview, Question

_LOG: Final = logging.getLogger(__name__)


async def check_approved(call: Call, approved: Sequence[Question]) -> None:
    """Compare what each approver saw with the current state; if it differs, ask about the call again.

    Raises:
        AskAgain: the journal has a new question or the current objects. NotFoundError: an object is gone. SealError: no
            layer can ask about the change.
    """
    current = await _find_changed_referents(call)
    changed = None if current is not None else await _find_changed_preview(call, approved)
    if current is None and changed is None:
        return
    question = approved[0] if changed is None else changed[0]
    if question.id not in call.approvals:
        raise SealError(f"the state that {call.callee.name} was approved for has changed")
    if current is not None:
        await call.ledger.commit(ArgumentsBound(call=call.id, arguments=current.canonical_arguments))
    if changed is not None:
        question = build_replacement(*changed, call)
        item = question_item(question, call=call.id, parent=call.caller.call, wire=call.wire_id)
        await call.ledger.commit(item, Consumption((question.replaces,), call.caller.run, call.id))
    raise AskAgain(question.id)


class ApprovedCall:
    """An approved call whose body runs, and the result of the body's comparison before it writes."""

    __slots__ = ("_approved", "_call", "_has_changed", "_was_same")

    def __init__(self, call: Call, approved: Sequence[Question]) -> None:
        self._call, self._approved = call, approved
        self._was_same = self._has_changed = False

    @property
    def approvers(self) -> tuple[str, ...]:
        """The names of the approvers, each once."""
        asked = {question.id for question in self._approved}
        recorded = read_questions(self._call.ledger.items_for(self._call.id))
        decisions = [each.decision for each in recorded if each.decision is not None and each.question.id in asked]
        return (*dict.fromkeys(each.by for each in decisions),)

    async def compare(self) -> None:
        """Compare what the approvers saw with the current state; see `check_approved_state`."""
        current = await _find_changed_referents(self._call)
        changed = None if current is not None else await _find_changed_preview(self._call, self._approved)
        if current is None and changed is None:
            self._was_same = True
            return
        # Compare again: the body may have written since the last comparison, and caused the change itself.
        self._has_changed = not self._was_same
        detail = "" if changed is None else f": it was {changed[0].shown}, and is {changed[1].summary}"
        raise ConflictError(f"the state that {self._call.callee.name} was approved for has changed{detail}")

    def has_not_begun(self, attempt: int) -> bool:
        """Whether the body refused to write in this attempt, no other attempt has started, and a layer can ask."""
        items = self._call.ledger.items_for(self._call.id)
        others = [each for each in items if not isinstance(each, AttemptStarted) or each.attempt != attempt]
        return self._has_changed and bool(self._call.approvals) and not has_begun(others)

    def warn_if_unchecked(self) -> None:
        """Warn operators that the body ran without comparing the approved state."""
        if not self._was_same and any(question.state for question in self._approved):
            _LOG.warning(
                "%s ran without comparing the state in which it was approved; write with remit.effects.once, or await "
                "remit.tools.check_approved_state() before the write",
                self._call.callee.name,
            )


async def _find_changed_referents(call: Call) -> Call | None:
    """The call with the objects to which its references resolve now, or None if these match the approval."""
    if not call.callee.schema_in.references or call.ledger.execution.is_replaying:
        return None
    current = await find_referents(call)
    return None if current.canonical_arguments == call.canonical_arguments else current


async def _find_changed_preview(call: Call, approved: Sequence[Question]) -> tuple[Question, Preview] | None:
    """The first question with an outdated state, and the present preview."""
    stated = [question for question in approved if question.state]
    if not stated:
        return None
    preview = await preview_call(call)
    return next(((question, preview) for question in stated if question.state != preview.state), None)
