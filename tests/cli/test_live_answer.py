"""A terminal shows an answer while the model writes it, and once when it is whole."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Callable

import pytest
from rich.console import Console

from remit import Agent, App
from remit.chat.streaming import Delta
from remit.cli.chat import Chat
from remit.cli.client import open_client
from remit.cli.resume import resume_run
from remit.cli.terminal import Terminal
from remit.errors import ModelUnavailableError
from remit.messages import ChatRequest, Completion
from remit.testing import Scripted
from tests.cli.kit import Cli
from tests.cli.test_chat import Typist

ANSWER = "The first half, and the second."


class Gated(Scripted):
    """Goes on writing when the first half is on the screen."""

    def __init__(self, screen: io.StringIO, *, fails: bool = False) -> None:
        super().__init__([ANSWER])
        self._screen = screen
        self._fails = fails

    async def stream(self, request: ChatRequest, on_delta: Callable[[Delta], None], /) -> Completion:
        on_delta(Delta("The first half,"))
        for _ in range(2_000):
            if "The first half," in self._screen.getvalue():
                break
            await asyncio.sleep(0.001)
        if self._fails:
            raise ModelUnavailableError("cut")
        on_delta(Delta(" and the second."))
        return await self(request)


def draw(written: str) -> list[str]:
    """What a terminal shows in the end."""
    lines, row = [""], 0
    for part in re.findall(r"\x1b\[[?\d;]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", written):
        if part == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif part.startswith("\x1b[") and part.endswith("A"):
            row -= int(part[2:-1] or 1)
        elif part == "\x1b[2K":
            lines[row] = ""
        elif part != "\r" and not part.startswith("\x1b"):
            lines[row] += part
    return lines


def talk(model: Callable[[io.StringIO], Scripted]) -> str:
    screen = io.StringIO()
    app = App(name="app", agents=[Agent("agent", instructions="Answer.", model=model(screen))])
    with open_client() as desk:
        console = Console(file=screen, force_terminal=True, force_interactive=True, width=60, markup=False)
        terminal = Terminal(console, app, shows_answers=True)
        runtime = desk.runtime(app, terminal, terminal.make_run_id)
        assert Chat(desk, runtime, terminal, "c", "", Typist("hi")).talk() == 0
    return screen.getvalue()


@pytest.fixture(autouse=True)
def _home(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.script()
    monkeypatch.setenv("TERM", "xterm")


def test_pieces_are_shown_as_they_come_and_the_answer_stands_once() -> None:
    written = talk(Gated)
    assert written.index("The first half,") < written.index(ANSWER)
    assert "\n".join(draw(written)).count("The first half,") == 1


def test_the_pieces_of_a_request_that_fails_disappear() -> None:
    written = talk(lambda screen: Gated(screen, fails=True))
    assert "The first half," in written
    assert "The first half," not in "\n".join(draw(written))


def test_a_resumed_run_shows_its_pieces_too(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    app = App(name="app", agents=[Agent("agent", instructions="Answer.", model=Gated(screen))])
    console = Console(file=screen, force_terminal=True, force_interactive=True, width=60, markup=False)

    def make_console(**_options: bool) -> Console:
        return console

    monkeypatch.setattr("remit.cli.tables.make_console", make_console)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    with open_client() as desk:
        run = desk.wait(desk.runtime(app).submit("hi", by=desk.principal))
        assert resume_run(desk, desk.get_run(run), app, app_reference="", wait=0, as_json=False) == 0
    assert "The first half," in screen.getvalue()
    assert "The first half," not in "\n".join(draw(screen.getvalue()))


def test_only_the_end_of_a_long_answer_is_shown_while_it_is_written() -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, force_interactive=True, width=20, height=4, markup=False)
    terminal = Terminal(console, App(name="app"), shows_answers=True)
    with terminal.show_busy("thinking"):
        terminal.write_answer("call", "\n".join(f"line {number}" for number in range(9)))
        shown = screen.getvalue()
    assert "line 8" in shown
    assert "line 5" not in shown


def test_a_file_gets_the_answer_once_it_is_whole() -> None:
    terminal = Terminal(Console(file=io.StringIO(), force_terminal=False), App(name="app"), shows_answers=True)
    assert not terminal.shows_answers
