"""Values in sentences: readable, on one line, and never misleading."""

from __future__ import annotations

import pytest

from remit.record.secret import Secret
from remit.views.values import describe_value, show_line


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, ""),
        ("", ""),
        (True, "yes"),
        (False, "no"),
        (2026, "2026"),
        (12345, "12,345"),
        (-12345.5, "-12,345.5"),
        (3.5, "3.5"),
        ("two\nlines\tof  text", "two lines of text"),
        ("2026-03-14", "14 March 2026"),
        ("2026-13-14", "2026-13-14"),
        ("2026-03-14T09:30:00Z", "14 March 2026, 09:30 UTC"),
        ("2026-03-14T09:30", "14 March 2026, 09:30"),
        ("2026-03-14T09:30:00+02:00", "14 March 2026, 09:30 UTC+0200"),
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c", "d"], "a, b, c and d"),
        (["a", "b", "c", "d", "e"], "a, b, c and 2 more"),
        ({"id": "7", "name": "Home", "revision": "3"}, "Home"),
        ({"digest": "sha256:0", "size": 3, "media_type": "text/plain", "name": "menu.txt"}, "menu.txt"),
        ({"title": "Start", "text": "x"}, "Start"),
        ({"amount": 40000, "currency": "EUR"}, "40,000 EUR"),
        ({"id": "7"}, "Seven"),
        ({"id": "8"}, "8"),
        ({"head_line": 1, "text": 2}, "head line and text"),
        ({}, ""),
        (object(), ""),
    ],
)
def test_a_value_is_readable(value: object, said: str) -> None:
    assert describe_value(value, lambda given: "Seven" if given == "7" else "") == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("abc\u202edef", "abc\\u202edef"),
        ("\x1b[31mred", "\\u001b[31mred"),
        ("x" * 100, "x" * 79 + "…"),
        ("a\u00a0b", "a b"),
        ("\u200b", "\\u200b"),
    ],
)
def test_the_text_of_strangers_is_escaped_and_cut(text: str, said: str) -> None:
    assert show_line(text) == said
    assert describe_value(text) == said


def test_the_value_of_a_secret_is_never_shown() -> None:
    secret = Secret("env:SENTENCE_KEY", "hunter2-hunter2")
    assert describe_value(f"key {secret.reveal()}") == "key [secret env:SENTENCE_KEY]"
    assert describe_value({"name": secret.reveal()}) == "[secret env:SENTENCE_KEY]"
