"""Types of parameters as people write them: some that no value can have, because of a slip in a bound."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Annotated, Any, Final, Literal

from annotated_types import Ge, Gt, Le, Len, Lt, MaxLen, MinLen, MultipleOf
from pydantic import BaseModel


class NoColour(Enum):
    """An enumeration whose members were never written."""


class Chain(BaseModel):
    """A model that cannot end."""

    next: Chain


class Tree(BaseModel):
    """A model that ends in an empty list."""

    parts: list[Tree]


class Booking(BaseModel):
    """A model one of whose fields has no value."""

    guests: Annotated[int, Ge(5), Le(1)]


_NOON: Final = datetime(2026, 3, 8, 12, tzinfo=UTC)
_NAIVE: Final = _NOON.replace(tzinfo=None)

IMPOSSIBLE: Final[dict[str, Any]] = {
    "a whole number": Annotated[int, Ge(5), Le(1)],
    "an open range": Annotated[int, Gt(1), Lt(2)],
    "a fraction": Annotated[float, Gt(1), Lt(1)],
    "a multiple": Annotated[int, Ge(5), Le(6), MultipleOf(10)],
    "a multiple at an open end": Annotated[int, Ge(5), Lt(10), MultipleOf(10)],
    "a multiple after an open end": Annotated[int, Gt(10), Le(15), MultipleOf(10)],
    "a decimal": Annotated[Decimal, Ge(5), Le(1)],
    "a ratio": Annotated[Fraction, Gt(1), Le(1)],
    "a text": Annotated[str, MinLen(5), MaxLen(1)],
    "bytes": Annotated[bytes, MinLen(5), MaxLen(1)],
    "a list": Annotated[list[int], MinLen(5), MaxLen(1)],
    "a sequence": Annotated[Sequence[int], Len(5, 1)],
    "a set": Annotated[set[int], MinLen(5), MaxLen(1)],
    "a set of fewer words": Annotated[set[Literal["a", "b"]], MinLen(3)],
    "a set of one word": Annotated[frozenset[Literal["a"]], MinLen(2)],
    "a mapping": Annotated[Mapping[str, int], MinLen(5), MaxLen(1)],
    "a place of a tuple": tuple[int, Annotated[int, Ge(5), Le(1)]],
    "each of a list that needs one": Annotated[list[Annotated[int, Ge(5), Le(1)]], MinLen(1)],
    "no words": Literal[()],
    "no members": NoColour,
    "a day": Annotated[date, Ge(date(2026, 3, 9)), Le(date(2026, 3, 8))],
    "a moment": Annotated[datetime, Gt(_NOON), Lt(_NOON)],
    "a time of day": Annotated[time, Ge(time(9)), Lt(time(9))],
    "a duration": Annotated[timedelta, Gt(timedelta(1)), Le(timedelta(1))],
    "a chain": Chain,
    "a field of a model": Booking,
    "two choices": Annotated[int, Ge(5), Le(1)] | NoColour,
}
"""Types that no value has."""

POSSIBLE: Final[dict[str, Any]] = {
    "one whole number": Annotated[int, Ge(5), Le(5)],
    "a half": Annotated[float, Gt(0), Lt(1)],
    "no end": Annotated[float, Ge(0), Lt(math.inf)],
    "one multiple": Annotated[int, Gt(5), Le(10), MultipleOf(10)],
    "multiples of a tenth": Annotated[Decimal, Ge(Decimal("0.1")), Le(Decimal("0.3")), MultipleOf(Decimal("0.1"))],
    "large bounds": Annotated[int, Ge(2**53 + 1), Lt(2**53 + 2)],
    "one day": Annotated[date, Ge(date(2026, 3, 8)), Le(date(2026, 3, 8))],
    "moments with and without a zone": Annotated[datetime, Ge(_NOON), Le(_NAIVE)],
    "a choice that remains": Annotated[int, Ge(5), Le(1)] | str,
    "an empty list": list[Annotated[int, Ge(5), Le(1)]],
    "a list of one word": Annotated[list[Literal["a"]], MinLen(2)],
    "a tree": Tree,
    "a set of all words": Annotated[set[Literal["a", "b"]], MinLen(2)],
}
"""Types that a value has."""
