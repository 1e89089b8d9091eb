"""Tables on stdout, and the console they are printed on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from rich.table import Table

_RISK_STYLES: Final[Mapping[str, str]] = {"safe": "green", "moderate": "yellow", "high": "bold red"}
_PLAIN_WIDTH: Final = 240
"""Columns of a table that goes to a file or a pipe."""


def make_console(*, stderr: bool = False) -> Console:
    """A console that prints text literally, without interpreting markup."""
    plain_console = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if not plain_console.is_terminal:
        plain_console.width = _PLAIN_WIDTH
    return plain_console


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
    return Text(risk, style=risk_style(risk))


def risk_style(risk: str) -> str:
    """The style of a risk. An unknown risk looks like a high one."""
    return _RISK_STYLES.get(risk, "bold red")
