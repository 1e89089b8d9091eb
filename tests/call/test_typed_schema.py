"""One strict reader: what a type shows is what is read, as arguments, as results and as requests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, WithJsonSchema, computed_field, create_model

from remit.call.schema import Input, Output
from remit.call.typed_schema import TypedSchema
from remit.errors import InvalidArgumentsError, InvalidOutputError
from remit.record.arguments import parse_arguments


class Booking(BaseModel):
    """A booking."""

    model_config = ConfigDict(defer_build=True)

    rooms: int
    at: datetime | None = None


@dataclass
class Point:
    """A point."""

    x: int


class Box(BaseModel):
    """A box that writes its size."""

    model_config = ConfigDict(extra="forbid")

    side: int

    @computed_field
    def area(self) -> int:
        """Its area."""
        return self.side**2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"rooms": "3"}', "rooms: Input should be a valid integer"),
        ('{"rooms": true}', "rooms: Input should be a valid integer"),
        ('{"rooms": 3.0}', "rooms: Input should be a valid integer"),
        ('{"rooms": 3, "at": "20260308"}', "at: Input should be a date and time with a zone like 2026-03-08T14:30:00Z"),
        ('{"rooms": 3, "rooms": 4}', "the key 'rooms' occurs twice"),
        ('{"rooms": 3, "beds": 4}', "beds: no such parameter. Parameters: rooms, at"),
    ],
)
def test_a_value_of_strangers_is_read_strictly(text: str, said: str) -> None:
    for reader in (TypedSchema[Booking](Booking), Output[Booking](Booking)):
        with pytest.raises(ValueError, match=r"\w") as caught:
            reader.read(text)
        assert reader.explain(caught.value) == said
    with pytest.raises(ValueError, match=r"\w"):
        Output(Booking).load(text, strict=True)
    with pytest.raises(InvalidArgumentsError):
        Input(Booking).bind(parse_arguments(text), strict=True)


def test_what_fits_is_read_by_every_reader() -> None:
    assert TypedSchema(Booking).read('{"rooms": 3}') == Booking(rooms=3)
    assert TypedSchema[Point](Point).read('{"x": 3}') == Point(3)
    assert Output(list[int]).load("[1]", strict=True) == [1]
    assert Output(Box).load('{"side": 2, "area": 4}', strict=True) == Box(side=2)
    assert Output(str).load("a", strict=True) == "a"


def test_a_result_is_read_as_the_only_argument_of_a_call() -> None:
    output: Output[Any] = Output(list[int])
    reader = output.as_argument("response")
    assert output.as_argument("response") is reader
    assert reader.read('{"response": [1]}').response == [1]
    with pytest.raises(ValueError, match=r"\w") as caught:
        reader.read('{"response": ["1"]}')
    assert reader.explain(caught.value) == "response.0: Input should be a valid integer"


def test_a_value_that_cannot_be_written_again_is_refused() -> None:
    def fail(_value: object) -> str:
        raise ValueError("no text for it")

    kind = Annotated[int, PlainSerializer(fail), Field(json_schema_extra={"maximum": 5})]
    with pytest.raises(InvalidArgumentsError, match=r"JSON cannot hold the arguments: .*no text for it"):
        Input(create_model("Note", at=(kind, ...))).bind_values({"at": 3})


class Few(BaseModel):
    """At most one of them."""

    model_config = ConfigDict(json_schema_extra={"maxProperties": 1})

    a: int = 1
    b: int = 2


ADDED: list[tuple[Any, object, object]] = [
    (Annotated[int, Field(json_schema_extra={"maximum": 5})], 5, 6),
    (Annotated[str, Field(json_schema_extra={"enum": ["draft", "live"]})], "live", "everything"),
    (Annotated[str, Field(json_schema_extra={"format": "date"})], "2026-03-08", "soon"),
    (Annotated[int, WithJsonSchema({"type": "integer", "minimum": 10})], 10, 9),
    (Annotated[str, Field(json_schema_extra=lambda schema: schema.update(maxLength=2))], "ab", "abc"),
    (Few, {"a": 1}, {"a": 1, "b": 2}),
]


@pytest.mark.parametrize(("kind", "right", "wrong"), ADDED, ids=map(str, range(len(ADDED))))
def test_rules_that_an_author_adds_to_the_schema_are_enforced(kind: Any, right: object, wrong: object) -> None:
    schema = Input(create_model("Draft", v=(kind, ...)))
    assert schema.bind(parse_arguments(json.dumps({"v": right})), strict=True) is not None
    assert schema.bind_values({"v": right}) is not None
    for read in (
        lambda: schema.bind(parse_arguments(json.dumps({"v": wrong})), strict=True),
        lambda: schema.bind_values({"v": wrong}),
    ):
        with pytest.raises(InvalidArgumentsError, match=r"^v"):
            read()


def test_rules_that_an_author_adds_hold_for_results() -> None:
    output: Output[Any] = Output(Annotated[int, Field(json_schema_extra={"maximum": 5})])
    assert output.dump(5)[1] == "5"
    with pytest.raises(InvalidOutputError, match=r"the result does not match the contract: .*less than or equal to 5"):
        output.dump(6)
    text: Output[Any] = Output(Annotated[str, Field(json_schema_extra={"enum": ["a"]})])
    with pytest.raises(InvalidOutputError, match="should be 'a'"):
        text.dump("b")
