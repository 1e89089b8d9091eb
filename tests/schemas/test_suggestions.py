"""What was perhaps meant by a name, and what there is."""

from __future__ import annotations

import pytest

from remit.schemas.suggestions import find_similar, suggest

MANY = [f"page{number}x" for number in range(10)]


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("fnd", ["find", "burn"], "did you mean find?"),
        ("zzz", ["find", "burn"], "available: burn, find"),
        ("zzz", [], "available: none"),
        ("zzz", MANY[:9], f"available: {', '.join(MANY[:8])}, … and 1 more"),
    ],
    ids=["near", "far", "nothing there", "too many to list"],
)
def test_the_nearest_is_named_else_the_first_of_those_there_are(name: str, known: list[str], said: str) -> None:
    assert suggest(name, known) == said


def test_what_is_said_otherwise_stands_in_place_of_what_there_is() -> None:
    assert suggest("zzz", ["find"], "name a tool") == "name a tool"
    assert suggest("fnd", ["find"], "name a tool") == "did you mean find?"


def test_where_the_rest_is_read_is_told_where_there_is_a_rest() -> None:
    assert suggest("zzz", MANY, list_command="remit tools shop").endswith("… and 2 more: remit tools shop")
    assert suggest("zzz", MANY[:3], list_command="remit tools shop") == f"available: {', '.join(MANY[:3])}"


def test_a_long_name_is_compared_by_its_beginning_and_many_candidates_by_their_letters_first() -> None:
    assert find_similar("find_pages" * 100_000, ["find_pages", "x" * 900_000], count=1, cutoff=0.05) == ["find_pages"]
    many = [f"tool_{number}" for number in range(20_000)]
    assert find_similar("fnd_page", [*many, "find_page"], count=3) == ["find_page"]
    assert find_similar("", ["a"], count=1) == []
