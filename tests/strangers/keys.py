"""Keys of mappings as programs declare and models write them, and what each is read as."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import AfterValidator, AnyUrl, Field, PlainSerializer, StringConstraints


class Colour(StrEnum):
    """Words."""

    RED = "red"


class Floor(IntEnum):
    """Numbers."""

    GROUND = 0
    FIRST = 1


class Mixed(Enum):
    """A number and its text, which JSON cannot tell apart."""

    NUMBER = 1
    TEXT = "1"


ID: Final = "0f8fad5b-d9cb-469f-a165-70867728950e"

READ: Final[dict[str, tuple[Any, tuple[str, ...], tuple[str, ...]]]] = {
    "int": (
        int,
        ("1", "0", "-7", "99999999999999999999"),
        ("01", "1.0", "1_0", "+1", " 1", "1\n", "-0", "1e3", "\u0661"),
    ),
    "bool": (bool, ("true", "false"), ("1", "0", "yes", "True", "on")),
    "date": (date, ("2026-03-08",), ("20260308", "1772928000", "2026-03-08T00:00:00Z", "2026-3-8")),
    "id": (UUID, (ID,), (ID.upper(), ID.replace("-", ""), f"{{{ID}}}", f"urn:uuid:{ID}")),
    "numbered words": (Floor, ("0", "1"), ("01", "2", "FIRST")),
    "words": (Colour, ("red",), ("RED", "blue")),
    "literals": (Literal["a", "b"], ("a",), ("c", "A")),
    "text": (str, ("1", "01", "", "true", "2026-03-08T10:00:00"), ()),
    "bytes": (bytes, ("é",), ()),
    "a bound": (Annotated[int, Field(ge=0)], ("1",), ("-1", "01")),
    "a pattern": (Annotated[str, Field(pattern="^a")], ("ab",), ("b",)),
    "a check": (Annotated[int, AfterValidator(abs)], ("1",), ("01",)),
    "a literal or a text": (Literal["a"] | Annotated[str, Field(min_length=2)], ("a", "12"), ("b",)),
}
"""Types of keys: texts that are keys of this type, and texts that are none."""

NO_KEYS: Final[dict[str, Any]] = {
    "a number or a text": int | str,
    "a text or nothing": str | None,
    "nothing": None,
    "a number or nothing": int | None,
    "float": float,
    "decimal": Decimal,
    "moment": datetime,
    "time": time,
    "duration": timedelta,
    "tuple": tuple[int, int],
    "path": Path,
    "address": AnyUrl,
    "mixed words": Mixed,
    "a listed number": Literal[1, "a"],
    "anything hashable": Hashable,
    "anything": Any,
    "a trimmed text": Annotated[str, StringConstraints(strip_whitespace=True)],
    "a text written in its own way": Annotated[str, PlainSerializer(str.upper)],
    "a number written in its own way": Annotated[int, PlainSerializer(hex)],
}
"""Types whose values have several texts, or are not read back from theirs."""

MAPPINGS: Final[dict[str, Any]] = {
    "dict": dict[int, int],
    "Mapping": Mapping[int, int],
    "Counter": Counter[int],
    "defaultdict": defaultdict[int, int],
    "in a list": list[dict[int, int]],
    "beside a text": dict[int, int] | str,
}
"""Places of keys that are numbers."""

ONE_TEXT: Final[tuple[dict[Any, Any], ...]] = (
    {1: 1, "1": 2},
    {None: 1, "None": 2},
    {True: 1, "true": 2},
    {1.5: 1, "1.5": 2},
    {date(2026, 3, 8): 1, "2026-03-08": 2},
    {UUID(ID): 1, ID: 2},
    {Mixed.NUMBER: 1, Mixed.TEXT: 2},
    {1: {2}, "1": {3}},
)
"""Mappings of which JSON would hold one key twice."""
