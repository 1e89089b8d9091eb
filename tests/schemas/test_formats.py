"""What a schema shows as a date, a time or a duration is what is read as one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time
from enum import Enum, IntFlag
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from pydantic import (
    Base64Bytes,
    Base64UrlBytes,
    BaseModel,
    ConfigDict,
    Field,
    IPvAnyAddress,
    IPvAnyNetwork,
    Json,
    NaiveDatetime,
    create_model,
)

from remit.call.json_contract import JsonInput
from remit.call.schema import Input
from remit.errors import InvalidArgumentsError
from remit.record.arguments import Limits, parse_arguments
from tests.strangers.dates import ALLOWED, BESIDE, KINDS, NUMBERS, REFUSED, SHOWN

NOON = datetime(2026, 3, 8, 12, tzinfo=UTC)


def bind(model: type[BaseModel], value: object, *, strict: bool) -> Any:
    """The payload of one argument."""
    return Input(model).bind(parse_arguments(json.dumps({"at": value}), Limits()), strict=strict)


def model_of(kind: Any) -> type[BaseModel]:
    return create_model("Booking", at=(kind, ...))


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "lenient"])
@pytest.mark.parametrize(("name", "text"), [(name, text) for name in ALLOWED for text in ALLOWED[name]])
def test_a_text_in_the_shown_format_is_read(name: str, text: str, strict: bool) -> None:
    model = model_of(KINDS[name])
    payload = bind(model, text, strict=strict)
    assert Input(model).load(Input(model).dump_canonical(payload)) == payload


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "lenient"])
@pytest.mark.parametrize(("name", "text"), [(name, text) for name in REFUSED for text in REFUSED[name]])
def test_a_text_in_another_format_is_refused(name: str, text: str, strict: bool) -> None:
    with pytest.raises(InvalidArgumentsError, match=r"^at: "):
        bind(model_of(KINDS[name]), text, strict=strict)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", KINDS)
def test_a_number_is_no_time(name: str, number: float) -> None:
    for kind in (KINDS[name], KINDS[name] | None):
        with pytest.raises(InvalidArgumentsError):
            bind(model_of(kind), number, strict=False)


def test_the_refusal_has_an_example() -> None:
    with pytest.raises(InvalidArgumentsError) as caught:
        bind(model_of(datetime), "20260308", strict=True)
    assert caught.value.message == "at: Input should be a date and time with a zone like 2026-03-08T14:30:00Z"


@pytest.mark.parametrize(("name", "text"), [(name, text) for name in SHOWN for text in SHOWN[name]])
def test_a_format_is_the_same_for_a_typed_tool_and_one_from_a_json_schema(name: str, text: str) -> None:
    arguments = parse_arguments(json.dumps({"at": text}), Limits())
    taken: list[bool] = []
    for made in (Input(model_of(KINDS[name])), JsonInput({"type": "object", "properties": {"at": {"format": name}}})):
        try:
            made.bind(arguments, strict=True)
        except InvalidArgumentsError:
            taken.append(False)
        else:
            taken.append(True)
    assert taken[0] == taken[1]


@pytest.mark.parametrize("text", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00"])
def test_a_moment_that_utc_cannot_express_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgumentsError, match=r"^at: Input should be within the years 1 to 9999 in UTC$"):
        bind(model_of(datetime), text, strict=True)


def test_a_schema_shows_no_format_that_its_type_does_not_keep_to() -> None:
    def show(kind: Any) -> dict[str, Any]:
        return Input(model_of(kind)).json_schema["properties"]["at"]

    assert show(datetime) == {"type": "string", "format": "date-time"}
    assert show(NaiveDatetime)["pattern"].startswith("^")
    assert "format" not in show(time)


class Meeting(BaseModel):
    kind: Literal["meeting"] = "meeting"
    at: datetime


class Note(BaseModel):
    kind: Literal["note"] = "note"
    at: str = ""
    tags: list[str] = []


Tagged: Any = Annotated[Note | Meeting, Field(discriminator="kind")]


class Tree(BaseModel):
    at: datetime | None = None
    below: list[Tree] = []


PLACES: dict[str, tuple[Any, Any, str]] = {
    "a list": (list[date], ["2026-03-08", "0"], "at.1"),
    "a tuple": (tuple[str, date], ["1", "0"], "at.1"),
    "a mapping": (dict[str, date], {"a": "0"}, "at.a"),
    "a mapping by pattern": (dict[Annotated[str, Field(pattern="^a")], date], {"a": "0"}, "at.a"),
    "a model": (Meeting, {"at": "0"}, "at.at"),
    "one of two models": (Note | Meeting, {"at": "0", "kind": "meeting"}, "at.at"),
    "one of two tagged models": (
        Tagged,
        {"at": "0", "kind": "meeting"},
        "at.at",
    ),
    "one of two tagged models, or nothing": (
        Tagged | None,
        {"at": "0", "kind": "meeting"},
        "at.at",
    ),
    "a tree": (Tree, {"below": [{"below": [{"at": "0"}]}]}, "at.below.0.below.0.at"),
    "a list or nothing": (list[date] | None, ["0"], "at.0"),
    "either of two times": (datetime | date, "0", "at"),
    "either of two lists": (list[date] | list[datetime], ["0"], "at.0"),
    "a union in a union": (list[date | None] | None, ["0"], "at.0"),
}


@pytest.mark.parametrize("name", PLACES)
def test_a_time_is_checked_wherever_it_stands(name: str) -> None:
    kind, value, where = PLACES[name]
    with pytest.raises(InvalidArgumentsError, match=f"^{where}: Input should be a date"):
        bind(model_of(kind), value, strict=False)


FREE: dict[str, tuple[Any, Any]] = {
    "a text beside a time": (str | datetime, "20260308"),
    "a text beside a day": (date | str, "20260308"),
    "a number beside a time": (date | int, 20260308),
    "a fraction beside a time": (date | float, 7),
    "nothing": (datetime | None, None),
    "another model": (Meeting | Note, {"at": "1", "kind": "note"}),
    "a word": (Literal["1"] | date, "1"),
    "anything": (Any, {"at": "20260308"}),
    "one of several words": (Literal["1", "2"] | date, "1"),
    "a list in a model": (Note, {"tags": ["1"]}),
    "an object or a list of times": (list[date] | dict[str, str], {"a": "1"}),
}


@pytest.mark.parametrize("name", FREE)
def test_what_is_no_time_is_free(name: str) -> None:
    kind, value = FREE[name]
    assert bind(model_of(kind), value, strict=False) is not None


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "lenient"])
@pytest.mark.parametrize("place", ["alone", "in a model", "in a list", "in a set", "in JSON", "by key"])
@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name in BESIDE for text in (*BESIDE[name][1], *BESIDE[name][2])]
)
def test_a_text_beside_another_type_stays_what_it_is_or_is_refused(
    name: str, text: str, place: str, strict: bool
) -> None:
    kind, kept, _ = BESIDE[name]
    at, value = {
        "alone": (kind, text),
        "in a model": (create_model("Part", part=(kind, ...)), {"part": text}),
        "in a list": (tuple[int, kind], [1, text]),
        "in a set": (set[kind], [text]),
        "in JSON": (Json[kind], json.dumps(text)),
        "by key": (dict[str, kind], {"a": text}),
    }[place]
    model = create_model("Booking", at=(at, ...))
    if text in kept:
        assert json.loads(Input(model).dump_canonical(bind(model, value, strict=strict)))["at"] == value
    else:
        with pytest.raises(
            InvalidArgumentsError,
            match=f"^at.*: '{re.escape(text)}' would be read as '.*'; write that, or another text$",
        ):
            bind(model, value, strict=strict)


def test_a_text_that_is_no_json_is_a_text_where_both_are_taken() -> None:
    kind = Json[dict[str, int]] | datetime | str
    assert bind(model_of(kind), "hello", strict=True).at == "hello"
    assert bind(model_of(kind), '{"a": 1}', strict=True).at == {"a": 1}


def test_texts_of_a_set_are_compared_with_those_that_are_written() -> None:
    kind = set[datetime | str | int]
    assert bind(model_of(kind), ["soon", 3, "2026-03-08T14:30:00.5Z"], strict=True)
    with pytest.raises(InvalidArgumentsError, match=r"^at.2: '12.30' would be read as '1970-"):
        bind(model_of(kind), ["soon", 3, "12.30"], strict=True)


def test_texts_given_in_python_are_checked_and_times_are_taken_as_they_are() -> None:
    made = Input(model_of(datetime))
    with pytest.raises(InvalidArgumentsError, match=r"^at: Input should be a date and time"):
        made.bind_values({"at": "20260308"})
    assert made.bind_values({"at": NOON}).model_dump() == {"at": NOON}
    assert Input(model_of(list[datetime])).bind_values({"at": [NOON]}) is not None


class Colour(Enum):
    RED = 1
    BLUE = "blue"

    @classmethod
    def _missing_(cls, value: object) -> Colour | None:
        return cls.BLUE if value == "BLUE" else None


@pytest.mark.parametrize(
    ("kind", "value"), [(Colour, True), (Colour, 1.0), (Literal[1, "a"], True), (Literal[True], 1)]
)
def test_values_that_are_equal_in_python_alone_are_none_of_those_listed(kind: Any, value: object) -> None:
    for strict in (True, False):
        with pytest.raises(InvalidArgumentsError, match=r"^at: "):
            bind(model_of(kind), value, strict=strict)


@pytest.mark.parametrize(("kind", "value"), [(Colour, 1), (Colour, "blue"), (Colour, "BLUE"), (Literal[1, True], True)])
def test_values_that_are_listed_or_taken_by_their_type_are_read(kind: Any, value: object) -> None:
    assert bind(model_of(kind), value, strict=True)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("date-time", "a: Input should be a date and time with a zone like 2026-03-08T14:30:00Z"),
        ("date", "a: Input should be a date like 2026-03-08"),
        ("time", "a: Input should be a time with a zone like 14:30:00Z"),
        ("uuid", "a: Input should be a UUID like 0f8fad5b-d9cb-469f-a165-70867728950e"),
        ("email", "a: Input should be an e-mail address like ada@example.org"),
        ("hostname", "a: Input should be in the format 'hostname'"),
    ],
)
def test_a_format_of_a_json_schema_is_explained_with_the_same_example(name: str, said: str) -> None:
    made = JsonInput({"type": "object", "properties": {"a": {"type": "string", "format": name}}})
    with pytest.raises(InvalidArgumentsError) as caught:
        made.bind(parse_arguments('{"a":"2026-03-08T10:00:00 x"}'), strict=True)
    assert caught.value.message == said


@pytest.mark.parametrize("name", ["email", "idn-email"])
def test_an_address_with_a_name_is_not_an_address(name: str) -> None:
    made = JsonInput({"type": "object", "properties": {"a": {"type": "string", "format": name}}})
    assert made.bind(parse_arguments('{"a":"ada@example.org"}'))
    with pytest.raises(InvalidArgumentsError, match=r"^a: Input should be "):
        made.bind(parse_arguments('{"a":"Ada <ada@example.org>"}'))


class Right(IntFlag):
    READ = 1
    WRITE = 2


class Fixed(BaseModel):
    """What a set can hold."""

    model_config = ConfigDict(frozen=True)

    x: int


class Place(NamedTuple):
    """A place."""

    x: int
    y: float = 0.0


MORE_THAN_SHOWN = [
    (set[int], [1, 1], "different items"),
    (frozenset[str], ["a", "b", "a"], "different items"),
    (set[bool | int], [True, 1], "different items"),
    (set[tuple[int, str]], [[1, "a"], [1, "a"]], "different items"),
    (set[float], [1, 1.0], "different items"),
    (Right, 3, "1 or 2"),
    (Right, 64, "1 or 2"),
    (Right, -1, "1 or 2"),
    (Right, False, "1 or 2"),
    (set[Fixed], [{"x": 1}, {"x": 1}], "different items"),
    (Place, {"x": 1}, "a valid array"),
    (Iterable[int], "12", "a valid array"),
    (Iterable[int], {"1": 2}, "a valid array"),
    (IPvAnyAddress, 1, "an address like"),
    (IPvAnyAddress, True, "an address like"),
    (IPvAnyNetwork, 1, "a network like"),
    (complex, 1.5, "a complex number"),
    (Base64Bytes, "\u65e5\u672c", "Base64 like"),
    (Base64Bytes, "QUJD!!REVG", "Base64 like"),
    (Base64UrlBytes, "QUJD!!REVG", "Base64 for addresses like"),
    (Annotated[str, Field(pattern=r"^\d{4}$")], "\u0664\u0664\u0664\u0664", "not in the required form"),
    (list[Annotated[str, Field(pattern=r"^\d$")]], ["1", "\u0661"], "not in the required form"),
]


@pytest.mark.parametrize(("kind", "value", "said"), MORE_THAN_SHOWN, ids=map(str, range(len(MORE_THAN_SHOWN))))
def test_what_pydantic_takes_beside_the_shown_schema_is_refused(kind: Any, value: object, said: str) -> None:
    with pytest.raises(InvalidArgumentsError, match=rf"^at.*{re.escape(said)}"):
        bind(model_of(kind), value, strict=True)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (set[int], [1, 2]),
        (set[tuple[int, str]], [[1, "a"], [1, "b"]]),
        (list[int], [1, 1]),
        (Right, 2),
        (set[Fixed], [{"x": 1}, {"x": 2}]),
        (Place, [1]),
        (Place, [1, 1.5]),
        (Iterable[int], [1, 2]),
        (dict[str, Place], {"a": [1, 2]}),
        (IPvAnyAddress, "2001:db8::1"),
        (complex, "1+2j"),
        (Base64Bytes, "QUJDRA=="),
        (Base64UrlBytes, "-_8="),
        (Annotated[str, Field(pattern=r"^\d{4} .$")], "1234 \u00e9"),
    ],
)
def test_what_the_schema_shows_is_taken(kind: Any, value: object) -> None:
    assert bind(model_of(kind), value, strict=True) is not None


def test_a_pattern_for_another_engine_is_left_to_pydantic() -> None:
    class Booking(BaseModel):
        model_config = ConfigDict(regex_engine="python-re")

        at: Annotated[str, Field(pattern=r"^(?=\d)\w+$")]

    assert bind(Booking, "1\u00e9", strict=True).at == "1\u00e9"
