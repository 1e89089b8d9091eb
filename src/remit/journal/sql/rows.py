"""Decodes the rows of runs, questions and grants, and refuses rows that no store wrote."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import Any, Final, TypeVar, cast

from msgspec import convert
from pydantic import ValidationError
from sqlalchemy import Row

from remit.errors import BrokenJournalError, RemitError
from remit.journal.codec import decode_item
from remit.journal.index import approval_key_of
from remit.journal.ports import QuestionRow, RunRow
from remit.journal.sql.signatures import ChangedRowError, Signer, columns_of
from remit.record.grant import Grant, GrantRow
from remit.record.items import Position
from remit.record.question import Decision, Question, QuestionStatus

T = TypeVar("T")

RUN_COLUMNS = tuple(each.name for each in fields(RunRow))
"""The columns of the index row of a run."""

GRANT_COLUMNS = ("tenant", "tool", "given", "expires", "count")
"""The columns of a grant that its body determines."""

_LOG: Final = logging.getLogger("remit.journal")

_DECISIONS_BY_STATUS: Final[dict[str, tuple[bool | None, ...]]] = {
    "open": (None,),
    "approved": (True,),
    "denied": (False,),
    "taken": (True, False),
    "closed": (None,),
    "cancelled": (None,),
}


def grant_row(row: Row[Any], signer: Signer) -> GrantRow:
    """Decode the row of a grant.

    Raises:
        BrokenJournalError: it cannot be read, its columns do not match its body, or its signature does not match.
    """
    with refuse_broken("grant", row.grant):
        grant = Grant.from_json(row.body)
        bound = {name: getattr(grant, name) for name in GRANT_COLUMNS}
        _check_columns(row, grant=grant.id, **bound)
        signer.check("grant", columns_of(row), row.signature)
        return GrantRow(grant, row.used, row.revoked)


def run_row(row: Row[Any]) -> RunRow:
    """Decode the row of a run.

    Raises:
        BrokenJournalError: a column has a value that no store writes.
    """
    with refuse_broken("run", row.run):
        return convert({name: getattr(row, name) for name in RUN_COLUMNS}, RunRow)


def check_question_signature(row: Row[Any], signer: Signer) -> None:
    """Check the signature of a question that is about to be signed again.

    Raises:
        BrokenJournalError: it does not match.
    """
    with refuse_broken("question", row.question):
        signer.check("question", columns_of(row), row.signature)


def cancel_request(row: Row[Any], signer: Signer) -> str:
    """Who requested to cancel a run; empty if there is no request.

    Raises:
        BrokenJournalError: its signature does not match.
    """
    if row.cancelled or row.cancel_signature is not None:
        with refuse_broken("run", row.run):
            signer.check("cancel", columns_of(row), row.cancel_signature)
    return row.cancelled


def check_head(row: Row[Any], chain: object, signer: Signer) -> None:
    """Check that the chain of a run ends where its executor ended it. ``chain`` is the last link.

    Raises:
        BrokenJournalError: items were added, removed or replaced.
    """
    with refuse_broken("run", row.run):
        signer.check("head", {"run": row.run, "next_seq": row.next_seq, "chain": chain}, row.signature)


def question_row(row: Row[Any], signer: Signer) -> QuestionRow:
    """Decode the row of a question.

    Raises:
        BrokenJournalError: it cannot be read, its columns do not match its body, or its signature does not match.
    """
    with refuse_broken("question", row.question):
        question = Question.from_json(row.body)
        decision = Decision.from_json(row.decision) if row.decision else None
        _check_columns(
            row,
            question=question.id,
            run=question.run,
            conversation=question.conversation,
            match=question.match,
            asked=question.asked,
            tenant=question.tenant,
            expires=question.expires,
        )
        _check_columns(row, request_key=decision.request_key if decision is not None else "")
        if decision is not None:
            _check_columns(row, question=decision.question)
        approved = decision.approved if decision is not None else None
        if row.status != "erased" and approved not in _DECISIONS_BY_STATUS[row.status]:
            raise ChangedRowError(f"it is {row.status}, but its decision is {row.decision or 'missing'}")
        signer.check("question", columns_of(row), row.signature)
        consumed_by = (row.taken_run, row.taken_call) if row.taken_run else None
        decoded = QuestionRow(question, cast("QuestionStatus", row.status), decision, consumed_by)
        _check_columns(row, approval=approval_key_of(decoded))
        return decoded


def readable_rows(rows: Sequence[Row[Any]], decode: Callable[[Row[Any]], T]) -> list[T]:
    """Decode the rows that can be read and log the others, so that one does not hide the rest."""
    decoded: list[T] = []
    for row in rows:
        try:
            decoded.append(decode(row))
        except BrokenJournalError as error:
            _LOG.warning("%s", error)
    return decoded


def _check_columns(row: Row[Any], **expected: object) -> None:
    """Refuse a row whose columns differ from its body."""
    columns = columns_of(row)
    for column, value in expected.items():
        if columns[column] != value:
            raise ChangedRowError(f"the column {column} differs from the body")


@contextmanager
def refuse_broken(kind: str, name: object) -> Generator[None]:
    """Convert any error of a row's decoder to a `BrokenJournalError` that names the row."""
    try:
        yield
    except (KeyError, TypeError, ValueError, RemitError) as error:
        why = "it has a value that Remit does not write"
        if isinstance(error, ValidationError):
            why = f"its {error.title.lower()} cannot be read"
        elif isinstance(error, (ChangedRowError, RemitError)):
            why = str(error)
        raise BrokenJournalError(f"the row of {kind} {name} was changed: {why}") from error


def decode_positions(rows: Sequence[Row[Any]]) -> list[Position]:
    """The items of rows."""
    return [
        Position(r.run, r.epoch, r.seq, r.at, decode_item(r.kind, r.call, r.body), r.body, r.digest, r.chain)
        for r in rows
    ]
