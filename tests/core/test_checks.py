"""A check of an argument names the argument and the value, and says what to pass instead."""

from __future__ import annotations

import enum
import math
import numbers
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from remit.core.checks import (
    as_clock,
    as_items,
    as_member,
    as_path,
    as_text_tuple,
    as_texts,
    as_tuple,
    as_tuple_of,
    check_counts,
    check_instance,
    check_instances,
    check_method,
    check_numbers,
    check_positive,
    check_subclass,
    check_text,
)
from remit.core.names import as_normalized, as_person_name
from remit.errors import ContractError, SetupError


@numbers.Integral.register
class Whole:
    """An integer of another library."""

    def __repr__(self) -> str:
        return "Whole"


class Tag(BaseModel):
    """A value that iterates over its fields."""

    name: str


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


def untyped(value: object) -> Any:
    """Hide the type of a value from the type checker."""
    return value


def test_what_fits_is_returned() -> None:
    check_numbers("Timeout", seconds=1, grace=0.5)
    check_text("name", "ada")
    check_instance("by", "ada", str, "give a string")
    assert as_texts("tags", ["a", "b"]) == as_texts("tags", frozenset({"a", "b"})) == {"a", "b"}
    assert as_texts("tags", "page") == {"page"}
    assert as_text_tuple("tags", {"b", "c", "a"}) == ("a", "b", "c")
    check_positive("Timeout", seconds=0.5)
    check_counts("Budget", calls=2**63 - 1)
    check_instances("Agent", limits=(None, int | None), facts=(3, int))
    check_method("store", [], "append", "give a list")
    check_subclass("input", bool, int, "give a kind of number")
    assert as_text_tuple("suffixes", ["b", "a"]) == ("b", "a")
    assert as_normalized("name", "e\u0301 ") == "\u00e9"
    assert [as_person_name("name", each) for each in ("ada b", "\uff41da", "\u0430\u043d\u043d\u0430", "\u4e2d a")] == [
        "ada b",
        "ada",
        "\u0430\u043d\u043d\u0430",
        "\u4e2d a",
    ]
    assert as_clock("Runtime", time.time) is time.time
    assert as_clock("Runtime", lambda: 5.0)() == 5.0
    assert as_path("folder", "a/b") == as_path("folder", Path("a/b")) == Path("a/b")
    assert as_tuple_of((int, str), "Agent", "handoffs", [1, "a"], "give an agent") == (1, "a")
    assert as_tuple("tools", (each for each in (1, 2))) == (1, 2)
    assert as_member(Color, "color", Color.RED) is as_member(Color, "color", "red") is Color.RED


NULS = r"\x00" * 200


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: check_numbers("Timeout", seconds="5"), "Timeout: seconds is '5'; give a number"),
        (lambda: check_numbers("Timeout", seconds=True), "Timeout: seconds is True; give a number"),
        (lambda: check_numbers("T", seconds=10**400), "T: seconds is larger than any float; give a smaller number"),
        (lambda: check_numbers("U", seconds=-(10**5000)), "U: seconds is larger than any float; give a smaller number"),
        (lambda: check_numbers("T", seconds=math.inf), "T: seconds is inf; give a finite number"),
        (lambda: check_numbers("T", seconds=-math.inf), "T: seconds is -inf; give a finite number"),
        (lambda: check_numbers("T", seconds=math.nan), "T: seconds is nan; give a finite number"),
        (lambda: check_counts("T", calls=1.0), "T: calls is 1.0; give a whole number"),
        (lambda: check_counts("T", calls=-(2**63)), "T: calls has 64 bits; give a whole number of at most 63"),
        (lambda: check_positive("Breaker", seconds="5"), "Breaker: seconds is '5'; give a number"),
        (lambda: check_positive("Timeout", seconds=0), "Timeout: seconds is 0; give a positive number"),
        (lambda: check_positive("Timeout", seconds=math.nan), "Timeout: seconds is nan; give a finite number"),
        (lambda: check_instances("Agent", limits=(3, Color | None)), "Agent: limits is 3; give Color(…)"),
        (lambda: check_instances("Agent", facts=(None, Color)), "Agent: facts is None; give Color(…)"),
        (lambda: check_method("store", list, "append", "give a list"), "store is the class list; give a list"),
        (lambda: check_method("store", 3, "append", "give a list"), "store is 3; give a list"),
        (lambda: check_subclass("input", 3, int, "give a model"), "input is 3; give a model"),
        (lambda: check_subclass("input", str, int, "give a model"), "input is the class str; give a model"),
        (lambda: check_text("key", "\ud800"), r"key is '\ud800'; give a string without lone surrogates"),
        (lambda: check_text("key", "a\0b"), r"key is 'a\x00b'; give a string without the character NUL"),
        (lambda: check_text("key", "\0" * 999), f"key is '{NULS}'…; give a string without the character NUL"),
        (lambda: as_normalized("role", 3), "role is 3; give a string"),
        (lambda: as_person_name("name", "a" * 201), "name has 201 characters; give at most 200"),
        (
            lambda: as_person_name("name", "\u0430da"),
            (
                r"name is '\u0430da', which mixes CYRILLIC and LATIN letters; "
                "give a name that cannot be mistaken for another"
            ),
        ),
        (
            lambda: as_person_name("name", "a\u200bda"),
            r"name is 'a\u200bda', in which U+200B cannot be seen as itself; leave it out",
        ),
        (
            lambda: as_person_name("name", "a\nda"),
            r"name is 'a\nda', in which U+000A cannot be seen as itself; leave it out",
        ),
        (lambda: as_clock("Runtime", untyped(3)), "Runtime: clock is 3; give a function"),
        *(
            (
                lambda each=each: as_clock("Runtime", lambda: each)(),
                f"Runtime: the clock says {each!r}; return seconds since the epoch, like time.time",
            )
            for each in (untyped("noon"), untyped(None), True, -1.0, math.nan, math.inf)
        ),
        (lambda: as_path("folder", 3), "folder is 3; give a path"),
        (lambda: as_path("folder", "\ud800"), r"folder is '\ud800'; give a path"),
        (lambda: as_tuple_of(int, "Agent", "tools", 3, "give 1"), "Agent: tools is 3; give a list"),
        (lambda: as_tuple_of(int, "Agent", "tools", ["a"], "give 1"), "Agent: an item of tools is 'a'; give 1"),
        (lambda: check_counts("Budget", calls=Whole()), "Budget: calls is Whole; give a whole number, as int(…)"),
        (lambda: check_numbers("Budget", cost=Whole()), "Budget: cost is Whole; give a number, as int(…)"),
        (lambda: check_text("name", 3), "name is 3; give a string"),
        (lambda: as_texts("Principal: roles", [3]), "Principal: an item of roles is 3; give a string"),
        (lambda: as_texts("tags", 3), "tags is 3; give a list"),
        (lambda: as_texts("tags", ["a", 3]), "an item of tags is 3; give a string"),
        (lambda: as_texts("tags", "\ud800"), "an item of tags is '\\ud800'; give a string without lone surrogates"),
        (lambda: as_tuple("tools", "find"), "tools is 'find'; give a list"),
        (lambda: as_tuple("tools", {"find"}), "tools is {'find'}; give a list"),
        (lambda: as_tuple("tools", Tag(name="a")), "tools is Tag(name='a'); give a list"),
        (lambda: as_items("tools", {"find": 1}), "tools is {'find': 1}; give a list"),
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
