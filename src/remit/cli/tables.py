"""Tables on stdout, and the console they are printed on."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:  # rich has forty modules, which most calls do not need
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

_RISK_STYLES: Final[Mapping[str, str]] = {"safe": "green", "moderate": "yellow", "high": "bold red"}
_PLAIN_WIDTH: Final = 240
"""The width of tables in files and pipes."""
_FORCING: Final = frozenset({"FORCE_COLOR", "TTY_COMPATIBLE"})
"""The variables that make rich treat other output as a terminal."""


def make_console(*, stderr: bool = False) -> Console:
    """A console that prints text literally, without interpreting markup."""
    from rich.console import Console

    plain_console = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if not plain_console.is_terminal:
        plain_console.width = _PLAIN_WIDTH
    return plain_console


def make_console_on_use(*, stderr: bool = False) -> Console:
    """The same console, made on first use."""
    return cast("Console", _ConsoleOnUse(stderr=stderr))


class _ConsoleOnUse:
    """Forwards to the console, without importing rich to find that a file or a pipe is not a terminal."""

    def __init__(self, *, stderr: bool) -> None:
        self._stderr = stderr

    @property
    def is_terminal(self) -> bool:
        stream = sys.stderr if self._stderr else sys.stdout
        return (stream.isatty() or not _FORCING.isdisjoint(os.environ)) and self._console.is_terminal

    def __enter__(self) -> Console:
        return self._console.__enter__()

    def __exit__(self, *error: object) -> None:
        self._console.__exit__(*error)

    def __getattr__(self, name: str) -> Any:
        if name == "_console":
            self._console = make_console(stderr=self._stderr)
            return self._console
        return getattr(self._console, name)


def make_table(*columns: str) -> Table:
    """A table without lines, easy to parse by other programs."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column, overflow="fold")
    return made


def print_table(listing: Table) -> None:
    """Print a table on stdout."""
    output = make_console()
    if output.is_terminal:
        output.print(listing)
        return
    with output.capture() as captured:
        output.print(listing)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def risk_text(risk: str) -> Text:
    """The word for a risk in its colour."""
    from rich.text import Text

    return Text(risk, style=risk_style(risk))


def risk_style(risk: str) -> str:
    """The style of a risk. An unknown risk looks like a high one."""
    return _RISK_STYLES.get(risk, "bold red")
