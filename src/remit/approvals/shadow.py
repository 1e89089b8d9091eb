"""A policy in the shadow of the one in force: it judges the same calls, and only its differences are recorded."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from remit.approvals.judgement import Judgement, difference, judge, judgement_of
from remit.approvals.policy import Policy, Verdict
from remit.call.call import Call
from remit.call.gate import has_begun_body
from remit.record.items import Note

SHADOW_NOTE: Final = "policy.shadow"
"""The name of the note with the two judgements on a call."""


class ShadowNote(Struct, frozen=True):
    """What the policy in force said about a call, and what the shadow policy would have said."""

    before: Judgement
    after: Judgement


def record_shadow(call: Call, shadow: Policy, verdict: Verdict, rule: str) -> None:
    """Note on a call that ``shadow`` judges it differently from the verdict in force. An error in it is a block.

    A call is judged before it begins. Calls on which the shadow would have to read other runs are left out, because
    calls leave marks for the policy in force only.
    """
    items = call.ledger.items_for(call.id)
    is_over = call.ledger.execution.is_replaying or has_begun_body(items)
    if is_over or shadow.earlier_calls.reads_other_runs(call):
        return
    before, after = judgement_of(verdict, rule), judge(shadow, call)
    if difference(before, after) is None:
        return
    note = Note(call=call.id, name=SHADOW_NOTE, data=msgspec.json.encode(ShadowNote(before, after)).decode())
    if note not in items:
        call.ledger.add(note)


def read_shadow(note: Note) -> ShadowNote | None:
    """The judgements that a note holds; None if it is another note."""
    return msgspec.json.decode(note.data, type=ShadowNote) if note.name == SHADOW_NOTE else None
