"""A receipt reads well under an answer: what was changed, by names that people know, and what is in doubt."""

from __future__ import annotations

from remit.cli.receipt import receipt_lines, receipt_summary
from remit.errors import ApprovalDeniedError, ConflictError
from remit.runtime import Receipt, ReceiptCall
from remit.tools import Changed, Entity

RENAMED = ReceiptCall(
    id="1",
    tool="rename",
    arguments='{"slug":"about"}',
    objects=(Changed("page", "7", fields=("title",)), Changed("page", "8"), Changed("section", "9", name="hero")),
    entities=(Entity("page", "7", "About us"),),
)
WRITTEN = ReceiptCall(id="2", tool="write", arguments='{"text":"a"}')
MADE = ReceiptCall(id="3", tool="make", entities=(Entity("page", "9", "News"),))


def test_nothing_was_changed() -> None:
    assert receipt_lines(Receipt()) == ["nothing was changed"]


def test_changes_name_objects_or_else_the_call() -> None:
    assert receipt_lines(Receipt(changed=(RENAMED, WRITTEN, MADE))) == [
        "changed: page About us (title), page 8, section hero by rename",
        'changed: write(text="a")',
        "changed: page News by make",
    ]


def test_what_is_in_doubt_is_not_called_nothing() -> None:
    receipt = Receipt(
        unknown=(ReceiptCall(id="4", tool=""),),
        failed=(ReceiptCall(id="5", tool="lock", error=ConflictError("held")),),
        not_made=(ReceiptCall(id="6", tool="burn", error=ApprovalDeniedError("no")),),
    )
    assert receipt_lines(receipt) == ["unknown: a call may have happened", "failed: lock: held", "not made: burn: no"]


def test_json_has_every_call() -> None:
    summary = receipt_summary(
        Receipt(changed=(RENAMED,), failed=(ReceiptCall(id="5", tool="x", error=ConflictError("held")),))
    )
    assert summary["changed"][0]["objects"] == [
        {"kind": "page", "id": "7", "revision": "", "fields": ("title",)},
        {"kind": "page", "id": "8", "revision": "", "fields": ()},
        {"kind": "section", "id": "9", "revision": "", "fields": (), "name": "hero"},
    ]
    assert summary["failed"][0]["errorCode"] == "CONFLICT"
    assert (summary["unknown"], summary["not_made"]) == ([], [])
