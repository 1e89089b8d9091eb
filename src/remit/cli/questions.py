"""Puts questions to the person at the terminal and takes down what they decide."""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable
from dataclasses import dataclass

from remit.cli.desk import Desk
from remit.cli.outcome import how_to_decide
from remit.cli.status import report
from remit.cli.terminal import Terminal
from remit.contracts.question import Question, Status
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Asks at one terminal, for one runtime. A line typed before the question was shown is no answer to it."""

    desk: Desk
    runtime: Runtime
    terminal: Terminal
    where: str = ""
    ask: Ask = input

    def put(self, question: Question) -> Answer:
        """Show a question and carry out the answer; what was decided in the end, here or meanwhile elsewhere."""
        self.terminal.question(question, self.desk.clock())
        _forget_typed_ahead()
        answer, reason = self._answer(), None
        if answer is Answer.NO:
            reason = self._line("  Why not? (enter for no reason) ")
            answer = Answer.LATER if reason is None else answer
        if answer is Answer.LATER:
            self.terminal.say(f"  left open; decide it later with: {how_to_decide(question, self.where)}   (or deny)")
            return answer
        return self._decide(question, answer, reason or "")

    def _decide(self, question: Question, answer: Answer, reason: str) -> Answer:
        approved = answer is Answer.YES
        try:
            self.desk.wait(self.runtime.decide(question.id, approved=approved, by=self.desk.me, reason=reason))
        except RequestError as error:
            report(error)
            return _standing(self.desk.question(question.id).status)
        self.terminal.say(("  approved", "green") if approved else ("  denied", "red"))
        return answer

    def _answer(self) -> Answer:
        while True:
            line = self._line("  y = yes, n = no, l = later: ")
            if line is None:
                return Answer.LATER
            for answer in Answer:
                if line.casefold() in (answer.value, answer.value[0]):
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
