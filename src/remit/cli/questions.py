"""Puts questions to the user at the terminal and records their decisions."""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct, field

from remit.cli.client import LocalClient
from remit.cli.prompt import read_line
from remit.cli.report import decision_commands
from remit.cli.run_events import decision_word
from remit.cli.status import report_error
from remit.cli.terminal import Terminal
from remit.cli.text import one_line
from remit.errors import RequestError
from remit.record.question import Question, QuestionKind, QuestionStatus
from remit.runtime import Runtime

if sys.platform != "win32":
    import termios

ReadLine = Callable[[str], str]
"""Reads a line after a prompt, as `input` does."""


class Answer(enum.Enum):
    """The user's answer to a question."""

    YES = "yes"
    NO = "no"
    LATER = "later"


class _AnswerDetails(Struct, frozen=True, kw_only=True):
    reason: str = ""
    result: str = ""


_CHOICES: Final[Mapping[QuestionKind, str]] = {
    "approval": "y = yes, n = no, l = later",
    "outcome": "y = yes, it happened, n = no, and the call will be made again, l = later",
}


class QuestionPrompter(Struct, frozen=True, kw_only=True):
    """Asks questions in one terminal, for one runtime. Input typed before a question is shown is discarded."""

    client: LocalClient
    runtime: Runtime
    terminal: Terminal
    app_reference: str = ""
    read: ReadLine = read_line
    opened: list[str] = field(default_factory=list[str])

    def ask_question(self, question: Question) -> Answer:
        """Show a question, act on the answer and return the final decision, made here or elsewhere.

        Approving an announced call opens a run, which is added to ``opened``.
        """
        if self.client.get_question(question.id).status != "open":
            return self.leave_open(question)
        self.terminal.show_question(question, self.client.clock())
        _discard_typed_ahead()
        answer, details = self._read_answer(_CHOICES[question.kind]), None
        if answer is not Answer.LATER:
            details = self._read_details(question.kind, answer)
            answer = Answer.LATER if details is None else answer
        if answer is Answer.LATER:
            return self.leave_open(question)
        return self._decide(question, answer, details or _AnswerDetails())

    def leave_open(self, question: Question) -> Answer:
        """Show how to decide a question later, or how another process decided it in the meantime."""
        row = self.client.get_question(question.id)
        if row.status == "open":
            commands = " or: ".join(decision_commands(question, self.app_reference))
            self.terminal.print_line(f"  question {question.id} is left open; decide later with: {commands}")
        else:
            word = decision_word(row.decision, about_outcome=question.kind == "outcome") if row.decision else row.status
            by = f" by {one_line(row.decision.by)}" if row.decision else ""
            self.terminal.print_line(f"  already decided: {word}{by}")
        return _final_answer(row.status)

    def _read_answer(self, choices: str) -> Answer:
        while True:
            line = self._read_line(f"  {choices}: ")
            if line is None:
                return Answer.LATER
            for answer in Answer:
                if line.casefold() in (answer.value, answer.value[0]):
                    return answer

    def _read_details(self, kind: QuestionKind, answer: Answer) -> _AnswerDetails | None:
        """The details that an answer needs; None if the user changes their mind."""
        if kind == "approval" and answer is Answer.NO:
            reason = self._read_line("  Why not? (Enter for no reason) ")
            return None if reason is None else _AnswerDetails(reason=reason)
        if kind == "outcome" and answer is Answer.YES:
            result = self._read_line("  What was the result? (as the agent would read it) ")
            return None if result is None else _AnswerDetails(result=result)
        return _AnswerDetails()

    def _decide(self, question: Question, answer: Answer, details: _AnswerDetails) -> Answer:
        yes = answer is Answer.YES
        self.terminal.announced_decisions.add(question.id)
        decision = self.runtime.client(self.client.principal).decide(
            question.id,
            approved=yes,
            reason=details.reason,
            result=details.result,
        )
        try:
            run = self.client.wait(decision)
        except RequestError as error:
            self.terminal.announced_decisions.discard(question.id)
            report_error(error)
            return _final_answer(self.client.get_question(question.id).status)
        if run is not None:
            self.opened.append(run)
        if question.kind == "outcome":
            self.terminal.print_line("  it happened" if yes else "  it did not happen; the call is made again")
        else:
            word = "confirmed" if self.client.reader.decision_kind(question) == "confirm" else "approved"
            self.terminal.print_line((f"  {word}", "green") if yes else ("  denied", "red"))
        return answer

    def _read_line(self, prompt: str) -> str | None:
        """The typed line; None for Ctrl-C and Ctrl-D."""
        try:
            return self.read(prompt).strip()
        except (EOFError, KeyboardInterrupt):
            self.terminal.print_line()
            return None


def _final_answer(status: QuestionStatus) -> Answer:
    """The outcome of a question that could not be decided here."""
    if status == "open":
        return Answer.LATER
    return Answer.YES if status in ("approved", "taken") else Answer.NO


def _discard_typed_ahead() -> None:
    if sys.platform != "win32" and sys.stdin.isatty():
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
