"""Draws on a terminal: calls as they happen, a clock while one waits, and a question with all that it is about.

On a file or a pipe the same is written plainly.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from remit.agent.roster import everybody
from remit.app import App
from remit.cli.calls import AGAIN, CallEnded, Event, Following, Noted, Put, Said, Taken, Wanted, by_what, decided, title
from remit.cli.legible import brief, exact, json_text, lasting, legible, one_line
from remit.contracts.arguments import Limits, parse
from remit.contracts.items import Position
from remit.contracts.question import Question
from remit.errors import CallError

_RISKS: Final[Mapping[str, str]] = {"safe": "green", "moderate": "yellow", "high": "bold red"}
_OUTCOMES: Final[Mapping[str, tuple[str, str, str]]] = {
    "ok": ("✓", "green", "done"),
    "error": ("✗", "red", "failed"),
    "denied": ("✗", "red", "denied"),
}
_FRAMES: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_WIDE: Final = 240
"""Columns of a table that goes to a file or a pipe."""


def console(*, stderr: bool = False) -> Console:
    """A console that shows text as it is, whatever marks are in it."""
    made = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if not made.is_terminal:
        made.width = _WIDE
    return made


class Terminal:
    """Tells a person what a run does. It is a runtime's ``watch``."""

    def __init__(self, shown: Console, app: App, clock: Callable[[], float] = time.monotonic) -> None:
        self.console = shown
        self.following = Following()
        self._risks = {tool.name: tool.facts.risk.value for tool in everybody([*app.agents, *app.tools])}
        self._outcomes = set[str]()
        self._busy = _Busy(clock)

    def __call__(self, position: Position) -> None:
        """Show what an item tells."""
        for event in self.following.see(position):
            self.show(event)
        running = list(self.following.running.values())
        self._busy.label(", ".join(running) if running else "thinking")

    def show(self, event: Event) -> None:
        """Show one thing that happened."""
        match event:
            case Said():
                self.say(legible(event.text))
            case Wanted():
                arguments = (f" {brief(event.arguments)}".rstrip(), "dim")
                self.say("  → ", (one_line(event.name), "bold"), " ", self._risk(event.name), arguments)
            case CallEnded():
                self._ended(event)
            case Noted():
                self.say(("    · " + one_line(event.text, most=300), "dim"))
            case Put():
                if event.question.kind == "outcome":
                    self._outcomes.add(event.question.id)
                self.say(("  ? ", "yellow"), title(event.question), "   question ", event.question.id)
            case Taken():
                outcome = event.decision.question in self._outcomes
                word = decided(event.decision, outcome=outcome), "green" if event.decision.approved else "red"
                self.say(
                    "  ! ", word, ", says " if outcome else " by ", one_line(event.decision.by), by_what(event.decision)
                )

    def say(self, *parts: str | tuple[str, str]) -> None:
        """Print one line of pieces, each plain or with a style."""
        self.console.print(Text.assemble(*parts), soft_wrap=True)

    def question(self, question: Question, now: float) -> None:
        """Show all that a question is about. What is shown as arguments is exactly what will run."""
        self.say()
        self.say((title(question), "bold"), "   question ", question.id)
        if question.shown:
            self._fact("about", one_line(question.shown, most=400))
        self._fact("risk", (question.risk, _RISKS.get(question.risk, "bold red")))
        self._fact("why", f"{one_line(question.reason, most=400)} (rule: {one_line(question.rule)})")
        agent = f" by the agent {question.agent}" if question.agent else ""
        self._fact("asked for", f"{one_line(question.asker)}{agent}, run {question.run}")
        if question.four_eyes:
            self._fact("who", f"not {one_line(' nor '.join(question.requesters))}: four eyes")
        if question.kind == "approval":
            until = datetime.fromtimestamp(question.expires).astimezone().strftime("%Y-%m-%d %H:%M")
            self._fact("expires", f"{until} (in {lasting(question.expires - now)}), which means no")
        else:
            self._fact("if not", f"if it did not happen, {AGAIN}")
        arguments = parse(question.arguments, Limits(argument_bytes=1 << 30, argument_depth=1 << 10))
        shown = json_text(arguments.value, indent=2) if arguments.value is not None else exact(question.arguments)
        self._fact("arguments", "")
        self.say("    " + shown.replace("\n", "\n    "))

    @contextmanager
    def busy(self, label: str) -> Generator[None]:
        """Show that something goes on, and for how long, on a terminal."""
        self.following.running.clear()
        self._busy.label(label)
        if not self.console.is_terminal:
            yield
            return
        with Live(self._busy, console=self.console, transient=True, refresh_per_second=8):
            yield

    def label(self, label: str) -> None:
        """Say what goes on, where `busy` shows it."""
        self._busy.label(label)

    def _fact(self, name: str, said: str | tuple[str, str]) -> None:
        self.say((f"  {name:<10}", "dim"), said)

    def _ended(self, event: CallEnded) -> None:
        mark, style, word = _OUTCOMES[event.outcome]
        took = "" if event.seconds is None else f" in {lasting(event.seconds)}"
        why = f": {_why(event.error)}" if event.error else ""
        indent = "    " if event.nested else "  "
        self.say(indent, (f"{mark} ", style), one_line(event.name), " ", (word, style), took, why)

    def _risk(self, name: str) -> tuple[str, str]:
        risk = self._risks.get(name, "unknown")
        return risk, _RISKS.get(risk, "bold red")


class _Busy:
    """A turning mark, what goes on, and the seconds since it began."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._label = ""
        self._since = clock()

    def label(self, label: str) -> None:
        if label != self._label:
            self._label, self._since = label, self._clock()

    def __rich__(self) -> Text:
        elapsed = self._clock() - self._since
        frame = _FRAMES[int(elapsed * 8) % len(_FRAMES)]
        return Text(f"  {frame} {one_line(self._label)} {elapsed:.0f} s", style="dim")


def table(*columns: str) -> Table:
    """A table without lines, so that it can be cut up by other programs."""
    made = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column, overflow="fold")
    return made


def draw(shown: Table) -> None:
    """Print a table on stdout."""
    drawn = console()
    if drawn.is_terminal:
        drawn.print(shown)
        return
    with drawn.capture() as captured:
        drawn.print(shown)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def risk_text(risk: str) -> Text:
    """The word for a risk in its colour."""
    return Text(risk, style=_RISKS.get(risk, "bold red"))


def _why(error: CallError) -> str:
    return one_line(f"{error.code}: {error.message}", most=300)
