"""The limit on a run's questions. At the limit, one summary asks a person whether the run may keep asking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from remit.approvals.approver import build_about_run
from remit.approvals.from_journal import RecordedQuestion, read_questions
from remit.approvals.policy import Ask
from remit.call.call import Call

DEFAULT_MAX_QUESTIONS: Final = 20

SUMMARY_RULE: Final = "question limit"
"""The rule name of a summary, in place of a policy rule."""


def find_due_summary(call: Call, ask: Ask, limit: int) -> RecordedQuestion | None:
    """The summary that must be approved before the run asks about ``call``; None if the run may ask.

    The summary is built unless it is recorded already. Its approval allows as many questions again.
    """
    counting = [each for each in read_questions(call.ledger.recorded_items()) if _counts_towards_limit(each, call)]
    summaries = [each for each in counting if each.question.is_about_run]
    if summaries and not (summaries[-1].decision and summaries[-1].decision.approved):
        return summaries[-1]
    questions = [each for each in counting if not each.question.is_about_run]
    if len(questions) < limit * (len(summaries) + 1):
        return None
    reason = f"the run has asked {len(questions)} questions; yes lets it ask {limit} more, no denies what it would ask"
    summary = build_about_run(call, replace(ask, reason=reason), SUMMARY_RULE, str(len(summaries)))
    return RecordedQuestion(replace(summary, shown=_summarize(questions)))


def _counts_towards_limit(recorded: RecordedQuestion, call: Call) -> bool:
    by_grant = recorded.decision is not None and recorded.decision.grant
    outer = call.ledger.meter.call_from_outside  # in an open run, the limit applies to each external call
    if outer(recorded.question.call) != outer(call.id):
        return False
    return recorded.question.run == call.caller.run and not by_grant and not recorded.question.within


def _summarize(questions: Sequence[RecordedQuestion]) -> str:
    counts = Counter((each.question.tool, _answer(each)) for each in questions)
    return "asked so far: " + ", ".join(f"{tool}: {count} {answer}" for (tool, answer), count in counts.items())


def _answer(recorded: RecordedQuestion) -> str:
    if recorded.decision is None:
        return "unanswered"
    return "yes" if recorded.decision.approved else "no"
