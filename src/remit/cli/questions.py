"""Puts questions to the person at the terminal and takes down what they decide."""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable, Mapping
from typing import Final

from remit.cli.desk import Desk
from remit.cli.outcome import how_to_decide
from remit.cli.prompt import read_line
from remit.cli.status import report
from remit.cli.terminal import Terminal
from remit.contracts.question import Question, QuestionKind, Status
from remit.core.frozen import frozen
from remit.errors import RequestError
from remit.runtime import Runtime

if sys.platform != "win32":
    import termios

Ask = Callable[[str], str]
"""Reads a line after a prompt, as `input` does."""


class Answer(enum.Enum):
    """What a person says to a question."""

    YES = "yes"
    NO = "no"
    LATER = "later"


@frozen
class _Words:
    reason: str = ""
    result: str = ""


_CHOICES: Final[Mapping[QuestionKind, str]] = {
    "approval": "y = yes, n = no, l = later",
    "outcome": "y = yes, it happened, n = no, and the call will be made again, l = later",
}


@frozen
class Asking:
    """Asks at one terminal, for one runtime. A line typed before the question was shown is no answer to it."""

    desk: Desk
    runtime: Runtime
    terminal: Terminal
    where: str = ""
    ask: Ask = read_line

    def put(self, question: Question) -> Answer:
        """Show a question and carry out the answer; what was decided in the end, here or meanwhile elsewhere."""
        self.terminal.question(question, self.desk.clock())
        _forget_typed_ahead()
        answer, words = self._answer(_CHOICES[question.kind]), None
        if answer is not Answer.LATER:
            words = self._words(question.kind, answer)
            answer = Answer.LATER if words is None else answer
        if answer is Answer.LATER:
            self.terminal.say(f"  left open; decide it later with: {' or: '.join(how_to_decide(question, self.where))}")
            return answer
        return self._decide(question, answer, words or _Words())

    def _answer(self, choices: str) -> Answer:
        while True:
            line = self._line(f"  {choices}: ")
            if line is None:
                return Answer.LATER
            for answer in Answer:
                if line.casefold() in (answer.value, answer.value[0]):
                    return answer

    def _words(self, kind: QuestionKind, answer: Answer) -> _Words | None:
        """What belongs to an answer; None if the person thinks better of it."""
        if kind == "approval" and answer is Answer.NO:
            reason = self._line("  Why not? (enter for no reason) ")
            return None if reason is None else _Words(reason=reason)
        if kind == "outcome" and answer is Answer.YES:
            result = self._line("  What did it give? (its result as the agent would read it) ")
            return None if result is None else _Words(result=result)
        return _Words()

    def _decide(self, question: Question, answer: Answer, words: _Words) -> Answer:
        yes = answer is Answer.YES
        deciding = self.runtime.decide(
            question.id, approved=yes, by=self.desk.me, reason=words.reason, result=words.result
        )
        try:
            self.desk.wait(deciding)
        except RequestError as error:
            report(error)
            return _standing(self.desk.question(question.id).status)
        if question.kind == "outcome":
            self.terminal.say("  it happened" if yes else "  it did not happen; the call is made again")
        else:
            self.terminal.say(("  approved", "green") if yes else ("  denied", "red"))
        return answer

    def _line(self, prompt: str) -> str | None:
        """The line that is typed; None for Ctrl-C and Ctrl-D."""
        try:
            return self.ask(prompt).strip()
        except (EOFError, KeyboardInterrupt):
            self.terminal.say()
            return None


def _standing(status: Status) -> Answer:
    """What became of a question that could not be decided here."""
    if status == "open":
        return Answer.LATER
    return Answer.YES if status in ("approved", "taken") else Answer.NO


def _forget_typed_ahead() -> None:
    if sys.platform != "win32" and sys.stdin.isatty():
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
