"""A check of an argument names the argument and the value, and says what to pass instead."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import pytest

from remit.core.checks import as_member, as_texts, as_tuple, check_instance, check_numbers, check_text
from remit.errors import ContractError, SetupError


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


def test_what_fits_is_returned() -> None:
    check_numbers("Timeout", seconds=1, grace=0.5)
    check_text("name", "ada")
    check_instance("by", "ada", str, "give a string")
    assert as_texts("tags", ["a", "b"]) == as_texts("tags", frozenset({"a", "b"})) == {"a", "b"}
    assert as_texts("tags", "page") == {"page"}
    assert as_tuple("tools", (each for each in (1, 2))) == (1, 2)
    assert as_member(Color, "color", Color.RED) is as_member(Color, "color", "red") is Color.RED


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: check_numbers("Timeout", seconds="5"), "Timeout: seconds is '5'; give a number"),
        (lambda: check_numbers("Timeout", seconds=True), "Timeout: seconds is True; give a number"),
        (lambda: check_text("name", 3), "name is 3; give a string"),
        (lambda: as_texts("tags", 3), "tags is 3; give a list"),
        (lambda: as_texts("tags", ["a", 3]), "an item of tags is 3; give a string"),
        (lambda: as_tuple("tools", "find"), "tools is 'find'; give a list"),
        (lambda: as_member(Color, "color", "green"), "color is 'green'; use 'red', 'blue'"),
        (lambda: check_instance("by", "ada", int, "give a number"), "by is 'ada'; give a number"),
        (lambda: check_instance("by", int, int, "give a number"), "by is the class int; give a number"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(check: Callable[[], Any], message: str) -> None:
    with pytest.raises(SetupError) as caught:
        check()
    assert caught.value.message == message


def test_the_error_can_be_a_narrower_one() -> None:
    with pytest.raises(ContractError):
        as_member(Color, "color", "green", ContractError)
