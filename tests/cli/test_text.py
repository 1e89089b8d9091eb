"""Text that was written elsewhere moves no cursor and hides nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remit.cli.text import (
    escape_controls,
    escape_unprintable,
    format_duration,
    json_text,
    one_line,
    one_line_each,
    summarize_arguments,
)

TEXT = st.text(max_size=12)
JSON = st.none() | st.integers() | TEXT | st.lists(TEXT, max_size=3) | st.dictionaries(TEXT, TEXT, max_size=3)


@settings(max_examples=50)
@given(JSON)
def test_json_stays_the_same_json_and_prints_as_itself(value: object) -> None:
    text = json_text(value)
    assert json.loads(text) == value
    assert text.isprintable()


@settings(max_examples=50)
@given(JSON)
def test_indented_json_hides_nothing_either(value: object) -> None:
    text = json_text(value, indent=2)
    assert json.loads(text) == value
    assert text.replace("\n", "").isprintable()


@settings(max_examples=50)
@given(TEXT)
def test_no_control_or_direction_mark_is_left(text: str) -> None:
    shown = escape_controls(text)
    assert not {"\x1b", "\x07", "\r", "\x9b", "\u202e", "\u2066"} & set(shown)
    shown.encode()


@pytest.mark.parametrize("text", ["Grüße\n\tund 👩\u200d🍳 und 日本語", "a\u00a0b"])
def test_ordinary_writing_stays_as_it_is(text: str) -> None:
    assert escape_controls(text) == text


def test_for_a_decision_nothing_invisible_is_left() -> None:
    assert escape_unprintable("a\u200db\u00a0c\td\n") == "a\\u200db\\u00a0c\\td\n"


def test_a_long_text_is_cut_to_one_line() -> None:
    assert one_line("a  b\nc") == "a b c"
    assert one_line("x" * 200, max_length=10) == "x" * 9 + "…"
    assert len(one_line("y" * 10**7)) == 100


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"title": "About", "n": 1}', 'title="About", n=1'),
        ("{}", ""),
        ("not JSON", "not JSON"),
        ("[1,2]", "[1,2]"),
        ('{"a": "\\u001b[2J"}', 'a="\\\\u001b[2J"'.replace("\\\\", "\\")),
        ("[" * 100_000, "[" * 99 + "…"),
    ],
)
def test_arguments_are_told_in_short(arguments: str, said: str) -> None:
    assert summarize_arguments(arguments) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-1, "0.0 ms"),
        (0.0004, "0.4 ms"),
        (0.0123, "12 ms"),
        (3.44, "3.4 s"),
        (119, "119.0 s"),
        (600, "10 min"),
        (7200, "2 h"),
        (7 * 86400, "7 days"),
    ],
)
def test_a_duration_is_told_in_the_unit_that_fits(seconds: float, said: str) -> None:
    assert format_duration(seconds) == said


def test_lines_stay_lines_and_are_whole() -> None:
    assert one_line_each("one\n\n two\tthree \r\n") == "one\ntwo three"
    assert one_line_each("word " * 500) == " ".join(["word"] * 500)
