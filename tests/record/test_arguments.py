"""Raw arguments are read once and never raise; the canonical form is one text for one value."""

from __future__ import annotations

import json
import math
import time
from dataclasses import asdict
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.errors import InvalidArgumentsError, SetupError
from remit.record.arguments import Arguments, Limits, canonical_json, given_arguments, parse_arguments
from tests.call.json_values import objects, same, texts_of, values

LIMITS = Limits()


def nested(levels: int) -> str:
    """An object that holds arrays: ``levels`` deep in all."""
    return '{"a":' + "[" * (levels - 1) + "]" * (levels - 1) + "}"


USABLE: dict[str, tuple[str, dict[str, Any]]] = {
    "an empty object": ("{}", {}),
    "white space around": (' \n{"a": 1}\t ', {"a": 1}),
    "every type": (
        '{"n":null,"t":true,"i":-1,"f":1.5,"s":"x","a":[1],"o":{"b":2}}',
        {"n": None, "t": True, "i": -1, "f": 1.5, "s": "x", "a": [1], "o": {"b": 2}},
    ),
    "characters beyond ASCII": ('{"é":"😀"}', {"é": "😀"}),
    "escapes": (r'{"a":"\u00e9\ud83d\ude00\\u0000"}', {"a": "é😀\\u0000"}),
    "a large whole number": ('{"a":9007199254740993}', {"a": 9007199254740993}),
    "as deep as may be": (nested(64), json.loads(nested(64))),
}


@pytest.mark.parametrize("name", USABLE)
def test_an_object_is_read(name: str) -> None:
    raw, value = USABLE[name]
    arguments = parse_arguments(raw, LIMITS)
    assert (arguments.value, arguments.error, arguments.strict_error) == (value, "", "")
    assert arguments.raw == raw


