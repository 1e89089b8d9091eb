"""Periods on the command line, such as ``--since 30d``."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Final, TypeAlias

import typer

from remit.cli.status import UsageError
from remit.shown import show_value

_UNITS: Final = {"m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}

SinceOption: TypeAlias = Annotated[
    str,
    typer.Option("--since", metavar="PERIOD", help="How far back: 30d, 12h, 90m or 2w, or a date such as 2026-11-01."),
]
"""The beginning of the period that a command reads."""


def parse_since(text: str, now: float) -> float:
    """The epoch seconds at which a period begins that ends ``now``.

    Raises:
        UsageError: the text is neither a period nor a date.
    """
    if (found := re.fullmatch(r"([1-9][0-9]{0,5})([mhdw])", text)) is not None:
        return max(0.0, now - int(found[1]) * _UNITS[found[2]])
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"--since {show_value(text)} is no period; write 30d, 12h, or a date: 2026-11-01") from None
