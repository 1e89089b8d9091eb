"""Ids of tool calls that histories keep, and those that all providers take."""

from __future__ import annotations

from itertools import islice

import pytest

from remit.chat.call_ids import is_kept_id, is_portable_id, new_ids, portable_id


@pytest.mark.parametrize(
    ("ident", "is_kept"),
    [
        ("abcDEF123", True),
        ("functions.look:0", True),
        ("call_" + "x" * 35, True),
        ("call_" + "x" * 36, False),
        ("", False),
        ("a b", False),
        ("a\n", False),
        ("a\0", False),
        ("\ud83d", False),
        ("né", False),
    ],
)
def test_an_id_is_kept_if_it_is_short_and_printable(ident: str, is_kept: bool) -> None:
    assert bool(is_kept_id(ident)) is is_kept


def test_a_portable_id_has_nine_letters_and_digits_and_is_always_the_same() -> None:
    idents = ["", "c1", "functions.look:0", "toolu_01A", "abcDEF123\n", "éééééé123", "\ud83d", "1234567890"]
    made = [portable_id(each) for each in idents]
    assert all(map(is_portable_id, made))
    assert len(set(made)) == len(idents)
    assert [portable_id(each) for each in idents] == made == [portable_id(each) for each in made]
    assert portable_id("abcDEF123") == "abcDEF123"


def test_new_ids_are_portable_and_not_taken() -> None:
    made = list(islice(new_ids({"call00002", "call00004"}, 1), 3))
    assert made == ["call00001", "call00003", "call00005"]
    assert all(map(is_portable_id, made))
