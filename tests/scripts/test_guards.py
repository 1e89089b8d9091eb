"""`scripts/guards.py`: the guards of a module, and the module without one of them."""

from __future__ import annotations

import ast
from types import ModuleType
from typing import Any

import pytest

from tests.scripts.loading import load_script

SOURCE = """
def check_age(age):
    if age < 18 and age != 16:
        raise ValueError(age)

def enter(age):
    check_age(age)
    return "in"

def may_enter(age, name) -> bool:
    return age >= 18 and bool(name)

def adults(ages):
    return [age for age in ages if age >= 18]
"""

FOUND = [
    "if age < 18 and age != 16: raise",
    "age < 18 in age < 18 and age != 16",
    "age != 16 in age < 18 and age != 16",
    "check_age(age)",
    "may_enter: return True for age >= 18 and bool(name)",
    "may_enter: return False for age >= 18 and bool(name)",
    "age >= 18 in age >= 18 and bool(name)",
    "bool(name) in age >= 18 and bool(name)",
    "filter age >= 18",
]


@pytest.fixture
def guards(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return load_script("guards", monkeypatch)


def run_without(guards: ModuleType, text: str) -> dict[str, Any]:
    """The module's names, without the guard of that text."""
    tree = ast.parse(SOURCE)
    (guard,) = [each for each in guards.find_guards(tree) if each.text == text]
    guard.drop()
    names: dict[str, Any] = {}
    exec(compile(tree, "guarded.py", "exec"), names)  # noqa: S102 - the source stands above
    return names


def test_conditions_checks_predicates_and_filters_are_guards(guards: ModuleType) -> None:
    found = [each.text for each in guards.find_guards(ast.parse(SOURCE))]
    assert sorted(found) == sorted(FOUND)


@pytest.mark.parametrize("text", ["if age < 18 and age != 16: raise", "check_age(age)"])
def test_without_its_guard_a_function_refuses_nothing(guards: ModuleType, text: str) -> None:
    assert run_without(guards, text)["enter"](3) == "in"


def test_without_an_operand_a_condition_is_wider(guards: ModuleType) -> None:
    with pytest.raises(ValueError, match="40"):
        run_without(guards, "age < 18 in age < 18 and age != 16")["enter"](40)


@pytest.mark.parametrize("constant", [True, False])
def test_a_predicate_answers_always_the_same(guards: ModuleType, *, constant: bool) -> None:
    names = run_without(guards, f"may_enter: return {constant} for age >= 18 and bool(name)")
    assert [names["may_enter"](40, "ada"), names["may_enter"](3, "")] == [constant, constant]


def test_without_its_filter_a_comprehension_holds_everything(guards: ModuleType) -> None:
    assert run_without(guards, "filter age >= 18")["adults"]([3, 40]) == [3, 40]
