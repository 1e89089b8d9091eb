"""A receipt for people: what the calls of a run changed, one line each."""

from __future__ import annotations

from remit.cli.text import one_line, summarize_arguments
from remit.views.receipt import Receipt, ReceiptCall

_NOTHING = "nothing was changed"


def receipt_lines(receipt: Receipt) -> list[str]:
    """The lines under an answer."""
    lines = [f"changed: {_describe_change(call)}" for call in receipt.changed] or [_NOTHING]
    if not receipt.changed and not receipt.has_changed_nothing:
        lines = []
    lines += [f"unknown: {_describe_call(call)} may have happened" for call in receipt.unknown]
    lines += [f"erased: what {_describe_call(call)} did is not on record any more" for call in receipt.erased]
    lines += [f"failed: {_describe_call(call)}{_describe_error(call)}" for call in receipt.failed]
    return lines + [f"not made: {_describe_call(call)}{_describe_error(call)}" for call in receipt.not_made]


def receipt_summary(receipt: Receipt) -> dict[str, list[dict[str, object]]]:
    """A receipt for ``--json``."""
    return {name: [_to_fields(call) for call in getattr(receipt, name)] for name in receipt.__struct_fields__}


def _describe_change(call: ReceiptCall) -> str:
    """The objects of a call and its tool, or else the call."""
    objects = [one_line(each) for each in call.changed_objects]
    return f"{', '.join(objects)} by {one_line(call.tool)}" if objects else _describe_call(call)


def _describe_call(call: ReceiptCall) -> str:
    tool = one_line(call.tool) or "a call"
    return f"{tool}({summarize_arguments(call.arguments)})" if call.arguments else tool


def _describe_error(call: ReceiptCall) -> str:
    return "" if call.error is None else f": {one_line(call.error.message, max_length=200)}"


def _to_fields(call: ReceiptCall) -> dict[str, object]:
    fields: dict[str, object] = {"call": call.id, "tool": call.tool, "arguments": call.arguments}
    if call.objects:
        fields["objects"] = [each.to_fields() for each in call.objects]
    if call.error is not None:
        fields |= {"error": call.error.message, "errorCode": call.error.code}
    return fields
