"""Finds the choice of a chat completion that is the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

FIRST: Final = "0"
"""The index of the choice that is the answer."""


def find_answer(choices: object) -> int:
    """The position of the answer among the choices: the first choice with the index 0, or else the first object.

    Endpoints may give several choices unasked and in any order. The others are only recorded.

    Raises:
        LookupError: there is none.
    """
    listed = cast("list[object]", choices) if isinstance(choices, list) else []
    found = {number: cast("dict[str, Any]", each) for number, each in enumerate(listed) if isinstance(each, dict)}
    numbered = (number for number, each in found.items() if index_of(each) == FIRST)
    number = next(numbered, next(iter(found), None))
    if number is None:
        raise LookupError("it has no choice")
    return number


def index_of(piece: Mapping[str, Any]) -> str | None:
    """The index of a choice, a call or another piece, which some endpoints write as a text or as a fraction."""
    index = piece.get("index")
    if isinstance(index, float) and index.is_integer():
        index = int(index)
    return None if index is None else str(index)
