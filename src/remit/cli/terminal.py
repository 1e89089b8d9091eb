"""Draws on a terminal: calls as they happen, a clock while waiting, and questions with all details.

In a file or a pipe, the same text is printed plainly.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Final

from remit.agent.linking import all_callees
from remit.app import App
from remit.call.log import LogLevel
from remit.cli.run_events import (
    REPEAT_NOTICE,
    CallEnded,
    DecisionMade,
    ModelText,
    NoteLogged,
    QuestionAsked,
    RunEvent,
    RunFollower,
    ToolCalled,
    decision_detail,
    decision_word,
    question_title,
)
from remit.cli.tables import risk_style
from remit.cli.text import (
    escape_controls,
    format_duration,
    json_text,
    one_line,
    one_line_each,
)
from remit.engine.request import new_id
from remit.errors import CallError
from remit.record.items import Position
from remit.record.question import Change, Question
from remit.record.sentence import Sentence
from remit.views.fields import ShownField, list_fields

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.live import Live

_OUTCOME_MARKS: Final[Mapping[str, tuple[str, str]]] = {
    "ok": ("✓", "green"),
    "announced": ("?", "yellow"),
    "error": ("✗", "red"),
    "denied": ("✗", "red"),
}
_LOG_MARKS: Final[Mapping[LogLevel, tuple[str, str]]] = {
    "info": ("·", "dim"),
    "warning": ("!", "yellow"),
    "error": ("✗", "red"),
}
_SPINNER_FRAMES: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


_YES: Final = "it runs once, with exactly these arguments"
_NO_TO_RUN: Final = "this call and all that the run would ask about are denied"
_NO_TO_AGENT: Final = "it does not run; the agent reads the reason"
_NO_TO_ANNOUNCED: Final = "it does not run; the agent learns so if it tries"


_MAX_SIDE: Final = 100
"""The maximum length of a text that is shown side by side with its change."""
_INDENT: Final = 12
"""The column of a question's details, after their labels."""
_MISLEADING: Final = re.compile(r"→|\"|^\s|\s$|\s\s|^nothing$")
"""Text that could be mistaken for a value of another type."""


