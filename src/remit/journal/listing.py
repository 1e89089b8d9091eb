"""Lists runs and questions page by page for the in-memory store."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import dropwhile, islice

from remit.journal.ports import QuestionFilter, QuestionRow, RunFilter, RunRow
from remit.record.grant import GrantRow

_RUN_FIELDS = ("conversation", "tenant", "principal", "application", "target", "status", "callee")
_QUESTION_FIELDS = ("conversation", "tenant", "run")


def list_runs(numbered_rows: Iterable[tuple[int, RunRow]], run_filter: RunFilter) -> list[RunRow]:
    """List a page of runs, newest first. ``numbered_rows`` are all rows with their numbers in their conversations."""
    in_conversation = bool(run_filter.get("conversation"))
    keys = {row.run: (number if in_conversation else row.opened, row.run) for number, row in numbered_rows}
    before = run_filter.get("before", "")
    if before and before not in keys:
        return []
    wanted = {name: value for name, value in run_filter.items() if name in _RUN_FIELDS and value}
    rows = (
        row
        for _, row in numbered_rows
        if all(getattr(row, name) == value for name, value in wanted.items())
        and run_filter.get("since", row.opened) <= row.opened
        and ("until" not in run_filter or row.opened < run_filter["until"])
        and (not before or keys[row.run] < keys[before])
        and not (run_filter.get("without_erased") and row.erased)
    )
    return sorted(rows, key=lambda row: keys[row.run], reverse=True)[: run_filter.get("limit", 50)]


def list_questions(rows: Iterable[QuestionRow], question_filter: QuestionFilter) -> list[QuestionRow]:
    """List a page of questions from all ``rows``. Questions past their deadline still count as open."""
    wanted = {name: value for name, value in question_filter.items() if name in _QUESTION_FIELDS and value}
    ordered = iter(sorted(rows, key=_question_key, reverse=question_filter.get("newest_first", False)))
    if after := question_filter.get("after"):
        ordered = islice(dropwhile(lambda row: row.question.id != after, ordered), 1, None)
    found = (
        row
        for row in ordered
        if all(getattr(row.question, name) == value for name, value in wanted.items())
        and (row.status == "open" or not question_filter.get("only_open", True))
    )
    return list(islice(found, question_filter.get("limit")))


def list_grants(rows: Iterable[GrantRow], cursor: GrantRow | None, after: str, limit: int | None) -> list[GrantRow]:
    """A page of grants, oldest first: those that follow ``cursor``, the row of ``after``."""
    if after and cursor is None:
        return []
    ordered = sorted(rows, key=_grant_key)
    return list(islice((row for row in ordered if cursor is None or _grant_key(row) > _grant_key(cursor)), limit))


def _grant_key(row: GrantRow) -> tuple[float, str]:
    return row.grant.given, row.grant.id


def _question_key(row: QuestionRow) -> tuple[float, str]:
    return row.question.asked, row.question.id
