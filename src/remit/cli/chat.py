"""A conversation in a terminal: each message starts a run, and open questions are put to the user."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final

from remit.cli.client import LocalClient
from remit.cli.live_answer import execute_shown
from remit.cli.needed_models import needs_model
from remit.cli.options import WAIT_SECONDS
from remit.cli.prompt import read_line
from remit.cli.questions import Answer, QuestionPrompter, ReadLine
from remit.cli.receipt import receipt_lines
from remit.cli.report import queued_notice, run_error, stalled_notice
from remit.cli.resume_when_free import ResumeWhenFree
from remit.cli.status import ExitStatus, error_line, report_error
from remit.cli.terminal import Terminal
from remit.cli.text import escape_controls
from remit.errors import RemitError
from remit.journal.index import UNFINISHED_STATUSES
from remit.journal.ports import RunRow
from remit.record.question import Question
from remit.runtime import RunResult, Runtime

_PROMPT: Final = "you> "
_EXIT_COMMANDS: Final = frozenset({"/quit", "/exit"})


class Chat:
    """One conversation in one terminal.

    Args:
        app_reference: how the application was named on the command line.
        read: reads a line after a prompt, like `input`.
        target: the target of the runs.
        patience: how long to wait, in seconds, for a run that another process executes.
    """

    def __init__(
        self,
        client: LocalClient,
        runtime: Runtime,
        terminal: Terminal,
        conversation: str,
        app_reference: str = "",
        read: ReadLine = read_line,
        target: str = "",
        patience: float = WAIT_SECONDS,
    ) -> None:
        self._client = client
        self._runtime = runtime
        self._terminal = terminal
        self._conversation = conversation
        self._target = target
        self._app_reference = app_reference
        self._read_line = read
        self._question_prompter = QuestionPrompter(
            client=client, runtime=runtime, terminal=terminal, app_reference=app_reference, read=read
        )
        self._resume_when_free = ResumeWhenFree(client=client, runtime=runtime, terminal=terminal, patience=patience)
        self._postponed: set[str] = set()

    def talk(self) -> int:
        """Read and send messages until the user leaves. Returns the exit status."""
        app = self._runtime.app
        uses_model = needs_model(app, app.agents[0].name)
        if uses_model:
            with self._terminal.show_busy("starting the model"):
                self._client.wait(self._client.model.start())
        self._greet(self._client.model.description if uses_model else "the agent's own")
        self._report_errors(self._continue)
        while (text := self._read_message()) is not None:
            self._report_errors(partial(self._send, text))
        self._report_errors(self._list_postponed)
        return ExitStatus.DONE

    def _greet(self, model: str) -> None:
        say = self._terminal.print_line
        say(("application   ", "dim"), self._runtime.app.name)
        say(("model         ", "dim"), model)
        say(("conversation  ", "dim"), escape_controls(self._conversation))
        say(("Ctrl-C cancels the current run; Ctrl-D or /quit leaves.", "dim"))

    def _read_message(self) -> str | None:
        """The next message; None when the user leaves."""
        while True:
            try:
                text = self._read_line(_PROMPT).strip()
            except EOFError:
                self._terminal.print_line()
                return None
            except KeyboardInterrupt:
                self._terminal.print_line()
                self._terminal.print_line(("Nothing is running. Ctrl-D or /quit leaves.", "dim"))
                continue
            if text in _EXIT_COMMANDS:
                return None
            if text:
                return text

    def _continue(self) -> None:
        """Finish the open work of an earlier session."""
        if self._finish_last_run():
            self._make_announced_calls()

    def _send(self, text: str) -> None:
        """Send a message, and make the announced calls that the user's answers allow."""
        if not self._finish_last_run():
            return
        execution = self._runtime.run(
            text, by=self._client.principal, conversation=self._conversation, target=self._target
        )
        if self._settle(self._execute(execution)):
            self._make_announced_calls()

    def _make_announced_calls(self) -> None:
        """Ask the questions about announced calls, and execute the runs that the answers open, until none is left."""
        ended = True
        while ended and (runs := self._ask_announced_questions()):
            ended = all(self._settle(self._resume(run)) for run in runs)

    def _finish_last_run(self) -> bool:
        """Finish the last run of the conversation if necessary. Returns whether the next message can be sent."""
        row = self._last_run()
        if row is None or row.status not in UNFINISHED_STATUSES:
            return True
        run = row.run
        if row.status != "waiting":
            state = "was interrupted" if row.status == "running" else f"is {row.status}"
            self._terminal.print_line(f"The last run of this conversation, {run}, {state}; resuming it.")
            return self._settle(self._resume(run))
        self._terminal.print_line(f"The last run of this conversation, {run}, waits for a decision.")
        self._postponed.clear()
        open_questions = self._client.open_questions(row)
        if open_questions and not self._ask_questions(open_questions):
            return False
        return self._settle(self._resume(run))

    def _settle(self, result: RunResult[Any]) -> bool:
        """Ask the questions of a waiting run until it ends, and report its result. False if a question stays open."""
        while result.status == "waiting":
            rows = [self._client.get_question(question) for question in result.questions]
            if not self._ask_questions([row.question for row in rows]):
                self._terminal.print_line("The conversation continues once that is decided.")
                return False
            result = self._resume(result.run)
        if result.status == "stalled":
            print(stalled_notice(result, self._app_reference), file=sys.stderr)
            return False
        if result.status == "queued":
            print(queued_notice(result, self._app_reference), file=sys.stderr)
            return False
        error = run_error(result)
        if error is None:
            self._terminal.print_line()
            self._terminal.print_line(escape_controls(result.text))
        else:
            print(error_line(error.code, error.message), file=sys.stderr)
        for line in receipt_lines(result.receipt):
            self._terminal.print_line((line, "dim"))
        self._terminal.print_line()
        return True

    def _ask_questions(self, questions: list[Question]) -> bool:
        """Ask each question that the user has not deferred. Returns whether any was decided."""
        any_decided = False
        for question in questions:
            is_new = question.id not in self._postponed
            answer = (
                self._question_prompter.ask_question(question)
                if is_new
                else self._question_prompter.leave_open(question)
            )
            if answer is Answer.LATER:
                self._postponed.add(question.id)
            else:
                any_decided = True
        return any_decided

    def _ask_announced_questions(self) -> list[str]:
        """Ask the questions about announced calls. Returns the runs that the answers opened."""
        for question in self._client.announced_questions(self._runtime.app.name, self._conversation):
            if question.id in self._postponed:
                self._question_prompter.leave_open(question)
            elif self._question_prompter.ask_question(question) is Answer.LATER:
                self._postponed.add(question.id)
        opened = self._question_prompter.opened
        runs = opened.copy()
        opened.clear()
        return runs

    def _list_postponed(self) -> None:
        """Show again how to decide the questions that the user has deferred."""
        for question in sorted(self._postponed):
            row = self._client.get_question(question)
            if row.status == "open":
                self._question_prompter.leave_open(row.question)

    def _execute(self, execution: Coroutine[Any, Any, RunResult[Any]]) -> RunResult[Any]:
        shown = execute_shown(self._client.store, self._terminal.next_run, self._terminal, execution)
        with self._terminal.show_busy("thinking"):
            return self._client.execute(self._runtime, shown, self._last_run)

    def _resume(self, run: str) -> RunResult[Any]:
        with self._terminal.show_busy("thinking"):
            return self._resume_when_free(run, self._last_run)

    def _last_run(self) -> RunRow | None:
        """The latest run of this conversation."""
        return self._client.latest_run(self._runtime.app.name, self._conversation)

    def _report_errors(self, action: Callable[[], object]) -> None:
        """Run ``action`` and report an error without ending the conversation."""
        try:
            action()
        except RemitError as error:
            report_error(error)
