"""Mutants are planted while a figure is measured, and a figure that does not notice its mutants is reported."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from figures.figure import Figure, no_violations
from figures.mutants.mutant import Mutant, Plant, edited, planted_edits, together
from figures.parts import PARTS, Part


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


def survival(plant: Plant) -> str:
    return Mutant(figure="greeting.wrong", defect="", plant=plant).find_survival(measure_greeting)


def test_a_mutant_is_killed_by_a_figure_that_misses_its_target() -> None:
    assert survival(edited(f"{HERE}:greeting", "hello", "goodbye")) == ""
    assert survival(edited(f"{HERE}:greeting", "name: str", "name: object")) == "the figure did not notice it"


def test_a_mutant_is_not_killed_by_a_figure_that_fails_or_measures_nothing() -> None:
    failing = edited(f"{HERE}:greeting", 'f"hello {name}"', "str(1 / 0)")
    assert survival(failing) == "the figure failed with ZeroDivisionError: division by zero"
    harmless = edited(f"{HERE}:greeting", "name: str", "name: object")
    other = Mutant(figure="farewell.wrong", defect="", plant=harmless)
    assert other.find_survival(measure_greeting) == "the figure was not measured"
    empty = Mutant(figure="greeting.wrong", defect="", plant=harmless)
    nothing = no_violations("greeting.wrong", 0, 0, "no greeting")
    assert empty.find_survival(lambda: [nothing]) == "the figure was not measured"


def test_an_edit_that_uses_a_name_of_no_module_is_refused() -> None:
    misspelt = edited(f"{HERE}:greeting", '{name}"', '{nmae}"')
    with pytest.raises(ValueError, match=r"uses what its module does not have: \{'nmae'\}"), misspelt():
        pass


@pytest.mark.process
def test_a_part_reports_its_survivors_with_the_reason() -> None:
    failing = edited(f"{HERE}:greeting", 'f"hello {name}"', "str(1 / 0)")
    wrong = edited(f"{HERE}:greeting", "hello", "goodbye")
    mutants = tuple(
        Mutant(figure="greeting.wrong", defect=defect, plant=plant)
        for defect, plant in (("greets with another word", wrong), ("does not greet", failing))
    )

    def measure(*, short: bool) -> Iterator[Figure]:
        assert short
        yield from measure_greeting()

    part = Part(measure, mutants)
    rate = part.kill_mutants(short=False)["greeting.wrong"]
    assert (rate.killed, rate.planted) == (1, 2)
    assert rate.survivors == [
        "greeting.wrong: does not greet (the figure failed with ZeroDivisionError: division by zero)"
    ]
    assert part.kill_mutants(short=True)["greeting.wrong"].planted == 1


def test_planted_edits_are_listed_for_other_processes() -> None:
    edit = (f"{HERE}:greeting", "hello", "goodbye")
    with edited(*edit)():
        assert planted_edits() == (edit,)
    assert planted_edits() == ()


def test_every_mutant_still_fits_the_code_it_edits() -> None:
    for mutant in [each for part in PARTS.values() for each in part.mutants]:
        with mutant.plant():
            pass


def test_defects_of_one_figure_have_different_names() -> None:
    names = [(each.figure, each.defect) for part in PARTS.values() for each in part.mutants]
    assert len(set(names)) == len(names), json.dumps(names)
