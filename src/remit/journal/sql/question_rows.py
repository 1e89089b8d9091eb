"""Finds questions, and refuses decisions on them, in the transaction that changes them."""

from __future__ import annotations

from functools import partial

from sqlalchemy import Connection, bindparam, select

from remit.journal.index import check_key_free, check_open
from remit.journal.ports import QuestionRow
from remit.journal.sql.rows import question_row
from remit.journal.sql.signatures import signer_of
from remit.journal.sql.statements import Query
from remit.journal.sql.tables import QUESTIONS
from remit.record.question import Decision

SELECT_QUESTION = Query(select(QUESTIONS).where(QUESTIONS.c.question == bindparam("question")))
_SELECT_DECIDED = Query(
    select(QUESTIONS.c.question).where(QUESTIONS.c.request_key == bindparam("request_key")).limit(1)
)


def find_question(connection: Connection, question: str) -> QuestionRow | None:
    """The question with this id, as seen by this transaction."""
    stored = SELECT_QUESTION.first(connection, question=question)
    return question_row(stored, signer_of(connection)) if stored else None


def check_decidable(connection: Connection, decision: Decision, now: float) -> None:
    """Refuse a decision that cannot be stored.

    Raises:
        RequestError: its question cannot be decided. IdempotencyError: its key was used for another question.
    """
    check_open(find_question(connection, decision.question), decision.question, now)
    check_key_free(decision.request_key, partial(_find_decided, connection))


def _find_decided(connection: Connection, key: str) -> str:
    stored = _SELECT_DECIDED.first(connection, request_key=key)
    return stored.question if stored else ""
