"""A key of a mapping has one text: what is read under it is what was written, and no entry gets lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ConfigDict, Json, create_model

from remit.call.schema import Input, Output, serialize_content
from remit.errors import ContractError, InvalidArgumentsError, InvalidOutputError
from remit.record.arguments import parse_arguments
from tests.strangers.keys import MAPPINGS, NO_KEYS, ONE_TEXT, READ


def input_of(kind: Any) -> Input[Any]:
    return Input(create_model("Counted", at=(kind, ...)))


def read(kind: Any, value: object) -> Any:
    """The payload of one argument, and its canonical value."""
    made = input_of(kind)
    payload = made.bind(parse_arguments(json.dumps({"at": value})), strict=True)
    return payload.at, json.loads(made.dump_canonical(payload))["at"]


@pytest.mark.parametrize(("name", "key"), [(name, key) for name in READ for key in READ[name][1]])
def test_a_key_is_written_as_it_was_read(name: str, key: str) -> None:
    value, written = read(dict[READ[name][0], int], {key: 1})
    assert (len(value), written) == (1, {key: 1})
    output = Output[Any](dict[READ[name][0], int])
    assert output.load(output.dump(value)[1]) == value


@pytest.mark.parametrize(("name", "key"), [(name, key) for name in READ for key in READ[name][2]])
def test_another_text_for_a_key_is_refused(name: str, key: str) -> None:
    with pytest.raises(InvalidArgumentsError, match=r"^at\.|^at: "):
        read(dict[READ[name][0], int], {key: 1})


@pytest.mark.parametrize("name", NO_KEYS)
def test_a_type_whose_values_have_several_texts_is_none_of_keys(name: str) -> None:
    with pytest.raises(ContractError, match=r"^a mapping has keys of a type \(.+\) .*; write dict\[str, …\], or take "):
        input_of(dict[NO_KEYS[name], int])
    with pytest.raises(ContractError, match="cannot be a result: a mapping has keys of a type"):
        Output(list[dict[NO_KEYS[name], int]])


@pytest.mark.parametrize("name", MAPPINGS)
def test_a_key_is_checked_wherever_it_stands(name: str) -> None:
    def place(key: str) -> object:
        return [{key: 1}] if name == "in a list" else {key: 1}

    assert read(MAPPINGS[name], place("1"))[1] == place("1")
    with pytest.raises(InvalidArgumentsError, match=r"01: Input should be a whole number in digits like 42$"):
        read(MAPPINGS[name], place("01"))


def test_a_key_is_shown_as_it_is_read() -> None:
    assert input_of(dict[int, str]).json_schema["properties"]["at"] == {
        "type": "object",
        "propertyNames": {"pattern": r"^(0|-?[1-9]\d*)$"},
        "additionalProperties": {"type": "string"},
    }


@pytest.mark.parametrize("value", ONE_TEXT, ids=str)
@pytest.mark.parametrize("kind", [Any, dict, dict[str, Any], list[Any], object], ids=str)
def test_a_result_of_any_type_with_two_keys_of_one_text_is_refused(kind: Any, value: dict[Any, Any]) -> None:
    given: Any = [value] if kind == list[Any] else {"a": value} if kind == dict[str, Any] else value
    said = r"^JSON cannot hold the result: two keys of a mapping have the same text in JSON, such as 1 and '1'$"
    with pytest.raises(InvalidOutputError, match=said):
        Output[Any](kind).dump(given)
    with pytest.raises(InvalidOutputError, match=said):
        serialize_content(given)


def test_unknown_fields_are_checked_too() -> None:
    model = create_model("Open", __config__=ConfigDict(extra="allow"), name=(str, ""))
    with pytest.raises(InvalidOutputError, match="two keys of a mapping"):
        Output(model).dump({"more": {1: 1, "1": 2}})


def test_keys_of_one_kind_are_written_as_texts_where_no_type_is_declared() -> None:
    assert serialize_content({1: "a", 2.5: "b", None: {3}}) == '{"1":"a","2.5":"b","None":[3]}'


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        (Json, '{"a": 1, "a": 2}', "at: the key 'a' occurs twice"),
        (Json, "9007199254740993.0", "at: the number 9007199254740993.0 would be changed"),
        (Json, "NaN", "at: NaN is not a JSON number"),
        (Json[dict[int, int]], '{"01": 1}', "at.01: Input should be a whole number"),
        (Json[dict[int, list[float]]], '{"1": [9007199254740993]}', "at.1.0: Input should be a number that a float"),
    ],
)
def test_json_within_a_text_is_read_like_the_arguments(kind: Any, text: str, said: str) -> None:
    with pytest.raises(InvalidArgumentsError) as caught:
        read(kind, text)
    assert caught.value.message.startswith(said)


@pytest.mark.parametrize(
    ("kind", "text", "written"),
    [
        (Json, '{"b": 1.50, "a": [true, null]}', '{"a":[true,null],"b":1.5}'),
        (Json[set[int]], "[3, 1]", "[1,3]"),
        (Json[dict[int, str]], '{"1": "a"}', '{"1":"a"}'),
        (Json[str], '"x"', '"x"'),
    ],
)
def test_json_within_a_text_is_written_as_the_text_from_which_it_is_read(kind: Any, text: str, written: str) -> None:
    value, again = read(kind, text)
    assert again == written
    assert read(kind, again)[0] == value
    output = Output[Any](kind)
    assert output.load(output.dump(text)[1]) == value
