"""Parts of JSON texts, as they are written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.schemas.raw_json import (
    as_object,
    join_items,
    join_members,
    limit_depth,
    load_json,
    raw_items,
    raw_members,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_numbers_escapes_and_the_order_of_keys_are_kept() -> None:
    text = '{ "b" : [1.10, 1E5, -0.0,\n 1e-07] , "a": "\\u00e9\\/ x", "c":{ } }'
    assert raw_members(text) == {"b": "[1.10,1E5,-0.0,1e-07]", "a": '"\\u00e9\\/ x"', "c": "{}"}
    assert list(raw_members(text)) == ["b", "a", "c"]
    line = '{ "b" : [1.10, 1E5] , "a": "\\u00e9\\/ x"}'
    assert raw_members(line) == {"b": "[1.10, 1E5]", "a": '"\\u00e9\\/ x"'}


@pytest.mark.parametrize(("text", "items"), [("[]", []), ("[ 1 , [2,3] ]", ["1", "[2,3]"]), ('["]"]', ['"]"'])])
def test_the_items_of_an_array_are_its_own(text: str, items: list[str]) -> None:
    assert raw_items(text) == items


def test_the_last_of_two_members_with_one_key_counts() -> None:
    assert raw_members('{"a":1,"a":2}') == {"a": "2"}
    assert raw_members("{}") == {}


@pytest.mark.parametrize("half", ["\\ud83d", "\ud83d"])
def test_halves_of_surrogate_pairs_are_kept(half: str) -> None:
    assert raw_items(f'["{half}",1]') == [f'"{half}"', "1"]
    assert raw_members(f'{{"a":"{half}"}}') == {"a": f'"{half}"'}
    assert raw_members(f' {{"a":\n[1,\r\n"{half}"] }}\n') == {"a": f'[1,  "{half}"]'}


@given(VALUES, st.sampled_from([None, 2]))
def test_what_is_taken_apart_and_joined_says_the_same(value: Any, indent: int | None) -> None:
    items = json.dumps([value, {"key": value}], indent=indent)
    assert json.loads(join_items(raw_items(items))) == [value, {"key": value}]
    members = json.dumps({"a": value, "é": [value]}, indent=indent)
    assert json.loads(join_members(raw_members(members))) == {"a": value, "é": [value]}


@pytest.mark.parametrize("text", ["", "{", "NaN", '{"a": -Infinity}', "[" * 200_000])
def test_a_text_that_is_not_json_or_too_deep_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        load_json(text)


@pytest.mark.parametrize(
    ("text", "limited"),
    [
        ("[[[1]]]", "[[null]]"),
        ("[[1]]", "[[1]]"),
        ("[[1], [2]]", "[[1], [2]]"),
        ('{"a":[{"b":1}, {}, 2],"c":[[[3]]]}', '{"a":[null, null, 2],"c":[null]}'),
        ('["[[[[", "\\"[[", [[1]]]', '["[[[[", "\\"[[", [null]]'),
        ("[[[[1]", "[[[[1]"),
        ('[["[[[', '[["[[['),
    ],
)
def test_what_is_nested_too_deeply_is_null(text: str, limited: str) -> None:
    assert limit_depth(text, 2) == limited


@given(VALUES)
def test_a_value_within_the_depth_is_kept(value: Any) -> None:
    text = json.dumps([["["] * 101, value])
    assert limit_depth(text) == text


def test_an_empty_text_has_no_parts() -> None:
    assert (raw_items(""), raw_members("")) == ([], {})


def test_a_json_text_is_loaded() -> None:
    assert load_json('{"a": [1, "\\ud83d"]}') == {"a": [1, "\ud83d"]}


def test_what_must_be_an_object_is_one_or_is_refused_by_its_type() -> None:
    assert as_object({"a": 1}) == {"a": 1}
    with pytest.raises(TypeError, match="list"):
        as_object([])
