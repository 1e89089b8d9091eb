"""Payload models of every shape that a contract may have."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from tests.call.json_values import any_text, text, whole


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Point(NamedTuple):
    x: int
    y: int


class Size(TypedDict):
    width: int


@dataclass
class Range:
    first: int


class Page(BaseModel):
    title: str
    page_id: int | None = Field(default=None, alias="pageId")


class Frozen(BaseModel, frozen=True):
    number: int


class Everything(BaseModel):
    """One field of each type that JSON can carry there and back."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    number: int = Field(alias="theNumber")
    fraction: float
    flag: bool
    text: str
    maybe: str | None
    either: int | str
    raw: bytes
    day: date
    moment: datetime
    span: timedelta
    exact: Decimal
    ident: UUID
    color: Color
    level: Level
    choice: Literal["a", 1]
    point: Point
    size: Size
    range: Range
    page: Page
    numbers: list[int]
    pair: tuple[int, str]
    names: set[str]
    colors: frozenset[Color]
    groups: list[set[int]]
    sets: dict[str, set[int]]
    nested: frozenset[frozenset[int]]
    by_number: dict[int, str]
    by_color: dict[Color, int]
    anything: Any


def everything_with(text: st.SearchStrategy[str]) -> st.SearchStrategy[Everything]:
    """Payloads whose texts are ``text``."""
    return st.builds(
        Everything,
        theNumber=whole,
        fraction=st.floats(allow_nan=False, allow_infinity=False),
        text=text,
        maybe=st.none() | text,
        either=whole | text,
        raw=text.map(str.encode),
        moment=st.datetimes(timezones=st.just(UTC)),
        exact=st.decimals(allow_nan=False, allow_infinity=False),
        point=st.builds(Point, whole, whole),
        size=st.fixed_dictionaries({"width": whole}),
        range=st.builds(Range, whole),
        page=st.builds(Page, title=text, pageId=st.none() | whole),
        numbers=st.lists(whole, max_size=3),
        pair=st.tuples(whole, text),
        names=st.sets(text, max_size=4),
        groups=st.lists(st.sets(whole, max_size=4), max_size=2),
        sets=st.dictionaries(text, st.sets(whole, max_size=4), max_size=2),
        nested=st.frozensets(st.frozensets(whole, max_size=3), max_size=3),
        by_number=st.dictionaries(whole, text, max_size=2),
        by_color=st.dictionaries(st.sampled_from(Color), whole, max_size=2),
        anything=st.none() | st.booleans() | whole | text | st.lists(whole, max_size=2),
    )


everything, any_everything = everything_with(text), everything_with(any_text)


class Hero(BaseModel):
    type: Literal["hero"] = "hero"
    title: str


class Text(BaseModel):
    type: Literal["text"] = "text"
    body: str


class Sections(BaseModel):
    sections: list[Annotated[Hero | Text, Field(discriminator="type")]]


class Sizes(BaseModel):
    """Read by one name and written by another: what it wrote cannot be read."""

    length: int = Field(serialization_alias="size")
