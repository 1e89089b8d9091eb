"""The numbers that browsers show before the items of a list."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_INTEGER: Final = re.compile(r"\s*([+-]?\d{1,9})(?!\d)")
_ROMAN: Final = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x")),
    *((9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)


@dataclass(slots=True)
class Numbering:
    """The number of the next item of a list."""

    next: int
    kind: str = ""
    step: int = 1

    def number(self, attributes: Mapping[str, str]) -> str:
        """The displayed number of an item with these attributes."""
        value = read_integer(attributes.get("value", ""))
        number = self.next if value is None else value
        self.next = number + self.step
        return f"{_write(number, attributes.get('type', self.kind))}."


def number_list(name: str, attributes: Mapping[str, str]) -> Numbering | None:
    """The numbering of a list; None if its items have no numbers, or count down from an unspecified number."""
    start, is_reversed = read_integer(attributes.get("start", "")), "reversed" in attributes
    if name != "ol" or (is_reversed and start is None):
        return None
    return Numbering(1 if start is None else start, attributes.get("type", ""), -1 if is_reversed else 1)


def read_integer(written: str) -> int | None:
    """The integer at the beginning of an attribute."""
    found = _INTEGER.match(written)
    return None if found is None else int(found[1])


def _write(number: int, kind: str) -> str:
    if kind in ("a", "A") and number > 0:
        text = _write_letters(number)
    elif kind in ("i", "I") and 0 < number < 4_000:
        text = _write_roman(number)
    else:
        text = str(number)
    return text.upper() if kind.isupper() else text


def _write_letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


def _write_roman(number: int) -> str:
    letters = ""
    for value, written in _ROMAN:
        times, number = divmod(number, value)
        letters += written * times
    return letters
