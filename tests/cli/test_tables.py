"""The console on which a command prints, made when something is printed on it."""

from __future__ import annotations

import sys
from io import StringIO

import pytest
from rich.console import Console

from remit.cli import tables
from remit.cli.tables import make_console, make_console_on_use


class Screen(StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Console]:
    """The consoles that are made, where nothing forces one to be a terminal."""
    consoles: list[Console] = []

    def make(*, stderr: bool = False) -> Console:
        consoles.append(make_console(stderr=stderr))
        return consoles[-1]

    monkeypatch.setattr(tables, "make_console", make)
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return consoles


def test_a_console_is_made_once_something_is_printed_on_it(
    made: list[Console], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", stream := StringIO())
    console = make_console_on_use(stderr=True)
    assert not console.is_terminal
    assert made == []
    console.print("one", "[two]")
    console.print("three")
    assert len(made) == 1
    assert stream.getvalue() == "one [two]\nthree\n"


def test_a_terminal_is_one_and_so_is_what_a_person_says_is_one(
    made: list[Console], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", Screen())
    monkeypatch.setenv("TERM", "xterm")
    assert make_console_on_use().is_terminal
    monkeypatch.setattr(sys, "stdout", StringIO())
    assert not make_console_on_use().is_terminal
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert make_console_on_use().is_terminal
    assert len(made) == 2