UNUSABLE = {
    "empty": ("", "the arguments are not JSON: Expecting value"),
    "white space alone": (" ", "not JSON"),
    "cut off": ('{"a": 1', "not JSON"),
    "something after it": ('{"a":1} and so on', "not JSON: Extra data"),
    "two objects": ("{}{}", "not JSON: Extra data"),
    "no JSON": ("create a page", "not JSON"),
    "single quotes": ("{'a':1}", "not JSON"),
    "a byte order mark": ("\ufeff{}", "not JSON"),
    "a control character": ('{"a":"\x00"}', "not JSON: Invalid control character"),
    "digits without end": ('{"a":' + "1" * 5000 + "}", "not JSON"),
    "a key twice, then cut off": ('{"a":1,"a":2}}', "not JSON"),
    "an array": ("[1]", "must be a JSON object, not an array"),
    "a string": ('"x"', "must be a JSON object, not a string"),
    "a whole number": ("1", "must be a JSON object, not a number"),
    "a fraction": ("1.5", "must be a JSON object, not a number"),
    "a boolean": ("true", "must be a JSON object, not a boolean"),
    "null": ("null", "must be a JSON object, not null"),
    "not a number": ("NaN", "must be a JSON object, not a number"),
    "one level too deep": (nested(65), "nested too deeply; at most 64 levels"),
    "100 deep": (nested(100), "nested too deeply; at most 64 levels"),
    "100,000 deep": (nested(100_000), "nested too deeply; at most 64 levels"),
    "objects 100 deep": ('{"a":' * 100 + "1" + "}" * 100, "nested too deeply; at most 64 levels"),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_what_is_no_object_within_the_limits_says_why(name: str) -> None:
    raw, error = UNUSABLE[name]
    arguments = parse_arguments(raw, LIMITS)
    assert arguments.value is None
    assert error in arguments.error
    assert arguments.raw == raw
    assert arguments.identity == raw


def test_of_arguments_that_are_too_long_only_the_beginning_and_the_digest_are_kept() -> None:
    raw = '{"a":"' + "ü" * 5_000_000 + '"}'
    refused = parse_arguments(raw, LIMITS)
    assert refused.value is None
    assert refused.error == "the arguments are 10,000,008 bytes long; at most 1,048,576"
    assert sha256(raw.encode()).hexdigest() in refused.raw
    assert raw[:1000] in refused.raw
    assert len(refused.raw) < 2000
    again = parse_arguments(refused.raw, Limits(argument_bytes=1 << 30))
    assert (again.raw, again.value, again.error) == (refused.raw, None, refused.error)
    assert again.identity == refused.raw


@pytest.mark.parametrize(
    ("text", "is_refused"), [("x" * 12, False), ("x" * 13, True), ("üüüüüü", False), ("üüüüüüx", True)]
)
def test_arguments_built_in_python_have_the_same_limit(text: str, is_refused: bool) -> None:
    arguments = Arguments(text, {})
    limited = arguments.limit(Limits(argument_bytes=12))
    assert bool(limited.error) == is_refused
    assert limited is arguments or is_refused
    assert limited.limit(Limits(argument_bytes=12)) is limited


def test_brackets_inside_text_are_not_depth() -> None:
    assert parse_arguments(json.dumps({"a": "[{" * 100}), LIMITS).error == ""


def test_many_neighbours_are_not_depth() -> None:
    assert parse_arguments(json.dumps({"a": [[]] * 200}), LIMITS).error == ""


@pytest.mark.parametrize(("text", "size"), [("é", 2), ("😀", 4)])
def test_the_size_is_counted_in_bytes_of_utf_8(text: str, size: int) -> None:
    raw = '{"a":"' + text + '"}'
    assert parse_arguments(raw, Limits(argument_bytes=8 + size)).error == ""
    assert f"{8 + size} bytes long" in parse_arguments(raw, Limits(argument_bytes=7 + size)).error


FLAWED = {
    "a key twice": ('{"a":1,"b":0,"a":2}', "the key 'a' occurs twice"),
    "a key twice further in": ('{"o":[{"a":1,"a":1}]}', "the key 'a' occurs twice"),
    "one key in two spellings": (r'{"a":1,"\u0061":2}', "the key 'a' occurs twice"),
    "not a number": ('{"a":NaN}', "NaN is not a JSON number"),
    "infinity": ('{"a":[Infinity]}', "Infinity is not a JSON number"),
    "minus infinity": ('{"a":-Infinity}', "-Infinity is not a JSON number"),
}


@pytest.mark.parametrize("name", FLAWED)
def test_what_only_a_strict_reader_refuses_is_a_flaw_and_no_error(name: str) -> None:
    raw, flaw = FLAWED[name]
    arguments = parse_arguments(raw, LIMITS)
    assert (arguments.error, arguments.strict_error) == ("", flaw)
    assert arguments.value is not None


def test_of_a_key_that_stands_twice_the_last_value_counts() -> None:
    assert parse_arguments('{"a":1,"a":2}', LIMITS).value == {"a": 2}


def test_a_key_that_stands_twice_is_found_in_time_that_grows_with_the_text_alone() -> None:
    """Sixteen times the keys take about sixteen times as long; comparing each with each would take 256 times."""

    def spent(keys: int) -> float:
        raw = "{" + ",".join(f'"{number}":1' for number in range(keys)) + f',"{keys - 1}":1}}'
        began = time.process_time()
        assert parse_arguments(raw, LIMITS).strict_error == f"the key '{keys - 1}' occurs twice"
        return time.process_time() - began

    assert min(spent(8000) for _ in range(20)) < 80 * min(spent(500) for _ in range(20))


@pytest.mark.parametrize(
    ("raw", "character", "place"),
    [
        (r'{"a":"\ud800"}', "lone surrogates", " of a"),
        ('{"a":"\udc00"}', "lone surrogates", " of a"),
        (r'{"c":{"d":1},"e":[2],"a":["d",{"b":"\\\u0000"}]}', "the character NUL", " of a.1.b"),
        (r'{"\u0000":1}', "the character NUL", ""),
        (r'{"a":{"\u0000":1}}', "the character NUL", " of a"),
    ],
)
def test_characters_that_cannot_be_stored_are_an_error_that_names_the_place(
    raw: str, character: str, place: str
) -> None:
    error = parse_arguments(raw, LIMITS).error
    assert error == f"the arguments contain {character}, which cannot be stored; leave that out{place}"
    with pytest.raises(InvalidArgumentsError, match=character):
        canonical_json(json.loads(raw))


def test_half_of_a_surrogate_pair_is_kept_as_the_text_has_it() -> None:
    arguments = parse_arguments(r'{"a":"\ud800"}', LIMITS)
    assert arguments.value == {"a": "\ud800"}
    assert arguments.identity == '{"a":"\ud800"}'


def test_the_identity_of_a_number_that_is_not_finite_is_its_text() -> None:
    assert parse_arguments('{"a": 1e400}', LIMITS).identity == '{"a": 1e400}'


def test_the_identity_of_what_cannot_be_written_is_its_text() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert Arguments("too deep", {"a": deep}).identity == "too deep"


@given(objects, st.data())
def test_key_order_white_space_and_escapes_never_change_the_identity(
    value: dict[str, Any], data: st.DataObject
) -> None:
    first, second = data.draw(texts_of(value)), data.draw(texts_of(value))
    assert parse_arguments(first, LIMITS).identity == parse_arguments(second, LIMITS).identity


ALIKE: list[Any] = [0, 0.0, -0.0, 1, 1.0, True, None, "1", [], [1], {}]
few = st.dictionaries(st.sampled_from("ab"), st.sampled_from(ALIKE))


@given(few, few)
def test_two_values_share_an_identity_only_if_they_are_one_value(one: dict[str, Any], other: dict[str, Any]) -> None:
    alike = parse_arguments(json.dumps(one), LIMITS).identity == parse_arguments(json.dumps(other), LIMITS).identity
    assert alike == same(one, other)


@pytest.mark.parametrize(("one", "other"), [("1", "1.0"), ("1", "true"), ("0.0", "-0.0"), ('"1"', "1"), ("0", "null")])
def test_values_that_python_thinks_alike_are_apart(one: str, other: str) -> None:
    assert parse_arguments(f'{{"a":{one}}}', LIMITS).identity != parse_arguments(f'{{"a":{other}}}', LIMITS).identity


@given(st.text())
def test_whatever_the_text_reading_it_never_raises(raw: str) -> None:
    arguments = parse_arguments(raw, LIMITS)
    assert (arguments.value is None) == bool(arguments.error)


def test_arguments_print_their_text_cut_short() -> None:
    assert repr(parse_arguments('{"a":1}', LIMITS)) == """Arguments('{"a":1}')"""
    assert len(repr(Arguments("x" * 1000, None))) < 250


CANONICAL: dict[str, tuple[Any, str]] = {
    "keys sorted, no spaces": ({"b": 1, "a": {"d": 2, "c": 3}}, '{"a":{"c":3,"d":2},"b":1}'),
    "characters as they are": ({"é": "😀"}, '{"é":"😀"}'),
    "quotes and control characters escaped": ({"a": '"\\\n\x01'}, r'{"a":"\"\\\n\u0001"}'),
    "arrays in their order": ([3, 1, 2], "[3,1,2]"),
    "the shortest fraction": ([0.1, 1e-7, 1e16, 1.0], "[0.1,1e-07,1e+16,1.0]"),
    "the largest whole number": ([2**63 - 1, -(2**63)], "[9223372036854775807,-9223372036854775808]"),
    "long digits in text": (
        {"9223372036854775808": "9223372036854775808"},
        '{"9223372036854775808":"9223372036854775808"}',
    ),
    "long digits in a fraction": (
        [9223372036854775808.0, 0.12345678901234567],
        "[9.223372036854776e+18,0.12345678901234566]",
    ),
}


@pytest.mark.parametrize("name", CANONICAL)
def test_the_canonical_text_is_this(name: str) -> None:
    value, text = CANONICAL[name]
    assert canonical_json(value) == text


@pytest.mark.parametrize("offset", range(1, 34))
def test_a_whole_number_that_is_too_large_is_refused_wherever_it_stands(offset: int) -> None:
    with pytest.raises(InvalidArgumentsError, match="of 64 bits is too large"):
        canonical_json({"a" * offset: 2**63, "z": "text after it"})


@given(values)
def test_what_canonical_wrote_says_the_same_value(value: Any) -> None:
    assert same(json.loads(canonical_json(value)), value)


@given(values)
def test_canonical_is_its_own_canonical_form(value: Any) -> None:
    text = canonical_json(value)
    assert canonical_json(json.loads(text)) == text


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**64, 10**30])
@pytest.mark.parametrize("shape", ["{n}", '{{"a":{n}}}', '[[{{"a":[{n}]}}]]'])
def test_a_whole_number_of_more_than_64_bits_is_refused(number: int, shape: str) -> None:
    with pytest.raises(InvalidArgumentsError, match="is too large; at most 63 and a sign are supported"):
        canonical_json(json.loads(shape.format(n=number)))


