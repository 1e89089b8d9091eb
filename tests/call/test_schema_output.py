"""The side that comes out: a result is checked, written as content for a model, and read back as it was."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from remit.call.json_contract import JsonOutput
from remit.call.schema import Output, serialize_content
from remit.errors import ContractError, InvalidOutputError
from tests.call.json_values import any_text, any_values
from tests.call.payloads import Color, Everything, Frozen, Page, Point, Range, Size, Sizes, any_everything

ROUND_TRIPS: dict[str, tuple[Any, Any, str]] = {
    "text": (str, "café", "café"),
    "text that looks like JSON": (str, '{"a":1}', '{"a":1}'),
    "empty text": (str, "", ""),
    "text or nothing, text": (str | None, "café", '"café"'),
    "text or nothing, nothing": (str | None, None, "null"),
    "a literal": (Literal["a", "b"], "a", '"a"'),
    "nothing": (None, None, "null"),
    "a number": (int, 7, "7"),
    "a large number": (int, 10**30, "1" + "0" * 30),
    "a fraction": (float, 1.0, "1.0"),
    "a boolean": (bool, True, "true"),
    "bytes that are UTF-8": (bytes, b"caf\xc3\xa9", '"café"'),
    "a list": (list[int], [3, 1, 2], "[3,1,2]"),
    "a tuple": (tuple[int, str], (1, "a"), '[1,"a"]'),
    "a dictionary": (dict[int, str], {1: "a"}, '{"1":"a"}'),
    "an enum": (Color, Color.RED, '"red"'),
    "a model by its aliases": (Page, Page(title="About", pageId=7), '{"title":"About","pageId":7}'),
    "models": (list[Page], [Page(title="About")], '[{"title":"About","pageId":null}]'),
    "a dataclass": (Range, Range(1), '{"first":1}'),
    "a named tuple": (Point, Point(1, 2), "[1,2]"),
    "a typed dictionary": (Size, Size(width=1), '{"width":1}'),
    "a set of models": (set[Frozen], {Frozen(number=1)}, '[{"number":1}]'),
    "anything": (Any, {"a": [1, None]}, '{"a":[1,null]}'),
    "anything, text": (Any, "café", '"café"'),
}


@pytest.mark.parametrize("name", ROUND_TRIPS)
def test_a_result_is_written_as_content_and_read_back(name: str) -> None:
    kind, value, content = ROUND_TRIPS[name]
    output: Output[Any] = Output(kind)
    assert output.dump(value) == (value, content)
    assert output.load(content) == value
    assert type(output.load(content)) is type(value)


@given(any_everything)
@settings(max_examples=25)
def test_a_model_of_any_fields_comes_back_as_it_was(value: Everything) -> None:
    output: Output[Everything] = Output(Everything)
    assert output.load(output.dump(value)[1]) == value


@given(any_values)
def test_whatever_json_holds_comes_back_from_anything(value: Any) -> None:
    output: Output[Any] = Output(Any)
    assert output.load(output.dump(value)[1]) == value


def test_a_result_is_made_what_its_type_says() -> None:
    assert Output[Page](Page).dump({"title": "About", "pageId": "7"})[0] == Page(title="About", pageId=7)


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (int, "seven", "the result does not match the contract: Input should be a valid integer"),
        (str, 7, "Input should be a valid string"),
        (None, 7, "Input should be None"),
        (Page, {"pageId": 1}, "title: Field required"),
        (list[Page], [{"title": "a"}, 5], "1: Input should be"),
    ],
)
def test_a_result_of_another_type_is_refused_with_its_place(kind: Any, value: Any, said: str) -> None:
    with pytest.raises(InvalidOutputError) as caught:
        Output[Any](kind).dump(value)
    assert said in caught.value.message
    assert "\n" not in caught.value.message


def test_of_many_errors_five_are_told() -> None:
    with pytest.raises(InvalidOutputError) as caught:
        Output[list[int]](list[int]).dump(["x"] * 9)
    assert caught.value.message.count("valid integer") == 5


def circular() -> list[Any]:
    around: list[Any] = []
    around.append(around)
    return around


def deep() -> list[Any]:
    nested: list[Any] = []
    for _ in range(3000):
        nested = [nested]
    return nested


def list_of_half_a_pair() -> list[str]:
    return ["a\ud800"]


def not_utf_8() -> bytes:
    return b"\xff"


def endless_number() -> float:
    return math.inf


def no_number() -> dict[str, list[float]]:
    return {"rate": [math.nan]}


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        (Any, object),
        (Any, circular),
        (Any, deep),
        (bytes, not_utf_8),
    ],
)
def test_what_json_cannot_hold_is_refused(kind: Any, make: Callable[[], Any]) -> None:
    with pytest.raises(InvalidOutputError, match=r"^JSON cannot hold the result: "):
        Output[Any](kind).dump(make())


@pytest.mark.parametrize("kind", [float, list[float], Any])
@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_number_that_is_not_finite_is_refused(kind: Any, number: float) -> None:
    value = [number] if kind == list[float] else number
    with pytest.raises(InvalidOutputError, match="JSON cannot hold the result"):
        Output[Any](kind).dump(value)


@pytest.mark.parametrize("kind", [Sizes, list[Sizes]])
def test_a_field_written_by_another_name_than_it_is_read_by_is_no_contract(kind: Any) -> None:
    with pytest.raises(ContractError, match="cannot be a result: 'length' is lost in JSON"):
        Output(kind)


def test_text_that_says_nan_is_text() -> None:
    assert Output[list[str]](list[str]).dump(["NaN", "Infinity"])[1] == '["NaN","Infinity"]'


def test_equal_results_have_equal_content() -> None:
    output = Output[set[int]](set[int])
    assert output.dump({0, 8})[1] == output.dump({8, 0})[1]


def test_content_of_another_type_does_not_load() -> None:
    with pytest.raises(ValueError, match="valid integer"):
        Output[int](int).load('"seven"')


class Opaque:
    """What pydantic knows nothing of."""


def test_a_type_that_cannot_be_described_is_refused_when_the_contract_is_made() -> None:
    with pytest.raises(ContractError, match=r"cannot be a result: use JSON types, a pydantic model or a dataclass$"):
        Output(Opaque)


@pytest.mark.parametrize("kind", [Callable[[], int], type])
def test_a_type_without_a_json_schema_is_refused_when_the_contract_is_made(kind: Any) -> None:
    with pytest.raises(ContractError, match="cannot be a result"):
        Output(kind)


def test_the_json_schema_of_a_result_is_that_of_its_type() -> None:
    assert Output(int).json_schema == {"type": "integer"}
    assert Output(Any).json_schema == {}


@given(any_text)
def test_the_content_of_text_is_the_text(said: str) -> None:
    assert serialize_content(said) == said


class Nested(BaseModel):
    page: Page


@pytest.mark.parametrize(
    ("value", "content"),
    [
        (None, "null"),
        ({"a": (1, 2)}, '{"a":[1,2]}'),
        (Nested(page=Page(title="é", pageId=1)), '{"page":{"title":"é","pageId":1}}'),
        (Color.RED, '"red"'),
    ],
)
def test_the_content_of_anything_else_is_json_by_alias(value: Any, content: str) -> None:
    assert serialize_content(value) == content


@pytest.mark.parametrize("make", [object, circular, deep, list_of_half_a_pair, not_utf_8, endless_number, no_number])
def test_a_value_that_json_cannot_hold_has_no_content(make: Callable[[], Any]) -> None:
    with pytest.raises(InvalidOutputError, match=r"^JSON cannot hold the result: "):
        serialize_content(make())


@given(st.binary())
def test_bytes_are_content_where_they_are_utf_8(data: bytes) -> None:
    try:
        data.decode()
    except UnicodeDecodeError:
        with pytest.raises(InvalidOutputError):
            Output[bytes](bytes).dump(data)
    else:
        output = Output[bytes](bytes)
        assert output.load(output.dump(data)[1]) == data


@pytest.mark.parametrize(
    ("kind", "content", "plain"), [(str, "7", "7"), (int, "7", 7), (Any, '{"a":[1]}', {"a": [1]})], ids=str
)
def test_what_content_says_is_had_as_plain_json(kind: Any, content: str, plain: object) -> None:
    assert Output[Any](kind).load_json(content) == plain


@pytest.mark.parametrize("content", ["seven", "NaN"])
def test_content_that_is_no_json_is_refused(content: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting value|NaN is not a JSON number"):
        Output[Any](int).load_json(content)


class Said(str):
    """A text of the application's own."""

    __slots__ = ()

    def __str__(self) -> str:
        return "shown"


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize(("value", "content"), [(Said("a"), "a"), (Colour.RED, "red")])
def test_the_content_of_a_subclass_of_text_is_its_plain_text(value: str, content: str) -> None:
    assert serialize_content(value) == content
    assert type(serialize_content(value)) is str


@pytest.mark.parametrize(
    ("kind", "value", "content"),
    [
        (str, "a\ud800", "a\ufffd"),
        (dict[str, list[str]], {"a": ["\udc00b"]}, '{"a":["\ufffdb"]}'),
        (Any, [{"a": "\ud800", "b": 1}], '[{"a":"\ufffd","b":1}]'),
    ],
)
def test_half_of_a_surrogate_pair_in_a_result_is_replaced(kind: Any, value: Any, content: str) -> None:
    assert Output[Any](kind).dump(value)[1] == content


def test_it_prints_what_it_describes() -> None:
    schemas: list[object] = [Output(str), Output(list[int]), JsonOutput({"type": "string"})]
    assert [*map(repr, schemas)] == ["Output(str)", "Output(list[int])", "JsonOutput({'type': 'string'})"]
