"""The signal by which a run comes to rest. It is no failure, so ``except Exception`` in a tool does not swallow it."""

from __future__ import annotations

from collections.abc import Iterable


class Suspended(BaseException):
    """The run waits for decisions, or rests for a ``reason`` that will pass: after ``retry_after`` seconds, if known.

    A call for later rests until ``starts_at`` (epoch seconds).

    A signal, not a failure: it leaves a batch after every sibling has ended. Raised by approve.
    """

    def __init__(
        self, *questions: str, reason: str = "", retry_after: float | None = None, starts_at: float = 0.0
    ) -> None:
        super().__init__(*questions)
        self.questions = questions
        self.reason = reason
        self.retry_after = retry_after
        self.starts_at = starts_at

    @staticmethod
    def join(signals: Iterable[Suspended]) -> Suspended:
        """Merge suspensions into one: all questions, the first reason, and the longest time."""
        known = list(signals)
        seconds = [each.retry_after for each in known if each.retry_after is not None]
        reason = next((each.reason for each in known if each.reason), "")
        questions = dict.fromkeys(question for each in known for question in each.questions)
        return Suspended(*questions, reason=reason, retry_after=max(seconds, default=None))