class Terminal:
    """Shows the progress of a run. Serves as a runtime's ``on_item`` and ``make_run_id``.

    ``shows_answers``: a busy terminal also shows the answer that the agent is writing.
    """

    def __init__(
        self,
        rich_console: Console,
        app: App | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        shows_answers: bool = False,
    ) -> None:
        self.console = rich_console
        self.shows_answers = shows_answers and rich_console.is_terminal
        self.next_run = new_id()
        self._live: Live | None = None
        self._answer_call = ""
        offered = [] if app is None else [*app.agents, *app.tools]
        self._contracts = {tool.name: tool for tool in all_callees(offered)}
        self.follower = RunFollower(self._contracts.get)
        self.announced_decisions = set[str]()
        """Questions that the user of this terminal decides, so that their decisions are already on screen."""
        self._outcome_questions = set[str]()
        self._spinner = _Spinner(clock)

    def make_run_id(self) -> str:
        """The id of the next run, which is known before the run starts."""
        run, self.next_run = self.next_run, new_id()
        return run

    def write_answer(self, call: str, text: str) -> None:
        """Show a piece of the answer to the request ``call`` in place of any other answer. It is erased later."""
        self._spinner.answer = (self._spinner.answer if call == self._answer_call else "") + text
        self._answer_call = call
        if self._live is not None:
            self._live.refresh()

    def __call__(self, position: Position) -> None:
        """Show the events of an item. A recorded answer is shown at once, or at the end of the run."""
        if position.item.call == self._answer_call:
            self.write_answer("", "")
        for event in self.follower.process_item(position):
            self.show_event(event)
        running = self.follower.list_open_calls()
        self._spinner.set_label(", ".join(running) if running else "thinking")

    def show_event(self, event: RunEvent) -> None:
        """Show one event."""
        match event:
            case ModelText():
                self.print_line(escape_controls(event.text))
            case ToolCalled():
                name = (f"  {one_line(event.name)}", "dim")
                self.print_line("  → ", *_style_sentence(event.sentence), "  ", self._styled_risk(event.name), name)
            case CallEnded():
                self._show_call_end(event)
            case NoteLogged():
                mark, style = _LOG_MARKS[event.level]
                self.print_line((f"    {mark} {one_line(event.text, max_length=300)}", style))
            case QuestionAsked():
                if event.question.kind == "outcome":
                    self._outcome_questions.add(event.question.id)
                self.print_line(("  ? ", "yellow"), question_title(event.question), "   question ", event.question.id)
            case DecisionMade() if event.decision.question in self.announced_decisions:
                pass
            case DecisionMade():
                outcome = event.decision.question in self._outcome_questions
                word = (
                    decision_word(event.decision, about_outcome=outcome),
                    "green" if event.decision.approved else "red",
                )
                self.print_line(
                    "  ! ",
                    word,
                    ", says " if outcome else " by ",
                    one_line(event.decision.by),
                    decision_detail(event.decision),
                )

    def print_line(self, *parts: str | tuple[str, str]) -> None:
        """Print one line of pieces, each plain or styled."""
        from rich.text import Text

        self.console.print(Text.assemble(*parts), soft_wrap=True)

    def show_question(self, question: Question, now: float) -> None:
        """Show a question in full. The arguments shown are exactly those that will run."""
        self.print_line()
        self.print_line((question_title(question), "bold"), "   question ", question.id)
        if question.consequence:
            self._print_fact("then", question.consequence)
        if question.shown:
            self._print_fact("about", one_line_each(question.shown))
        self._show_changes(question.changes)
        for change in question.news:
            before, after = (one_line(text, max_length=200) or "nothing" for text in (change.before, change.after))
            self._print_fact("new", f"{one_line(change.where)}: {after}, where the last approved call had {before}")
        self._show_plan(question)
        if question.link:
            self._print_fact("link", one_line(question.link, max_length=400))
        if question.message:
            self._print_fact("message", one_line(question.message, max_length=400))
        self._print_fact("risk", (question.risk, risk_style(question.risk)))
        self._print_fact("why", f"{one_line(question.why, max_length=400)} (rule: {one_line(question.rule)})")
        label, agent = ("asked for", f" by the agent {question.agent}") if question.agent else ("asked by", "")
        target = f", target {question.target}" if question.target else ""
        self._print_fact(label, f"{one_line(question.asker)}{agent}, run {question.run}{target}")
        if question.needs == "confirm":
            self._print_fact("who", f"{one_line(question.asker)} confirms, or an approver decides")
        if question.four_eyes:
            self._print_fact("who", f"not {one_line(' nor '.join(question.requesters))}: four eyes")
        if question.kind == "approval":
            until = datetime.fromtimestamp(question.expires).astimezone().strftime("%Y-%m-%d %H:%M")
            about_run = question.is_about_run
            yes = "the run asks about this call next, and goes on asking" if about_run else _YES
            to_agent = _NO_TO_AGENT if question.waits else _NO_TO_ANNOUNCED
            no = _NO_TO_RUN if about_run else to_agent if question.agent else "it does not run"
            self._print_fact("yes", f"{yes}, and so does each call listed with it" if question.plan else yes)
            self._print_fact("no", no)
            self._print_fact("expires", f"{until} (in {format_duration(question.expires - now)}), which means no")
        else:
            self._print_fact("if not", f"if it did not happen, {REPEAT_NOTICE}")
        self._show_arguments(question)

    @contextmanager
    def show_busy(self, label: str) -> Generator[None]:
        """Show an activity and its duration, on a terminal."""
        self.follower.forget_open_calls()
        self._spinner.set_label(label)
        if not self.console.is_terminal:
            yield
            return
        from rich.live import Live

        with Live(self._spinner, console=self.console, transient=True, refresh_per_second=8) as self._live:
            yield
        self._live = None

    def set_label(self, label: str) -> None:
        """Change the label of the current activity."""
        self._spinner.set_label(label)

    def _show_arguments(self, question: Question) -> None:
        """Show the arguments in words: first those that are not at their defaults."""
        fields = list_fields(question.arguments, question.at_default)
        for name, shown in groupby(fields, key=lambda each: "defaults" if each.is_default else "arguments"):
            self._print_fact(name, "")
            self._print_fields(shown)

    def _print_fields(self, fields: Iterable[ShownField]) -> None:
        for field in fields:
            first, *more = [line for part in field.text.split("\n") for line in self._wrap(part)]
            self.print_line((f"    {field.name}: ", "dim"), f"\n{' ' * _INDENT}".join([first, *more]))

    def _show_plan(self, question: Question) -> None:
        """Show the calls that the answer approves with the call in question."""
        for planned in question.plan:
            self._print_fact("with it", planned.tool)
            self._print_fields(list_fields(planned.arguments))
            self._print_fact("why", f"{one_line(planned.reason, max_length=400)} (rule: {one_line(planned.rule)})")
            if planned.preview.summary:
                self._print_fact("about", one_line_each(planned.preview.summary))
            self._show_changes(planned.preview.changes)

    def _show_changes(self, changes: Iterable[Change]) -> None:
        """Show the changes of a question. Long or multi-line texts are shown one below the other."""
        for change in changes:
            where, texts = _quote(" ".join(change.where.split())), (change.before, change.after)
            if not any(texts):
                self._print_fact("change", where)
            elif max(map(len, texts)) <= _MAX_SIDE and not any("\n" in text for text in texts):
                self._print_fact("change", f"{where}: {' → '.join(_quote(text) or 'nothing' for text in texts)}")
            else:
                self._print_fact("change", where)
                for name, text in zip(("before", "after"), texts, strict=True):
                    self._print_fact(f"  {name}", escape_controls(text) or "nothing")

    def _print_fact(self, name: str, value: str | tuple[str, str]) -> None:
        """Print a label and its value. Long values continue under the value, so that they do not look like names."""
        if isinstance(value, str):
            value = f"\n{' ' * _INDENT}".join(line for part in value.split("\n") for line in self._wrap(part))
        self.print_line((f"  {name:<{_INDENT - 2}}", "dim"), value)

    def _wrap(self, line: str) -> list[str]:
        """Wrap a line for the screen; leave it whole for a file or a pipe."""
        if not self.console.is_terminal:
            return [line]
        from rich.text import Text

        width = max(20, self.console.width - _INDENT)
        return [each.plain for each in Text(line).wrap(self.console, width, overflow="fold")] or [""]

    def _show_call_end(self, event: CallEnded) -> None:
        mark, style = _OUTCOME_MARKS["announced" if event.announced else event.outcome]
        duration = "" if event.seconds is None or event.announced else f" in {format_duration(event.seconds)}"
        error_text = f": {_error_text(event.error)}" if event.error else ""
        indent = "    " if event.nested else "  "
        self.print_line(indent, (f"{mark} ", style), *_style_sentence(event.sentence), duration, error_text)

    def _styled_risk(self, name: str) -> tuple[str, str]:
        contract = self._contracts.get(name)
        risk = "unknown" if contract is None else contract.facts.risk.value
        return risk, risk_style(risk)


class _Spinner:
    """A spinner, a label, and the seconds since it started; above them, the end of an answer, as far as it fits."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.answer = ""
        self._clock = clock
        self._label = ""
        self._started_at = clock()

    def set_label(self, label: str) -> None:
        if label != self._label:
            self._label, self._started_at = label, self._clock()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        if self.answer:
            lines = Text(escape_controls(self.answer)).wrap(console, options.max_width)
            yield from list(lines)[1 - console.height :]
        elapsed = self._clock() - self._started_at
        frame = _SPINNER_FRAMES[int(elapsed * 8) % len(_SPINNER_FRAMES)]
        yield Text(f"  {frame} {one_line(self._label)} {elapsed:.0f} s", style="dim")


def _style_sentence(sentence: Sentence) -> list[str | tuple[str, str]]:
    """A sentence as pieces of a line, its names in bold."""
    return [(text, "bold") if is_name else text for text, is_name in sentence.parts]


def _error_text(error: CallError) -> str:
    return one_line(f"{error.code}: {error.message}", max_length=300)


def _quote(text: str) -> str:
    """A short text on one line, in quotes if it could be misread next to others."""
    return json_text(text) if _MISLEADING.search(text) else escape_controls(text)
