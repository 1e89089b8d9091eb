"""What a grant's pattern stands for, and that a grant comes back from its text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from remit.record.grant import LIKE_KEY, Grant, GrantRow, matches_pattern
from remit.schemas.jsontext import canonical_text
from tests.call.json_values import objects

GRANT = Grant(
    id="g",
    tenant="t",
    tool="pay",
    arguments="{}",
    principal="ada",
    definition="d",
    policy="p",
    who="w:x",
    by="bob",
    given=1.0,
    expires=10.0,
    count=2,
)


@pytest.mark.parametrize(
    ("pattern", "arguments", "answer"),
    [
        ({}, {"a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {"a": 2}, False),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": True}, {"a": 1}, False),
        ({"a": 1}, {"a": "1"}, False),
        ({"a": None}, {"a": None}, True),
        ({"a": {"b": 1, "c": {"$like": "x*"}}}, {"a": {"b": 1, "c": "xy"}, "d": 1}, True),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, False),
        ({"a": {}}, {"a": {"b": 1}}, False),
        ({"a": {"b": 1}}, {"a": {"c": 1}}, False),
        ({"a": {"b": 1}}, {"a": [1]}, False),
        ({"a": [1, 2]}, {"a": [1, 2]}, True),
        ({"a": [1]}, {"a": [1, 2]}, False),
        ({"a": {"$like": "blog-*"}}, {"a": "blog-1\nand more"}, True),
        ({"a": {"$like": "*@x.org"}}, {"a": "ada@x.org"}, True),
        ({"a": {"$like": "*@x.org"}}, {"a": "ada@x.org.evil"}, False),
        ({"a": {"$like": "*@x.org"}}, {"a": "ada@x-org"}, False),
        ({"a": {"$like": "x"}}, {"a": "xx"}, False),
        ({"a": {"$like": "*"}}, {"a": 1}, False),
        ({"a": {"$like": "[ab]?"}}, {"a": "ax"}, False),
        ({"a": "b*"}, {"a": "bc"}, False),
    ],
)
def test_a_pattern_fits_what_it_names_and_nothing_that_merely_looks_like_it(
    pattern: Any, arguments: Any, answer: bool
) -> None:
    assert matches_pattern(json.dumps(pattern), json.dumps(arguments)) is answer


@given(objects)
def test_arguments_fit_themselves(arguments: dict[str, Any]) -> None:
    text = canonical_text(arguments)
    if "$like" not in text:
        assert matches_pattern(text, text)


def test_a_grant_comes_back_from_its_json() -> None:
    assert Grant.from_json(GRANT.to_json()) == GRANT


@pytest.mark.parametrize(
    ("row", "now", "stands"),
    [
        (GrantRow(GRANT, 0, ""), 9.9, True),
        (GrantRow(GRANT, 0, ""), 10.0, False),
        (GrantRow(GRANT, 2, ""), 1.0, False),
        (GrantRow(GRANT, 0, "eve"), 1.0, False),
    ],
)
def test_a_grant_stands_until_it_is_over_used_up_or_revoked(row: GrantRow, now: float, stands: bool) -> None:
    assert row.is_usable(now) is stands


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("a", "a", True),
        ("a", "ab", False),
        ("*", "", True),
        ("a*", "ab\nc", True),
        ("a*", "ba", False),
        ("*c", "abc", True),
        ("*c", "cb", False),
        ("a*b*c", "a-b-b-c", True),
        ("a*b*c", "a-c-b", False),
        ("ab*ba", "aba", False),
        ("a*b*b", "ab", False),
        ("a.c*", "abc", False),
        ("x*b*", "ab", False),
        ("*a" * 40 + "*b", "a" * 100_000, False),
    ],
)
def test_a_wildcard_is_matched_in_linear_time(pattern: str, text: str, matches: bool) -> None:
    given = json.dumps({"to": {LIKE_KEY: pattern}})
    assert matches_pattern(given, json.dumps({"to": text})) is matches
