"""A JSON text in which words were replaced is JSON, whatever the words are, and holds none of them."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.schemas.rewritten_json import rewrite_json

MARK = "[-]"


def without(words: str, text: str) -> str:
    return rewrite_json(text, lambda part: part.replace(words, MARK), MARK)


@pytest.mark.parametrize(
    ("words", "text", "rewritten"),
    [
        ("1234", '{"a": 123456, "b" : 1.50}', '{"a": "[-]56", "b" : 1.50}'),
        ("1234", '{"a":0.12345e3}', '{"a":"0.[-]5e3"}'),
        ("12340000", "[1.234e7]", '["[-].0"]'),
        ("true", '{"true":true}', '{"[-]":"[-]"}'),
        ("aé", r'{"k":"a\u00e9"}', '{"k":"[-]"}'),
        ("u00e", r'{"k":"\u00e9"}', '{"k":"[-]"}'),
        ('abc"', '{"k":"abc","d":"x"}', '{"k":"[-]","d":"x"}'),
        ('"abc', '{"abc":1}', '{"[-]":1}'),
        ('":"', '{"a":"b"}', '{ "a" : "b" }'),
        ("},{", "[{},{}]", "[ { } , { } ]"),
        ("12", r'{"arguments":"{\"n\": 123}"}', r'{"arguments":"{\"n\": \"[-]3\"}"}'),
        ("12", '{"a":12,"a":1}', '{"a":"[-]","a":1}'),
        ("\ud800", r'{"a":"\ud800 \udc00"}', r'{"a":"[-] \udc00"}'),
        ("word", "a word, no JSON", "a [-], no JSON"),
        ("é", r'{"a" : "\u00c9" , "b":1.0e3}', r'{"a" : "\u00c9" , "b":1.0e3}'),
        ("[[", "[" * 3, "[-]["),
    ],
)
def test_words_are_replaced_and_json_stays_json(words: str, text: str, rewritten: str) -> None:
    assert without(words, text) == rewritten


def test_a_text_that_is_nested_too_deeply_to_be_read_is_rewritten_too() -> None:
    text = "[" * 100_000 + "1234" + "]" * 100_000
    assert without("23", text) == text.replace("1234", '"1[-]4"')


def test_words_that_no_spacing_avoids_leave_a_text_alone() -> None:
    assert rewrite_json('{"a":1}', lambda part: re.sub(r'"\s*:', MARK, part), MARK) == '"[-]"'


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(_VALUES, st.data())
def test_any_part_of_a_json_text_can_be_replaced(value: object, data: st.DataObject) -> None:
    text = json.dumps(value)
    start = data.draw(st.integers(0, len(text) - 1))
    words = text[start : start + data.draw(st.integers(1, 8))]
    if words in '[-] "[-]" [redacted]':
        return
    rewritten = without(words, text)
    json.loads(rewritten)
    assert words not in rewritten or words in MARK


DEEP = 3_000
TOO_DEEP_AND_WRONG = [
    "[" * DEEP,
    "[" * DEEP + "1234",
    "[" * DEEP + '"1234',
    "[" * DEEP + "]" * DEEP + "1234",
    "[" * DEEP + "]" * DEEP + '"1234',
    "[" * DEEP + "1234 abc" + "]" * DEEP,
    "[" * DEEP + '1234 " ' + "]" * DEEP,
    "[" * DEEP + "1234}" + "]" * DEEP,
    "[" * DEEP + "1234,]" + "]" * (DEEP - 1),
    '{"a":' * DEEP + "1234" + "]" * DEEP,
    '{"a":' * DEEP + '{1234:"b"}' + "}" * DEEP,
    '{"a":' * DEEP + '{"1234" "b"}' + "}" * DEEP,
    '{"a":' * DEEP + '{"1234":1,}' + "}" * DEEP,
    '{"a":' * DEEP + '{"1234\\x":1}' + "}" * DEEP,
]


@pytest.mark.parametrize("text", TOO_DEEP_AND_WRONG, ids=range(len(TOO_DEEP_AND_WRONG)))
def test_a_deep_text_that_is_no_json_is_changed_as_it_is(text: str) -> None:
    assert without("23", text) == text.replace("23", MARK)


def test_deep_objects_and_lists_are_rewritten_part_by_part() -> None:
    text = '{"a" : [{}, [ ], ' * DEEP + '{"1234": null, "b": 1234}' + "]}" * DEEP
    rewritten = text.replace('"1234"', f'"1{MARK}4"').replace(" 1234", f' "1{MARK}4"')
    assert without("23", text) == rewritten
