"""A conversation in a terminal: each message starts a run, each open question is put to the person."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final

from remit.cli.desk import Desk, needs_model
from remit.cli.lease import DrivingOn
from remit.cli.legible import legible
from remit.cli.outcome import GO_AHEAD, failure_of
from remit.cli.prompt import read_line
from remit.cli.questions import Answer, Ask, Asking
from remit.cli.status import Status, line_of, report
from remit.cli.terminal import Terminal
from remit.contracts.question import Question
from remit.errors import RemitError
from remit.journal.ports import RunRow
from remit.runtime import RunResult, Runtime

_PROMPT: Final = "you> "
_LEAVE: Final = frozenset({"/quit", "/exit"})


class Chat:
    """One conversation at one terminal.

    Args:
        where: how the application was named on the command line.
        ask: reads a line after a prompt, as `input` does.
    """

    def __init__(
        self, desk: Desk, runtime: Runtime, terminal: Terminal, conversation: str, where: str = "", ask: Ask = read_line
    ) -> None:
        self._desk = desk
        self._runtime = runtime
        self._terminal = terminal
        self._conversation = conversation
        self._ask = ask
        self._asking = Asking(desk=desk, runtime=runtime, terminal=terminal, where=where, ask=ask)
        self._driving = DrivingOn(desk=desk, runtime=runtime, terminal=terminal)
        self._postponed: set[str] = set()

    def talk(self) -> int:
        """Talk until the person leaves."""
        app = self._runtime.app
        asked = needs_model(app, app.agents[0].name)
        if asked:
            with self._terminal.busy("starting the model"):
                self._desk.wait(self._desk.model.start())
        self._greet(self._desk.model.choice.said if asked else "the agent's own")
        self._reporting(self._free)
        while (text := self._read()) is not None:
            self._reporting(partial(self._send, text))
        return Status.DONE

    def _greet(self, model: str) -> None:
        say = self._terminal.say
        say(("application   ", "dim"), self._runtime.app.name)
        say(("model         ", "dim"), model)
        say(("conversation  ", "dim"), legible(self._conversation))
        say(("Ctrl-C stops what is under way; Ctrl-D or /quit leaves.", "dim"))

    def _read(self) -> str | None:
        """The next message; None when the person leaves."""
        while True:
            try:
                text = self._ask(_PROMPT).strip()
            except EOFError:
                self._terminal.say()
                return None
            except KeyboardInterrupt:
                self._terminal.say()
                self._terminal.say(("Nothing is under way. Ctrl-D or /quit leaves.", "dim"))
                continue
            if text in _LEAVE:
                return None
            if text:
                return text

    def _send(self, text: str) -> None:
        """Send a message, and whatever the person's decisions then have to say."""
        following: str | None = text
        while following is not None and self._free():
            work = self._runtime.run(following, by=self._desk.me, conversation=self._conversation)
            if not self._settle(self._drive(work)):
                return
            following = self._confirmed()

    def _free(self) -> bool:
        """Whether the next message can be sent: brings the conversation's last run to its end first, if need be."""
        row = self._last()
        if row is None or row.status not in ("running", "waiting"):
            return True
        run = row.run
        if row.status == "running":
            self._terminal.say(f"The last run of this conversation, {run}, was cut off; it goes on now.")
            return self._settle(self._drive_on(run))
        self._terminal.say(f"The last run of this conversation, {run}, waits for a decision.")
        self._postponed.clear()
        waiting = self._desk.open_of(row)
        if waiting and not self._put(waiting):
            return False
        return self._settle(self._drive_on(run))

    def _settle(self, result: RunResult[Any]) -> bool:
        """Put the questions of a waiting run until it has ended, and say how; False if one is left open."""
        while result.status == "waiting":
            rows = [self._desk.question(question) for question in result.questions]
            if not self._put([row.question for row in rows]):
                self._terminal.say("The conversation goes on when that is decided.")
                return False
            result = self._drive_on(result.run)
        error = failure_of(result)
        if error is None:
            self._terminal.say()
            self._terminal.say(legible(result.text))
            self._terminal.say()
        else:
            print(line_of(error.code, error.message), file=sys.stderr)
        return True

    def _put(self, questions: list[Question]) -> bool:
        """Put each question that was not left open before; whether anything was decided."""
        decided = False
        for question in questions:
            if question.id not in self._postponed:
                if self._asking.put(question) is Answer.LATER:
                    self._postponed.add(question.id)
                else:
                    decided = True
        return decided

    def _confirmed(self) -> str | None:
        """Put the questions about calls that were announced; the message to send if one was approved."""
        approved = False
        for question in self._desk.announced(self._runtime.app.name, self._conversation):
            if question.id not in self._postponed:
                answer = self._asking.put(question)
                approved = approved or answer is Answer.YES
                if answer is Answer.LATER:
                    self._postponed.add(question.id)
        if not approved:
            return None
        self._terminal.say((_PROMPT, "bold"), GO_AHEAD, ("   (sent for you)", "dim"))
        return GO_AHEAD

    def _drive(self, work: Coroutine[Any, Any, RunResult[Any]]) -> RunResult[Any]:
        with self._terminal.busy("thinking"):
            return self._desk.drive(self._runtime, work, self._last)

    def _drive_on(self, run: str) -> RunResult[Any]:
        with self._terminal.busy("thinking"):
            return self._driving(run, self._last)

    def _last(self) -> RunRow | None:
        """The last run of this conversation."""
        return self._desk.newest(self._runtime.app.name, self._conversation)

    def _reporting(self, work: Callable[[], object]) -> None:
        """Do something; what goes wrong is said, and the conversation goes on."""
        try:
            work()
        except RemitError as error:
            report(error)
