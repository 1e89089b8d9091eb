"""The index row of a question."""

from __future__ import annotations

from typing import NamedTuple

from remit.record.question import Decision, Question, QuestionStatus


class QuestionRow(NamedTuple):
    """A question with its status, its decision, and the call (run, call) that consumed it, if any."""

    question: Question
    status: QuestionStatus
    decision: Decision | None
    consumed_by: tuple[str, str] | None
