"""A receipt reads well under an answer: what was changed, by names that people know, and what is in doubt."""

from __future__ import annotations

from remit.cli.receipt import receipt_lines, receipt_summary
from remit.errors import ApprovalDeniedError, ConflictError
from remit.runtime import Receipt, ReceiptCall
from remit.tools import Changed, Entity
from remit.views import Sentence, UndoCall

LOCK = Sentence((("Lock", False),))
RENAMED = ReceiptCall(
    id="1",
    tool="rename",
    sentence=Sentence((("Renamed the page ", False), ("About us", True))),
    objects=(Changed("page", "7", fields=("title",)), Changed("page", "8"), Changed("section", "9", name="hero")),
    entities=(Entity("page", "7", "About us"),),
)
WRITTEN = ReceiptCall(
    id="2", tool="write", sentence=Sentence((("Wrote", False),)), undo=UndoCall(tool="erase", arguments="{}")
)
MADE = ReceiptCall(id="3", tool="make", sentence=Sentence((("Made", False),)), entities=(Entity("page", "9", "News"),))


def test_nothing_was_changed() -> None:
    assert receipt_lines(Receipt()) == ["nothing was changed"]


def test_changes_say_what_the_call_did_and_the_objects_that_this_does_not_name() -> None:
    assert receipt_lines(Receipt(changed=(RENAMED, WRITTEN, MADE))) == [
        "changed: Renamed the page About us (page 8, section hero)",
        "changed: Wrote",
        "changed: Made (page News)",
    ]


def test_what_is_in_doubt_is_not_called_nothing() -> None:
    receipt = Receipt(
        unknown=(ReceiptCall(id="4", tool="", sentence=Sentence((("Tried to lock", False),))),),
        failed=(ReceiptCall(id="5", tool="lock", sentence=LOCK, error=ConflictError("held\nfast")),),
        not_made=(ReceiptCall(id="6", tool="lock", sentence=LOCK, error=ApprovalDeniedError("no")),),
        erased=(ReceiptCall(id="7", tool="lock", sentence=LOCK),),
    )
    assert receipt_lines(receipt) == [
        "unknown: Tried to lock; it may have happened",
        "erased: Lock; what it did is not on record any more",
        "failed: Lock: held fast",
        "not made: Lock: no",
    ]


def test_json_has_every_call() -> None:
    summary = receipt_summary(
        Receipt(changed=(RENAMED, WRITTEN), failed=(ReceiptCall(id="5", tool="x", error=ConflictError("held")),))
    )
    assert summary["changed"][0]["objects"] == [
        {"kind": "page", "id": "7", "revision": "", "fields": ("title",)},
        {"kind": "page", "id": "8", "revision": "", "fields": ()},
        {"kind": "section", "id": "9", "revision": "", "fields": (), "name": "hero"},
    ]
    assert summary["changed"][0]["sentence"] == "Renamed the page About us"
    assert summary["changed"][1]["undo"] == {"tool": "erase", "arguments": "{}"}
    assert summary["failed"][0]["errorCode"] == "CONFLICT"
    assert (summary["unknown"], summary["not_made"]) == ([], [])
