"""What was perhaps meant by a name, and what there is."""

from __future__ import annotations

import pytest

from remit.schemas.suggestions import near

MANY = [f"page{number}x" for number in range(10)]


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("fnd", ["find", "burn"], "did you mean find?"),
        ("zzz", ["find", "burn"], "there are: burn, find"),
        ("zzz", [], "there are: none"),
        ("zzz", MANY[:9], f"there are: {', '.join(MANY[:8])}, … and 1 more"),
    ],
    ids=["near", "far", "nothing there", "too many to list"],
)
def test_the_nearest_is_named_else_the_first_of_those_there_are(name: str, known: list[str], said: str) -> None:
    assert near(name, known) == said


def test_what_is_said_otherwise_stands_in_place_of_what_there_is() -> None:
    assert near("zzz", ["find"], "name a tool") == "name a tool"
    assert near("fnd", ["find"], "name a tool") == "did you mean find?"


def test_where_the_rest_is_read_is_told_where_there_is_a_rest() -> None:
    assert near("zzz", MANY, rest="remit tools shop").endswith("… and 2 more: remit tools shop")
    assert near("zzz", MANY[:3], rest="remit tools shop") == f"there are: {', '.join(MANY[:3])}"