def test_the_refusal_of_a_large_number_names_its_place() -> None:
    with pytest.raises(InvalidArgumentsError, match=r"^pages\.1\.id: a whole number of 64 bits is too large"):
        canonical_json({"pages": [{"id": 1}, {"id": 2**63}]})


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_refused(number: float) -> None:
    with pytest.raises(InvalidArgumentsError, match="a number that is not finite, which JSON cannot represent"):
        canonical_json({"a": [number]})


def test_a_number_of_thousands_of_digits_is_called_too_large() -> None:
    with pytest.raises(InvalidArgumentsError, match="too large"):
        canonical_json({"a": 10**5000})


def test_limits_have_these_values() -> None:
    assert asdict(LIMITS) == {
        "argument_bytes": 1_048_576,
        "argument_depth": 64,
        "output_bytes": 262_144,
        "reply_bytes": 2_097_152,
        "error_bytes": 16_384,
        "note_bytes": 65_536,
        "reason_bytes": 4096,
        "artifact_bytes": 67_108_864,
        "image_bytes": 3_932_160,
        "agent_depth": 5,
        "handoffs": 10,
        "reply_seconds": 1800,
        "answer_calls": 128,
        "callback_seconds": 30,
    }


@pytest.mark.parametrize(
    ("raw", "limits", "message"),
    [(3, Limits(), "parse_arguments: raw is 3; give a string"), ("{}", 3, "parse_arguments: limits is 3; give Limits")],
)
def test_arguments_and_limits_of_the_wrong_type_are_refused(raw: Any, limits: Any, message: str) -> None:
    with pytest.raises(SetupError, match=message):
        parse_arguments(raw, limits)


@pytest.mark.parametrize(("written", "given"), [("", "{}"), (" \n", "{}"), ("null", "{}"), ("{ }", "{ }"), ("[", "[")])
def test_what_a_model_wrote_in_place_of_arguments_is_none_if_it_says_nothing(written: str, given: str) -> None:
    assert given_arguments(written) == given
