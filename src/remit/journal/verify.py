"""Verifies a run before use: its chain, its row, its length and its questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from remit.errors import BrokenJournalError
from remit.journal.codec import find_broken_link
from remit.journal.index import UNFINISHED_STATUSES, run_row_from_header, status_after
from remit.journal.ports import AcquiredLease, QuestionRow, RunRow
from remit.record.items import (
    AttemptStarted,
    DecisionItem,
    ErasedItem,
    ModelUsage,
    Position,
    QuestionClosed,
    QuestionItem,
    RunFinished,
    RunOpened,
)
from remit.record.question import Question


def verify_chain(run: str, items: Sequence[Position]) -> None:
    """Verify the items of a run, from its header on.

    Raises:
        BrokenJournalError: names the item that was changed, moved or removed.
    """
    broken = find_broken_link(items)
    if broken is not None:
        raise BrokenJournalError(f"run {run}: item {broken} was changed, or the one before it; nothing was run")
    if items and items[0].item.call != run:
        raise BrokenJournalError(f"run {run}: its items are those of run {items[0].item.call}; nothing was run")


def verify_lease(run: str, items: Sequence[Position], lease: AcquiredLease) -> None:
    """Verify an acquired run: its chain, and that its row and the rows of its questions agree with ``items``.

    Raises:
        BrokenJournalError: names the item, the row or the question.
    """
    verify_chain(run, items)
    if len(items) != lease.item_count:
        raise BrokenJournalError(
            f"run {run} has {len(items)} items, but its row counts {lease.item_count}; nothing was run"
        )
    if not (matches_items(lease.row, items) if lease.row and items else lease.row is None and not items):
        raise BrokenJournalError(f"run {run}: its row does not match its items; nothing was run")
    asked = [position.item for position in items if isinstance(position.item, QuestionItem)]
    rows = {row.question.id: row for row in lease.questions}
    for name, body in {item.question: item.body for item in reversed(asked)}.items():  # the first one made the row
        question = Question.from_json(body)
        if question.run == run and (name not in rows or rows[name].question != question):
            raise BrokenJournalError(f"run {run}: the row of question {name} was changed or removed; nothing was run")
    for name, row in rows.items():
        used_by, call = row.consumed_by or ("", "")
        if used_by == run and not _has_use(items, name, call, is_asked=row.question.run != run):
            raise BrokenJournalError(
                f"run {run}: its items are older than the row of question {name}, which one of its calls has used; "
                "nothing was run"
            )
    is_unfinished = lease.row is not None and lease.row.status in UNFINISHED_STATUSES
    for position in items:
        lost = _LOST_BY_ERASURE.get(position.item.was) if isinstance(position.item, ErasedItem) else None
        if is_unfinished and lost is not None:
            raise BrokenJournalError(f"run {run}: item {position.seq}, {lost}; nothing was run")
        if _is_newer(position, rows):
            raise BrokenJournalError(
                f"run {run}: the row of a question is older than item {position.seq}, which decided or used it; nothing"
                " was run"
            )


_LOST_BY_ERASURE: Final = {
    AttemptStarted.kind: "the start of a call, was erased, so that the call would run again",
    ModelUsage.kind: "the usage of a request, was erased, so that its budget would begin anew",
}
"""The data that erasure would take from a continuing run, by kind of item."""


def _is_newer(position: Position, rows: Mapping[str, QuestionRow]) -> bool:
    """Whether an item decided or used a question whose row lacks this, because an older copy was restored."""
    item = position.item
    if not isinstance(item, (DecisionItem, QuestionClosed, AttemptStarted)) or item.question not in rows:
        return False
    row, use = rows[item.question], (position.run, item.call)
    return row.consumed_by != use if isinstance(item, AttemptStarted) else row.status == "open"


def _has_use(items: Sequence[Position], question: str, call: str, *, is_asked: bool) -> bool:
    """Whether ``call`` has started or asked again after ``question`` was asked: both use the decision on it.

    ``is_asked``: another run has asked it before.
    """
    for position in items:
        item = position.item
        kind = item.was if isinstance(item, ErasedItem) else item.kind
        if isinstance(item, QuestionItem) and item.question == question:
            is_asked = True  # even by another call, with which this one shares the question
        elif is_asked and item.call == call and kind in (AttemptStarted.kind, QuestionItem.kind):
            return True
        elif item == ErasedItem(call=call, was=QuestionItem.kind):
            is_asked = True
    return False


def matches_items(row: RunRow, items: Sequence[Position]) -> bool:
    """Whether the row of a run is the one that follows from its items."""
    header = items[0].item
    if not isinstance(header, RunOpened):
        return isinstance(header, ErasedItem)
    expected = run_row_from_header(items[0], header)
    for position in items:
        item, status = position.item, status_after(position.item)
        if isinstance(item, ErasedItem) and item.was == RunFinished.kind:
            return row.status not in UNFINISHED_STATUSES and expected == replace(
                row, status=expected.status, ended=expected.ended
            )
        if status is not None:
            ended = position.at if isinstance(item, RunFinished) else 0.0
            expected = replace(expected, status=status, ended=ended)
    return row == expected
