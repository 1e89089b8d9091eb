"""A receipt for people: what the calls of a run changed, one line each."""

from __future__ import annotations

from remit.views.receipt import Receipt, ReceiptCall

_NOTHING = "nothing was changed"


def receipt_lines(receipt: Receipt) -> list[str]:
    """The lines under an answer."""
    lines = [f"changed: {call.summary}" for call in receipt.changed] or [_NOTHING]
    if not receipt.changed and not receipt.has_changed_nothing:
        lines = []
    lines += [f"unknown: {call.summary}; it may have happened" for call in receipt.unknown]
    lines += [f"erased: {call.summary}; what it did is not on record any more" for call in receipt.erased]
    lines += [f"failed: {call.summary}" for call in receipt.failed]
    return lines + [f"not made: {call.summary}" for call in receipt.not_made]


def receipt_summary(receipt: Receipt) -> dict[str, list[dict[str, object]]]:
    """A receipt for ``--json``."""
    return {name: [_to_fields(call) for call in getattr(receipt, name)] for name in receipt.__struct_fields__}


def _to_fields(call: ReceiptCall) -> dict[str, object]:
    fields: dict[str, object] = {
        "call": call.id,
        "tool": call.tool,
        "sentence": call.sentence.text,
        "arguments": call.arguments,
    }
    if call.objects:
        fields["objects"] = [each.to_fields() for each in call.objects]
    if call.undo is not None:
        fields["undo"] = {"tool": call.undo.tool, "arguments": call.undo.arguments}
    if call.error is not None:
        fields |= {"error": call.error.message, "errorCode": call.error.code}
    return fields
