"""How long questions and grants hold."""

from __future__ import annotations

from typing import Any, Final

from remit.core.checks import check_numbers
from remit.errors import SetupError
from remit.shown import show_value

MAX_LIFETIME: Final = 100 * 365 * 24 * 3600.0
"""The maximum lifetime of a question or grant, in seconds. JSON and calendars cannot represent infinity."""


def check_lifetime(seconds: object, what: str) -> None:
    """Raise a `SetupError` for a lifetime that is not positive or exceeds `MAX_LIFETIME`."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise SetupError(f"{what} is {show_value(seconds)}; give seconds")
    if isinstance(seconds, int):
        check_numbers(what, seconds=seconds)  # do not print a number of thousands of digits
    if not 0 < seconds <= MAX_LIFETIME:
        raise SetupError(f"{what} is {seconds} seconds; give a positive number, at most {MAX_LIFETIME:.0f} (100 years)")


def as_lifetime(what: str, seconds: Any) -> Any:
    """The lifetime of an argument; see `check_lifetime`."""
    check_lifetime(seconds, what)
    return seconds
