"""Mistakes in values are told in plain words, through every kind of contract."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import AfterValidator, BaseModel, Field, TypeAdapter, ValidationError, model_validator

from remit.call.schema import Input, Output
from remit.errors import InvalidArgumentsError, InvalidOutputError
from remit.record.arguments import Limits, parse_arguments
from remit.schemas.mistakes import describe_mistake, explain_mistake, list_mistakes


def _check_colour(value: str) -> str:
    if value.startswith("#"):
        return value
    raise ValueError(f"{value!r} is no colour; give one such as #9a3f12")


class Palette(BaseModel):
    name: str = Field(default="a", pattern="^[a-z]+$", description="Small letters, e.g. spring")
    code: str = Field(default="a", pattern="^[a-z]+$")
    ink: Annotated[str, AfterValidator(_check_colour)] = "#000"
    accent: int | Annotated[str, AfterValidator(_check_colour)] = 0

    @model_validator(mode="after")
    def _check(self) -> Palette:
        if self.code == "forbidden":
            raise ValueError("choose another code")
        return self


def explain(raw: str) -> str:
    with pytest.raises(InvalidArgumentsError) as caught:
        Input(Palette).bind(parse_arguments(raw, Limits()))
    return caught.value.message


def test_own_messages_stand_without_the_words_of_the_library() -> None:
    assert explain('{"ink": "red"}') == "ink: 'red' is no colour; give one such as #9a3f12"
    assert explain('{"code": "forbidden"}') == "choose another code"


def test_a_pattern_is_told_as_the_description_of_its_field() -> None:
    assert explain('{"name": "B"}') == "name: not in the required form; expected: Small letters, e.g. spring"
    assert explain('{"code": "B"}') == "code: not in the required form; expected: '^[a-z]+$'"


class Entry(BaseModel):
    title: str = Field(default="a", min_length=1, max_length=3)
    tags: list[str] = Field(default=["a"], min_length=1, max_length=2)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ('{"title": ""}', "title: it is empty; give a text"),
        ('{"title": "abcd"}', "title: give at most 3 characters"),
        ('{"tags": []}', "tags: give at least 1 item"),
        ('{"tags": ["a", "b", "c"]}', "tags: give at most 2 items"),
    ],
)
def test_a_length_is_told_as_what_to_write(given: str, said: str) -> None:
    with pytest.raises(InvalidArgumentsError) as caught:
        Input(Entry).bind(parse_arguments(given, Limits()))
    assert caught.value.message == said


def test_an_alternative_is_told_by_its_type_and_not_by_the_function_that_checks_it() -> None:
    assert explain('{"accent": "red"}') == (
        "accent.int: Input should be a valid integer, unable to parse string as an integer; "
        "accent: 'red' is no colour; give one such as #9a3f12"
    )


@pytest.mark.parametrize("value", ["x" * 5000, "ü\n" * 5000])
def test_a_long_value_is_cut_out_of_the_middle_of_a_message(value: str) -> None:
    message = explain_mistake(f"Value error, no colour {value}; give one such as #9a3f12")
    assert len(message) <= 401
    assert "\n" not in message
    assert message.startswith("no colour ")
    assert message.endswith("; give one such as #9a3f12")


def test_a_result_is_explained_as_arguments_are() -> None:
    with pytest.raises(InvalidOutputError, match="contract: name: not in the required form; expected: Small letters"):
        Output[Palette](Palette).dump({"name": "B"})


def test_thousands_of_mistakes_are_counted_not_described() -> None:
    numbers = TypeAdapter(list[int])
    with pytest.raises(ValidationError) as few:
        numbers.validate_python(["a"] * 3)
    assert len(list_mistakes(few.value)) == 3
    with pytest.raises(ValidationError) as many:
        numbers.validate_python(["a"] * 10_001)
    assert [describe_mistake(each) for each in list_mistakes(many.value)] == [
        "10,001 parts are not valid; correct them"
    ]
