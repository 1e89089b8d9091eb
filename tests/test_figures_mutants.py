"""Mutants are planted while a figure is measured, and a figure that does not notice its mutants is reported."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from figures.figure import Figure, no_violations
from figures.mutants.mutant import Mutant, edited, together
from figures.mutants.registry import MUTANTS


def greeting(name: str) -> str:
    return f"hello {name}"


def make_counter(start: int) -> object:
    def count() -> int:
        return start + 1

    return count


count_from_two = make_counter(2)
HERE = __name__


def measure_greeting() -> Iterator[Figure]:
    yield no_violations("greeting.wrong", int(greeting("ada") != "hello ada"), 1, "one greeting")


def test_an_edit_is_in_place_while_it_is_planted() -> None:
    with edited(f"{HERE}:greeting", "hello", "goodbye")():
        assert greeting("ada") == "goodbye ada"
    assert greeting("ada") == "hello ada"


def test_an_edit_of_a_closure_keeps_what_it_closes_over() -> None:
    with edited(f"{HERE}:count_from_two", "+ 1", "+ 5")():
        assert callable(count_from_two)
        assert count_from_two() == 7


def test_several_edits_are_planted_together() -> None:
    with together(edited(f"{HERE}:greeting", "hello", "bye"), edited(f"{HERE}:count_from_two", "+ 1", "+ 5"))():
        assert greeting("ada") == "bye ada"
        assert callable(count_from_two)
        assert count_from_two() == 7


def test_an_edit_of_what_is_not_there_is_refused() -> None:
    with (
        pytest.raises(ValueError, match="greeting contains 'farewell' 0 times"),
        edited(f"{HERE}:greeting", "farewell", "")(),
    ):
        pass


def test_an_edit_that_changes_the_closure_is_refused() -> None:
    with pytest.raises(ValueError, match="closes over"), edited(f"{HERE}:count_from_two", "start", "0")():
        pass


def test_a_mutant_is_killed_by_a_figure_that_misses_its_target() -> None:
    wrong = edited(f"{HERE}:greeting", "hello", "goodbye")
    harmless = edited(f"{HERE}:greeting", "name: str", "name: object")
    failing = edited(f"{HERE}:greeting", 'f"hello {name}"', "1 / 0")
    kills = [
        Mutant(figure="greeting.wrong", defect="", plant=plant).is_killed(measure_greeting)
        for plant in (wrong, harmless, failing)
    ]
    assert kills == [True, False, False]


def test_every_mutant_still_fits_the_code_it_edits() -> None:
    for mutant in [each for mutants in MUTANTS.values() for each in mutants]:
        with mutant.plant():
            pass


def test_defects_of_one_figure_have_different_names() -> None:
    names = [(each.figure, each.defect) for mutants in MUTANTS.values() for each in mutants]
    assert len(set(names)) == len(names), json.dumps(names)
