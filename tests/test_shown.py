"""An error shows whatever a caller gave in one line, short, and without failing itself."""

from __future__ import annotations

from typing import Any

import pytest

from remit.shown import show_id, show_value


class Failing:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class Table:
    def __repr__(self) -> str:
        return "array([[1, 2],\n       [3, 4]])"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3, "3"),
        ("a\nb", r"'a\nb'"),
        (Table(), "array([[1, 2], [3, 4]])"),
        (Failing(), "an object of Failing"),
        ([Failing()], "an object of list"),
        (10**5_000, "an object of int"),
        (object(), "<object object>"),
        ("x" * 200, f"'{'x' * 200}'"),
        ("x" * 201, f"'{'x' * 200}'…"),
        ([0] * 100, f"[{'0, ' * 66}0…"),
    ],
    ids=range(10),
)
def test_a_value_is_shown_in_one_line_and_cut(value: Any, shown: str) -> None:
    assert show_value(value) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [("run_1", "run_1"), ("", ""), ("a\nb", r"'a\nb'"), ("x" * 80, "x" * 80), ("x" * 81, f"{'x' * 80}…")],
)
def test_an_id_is_shown_as_it_is_unless_it_cannot_be_one(text: str, shown: str) -> None:
    assert show_id(text) == shown
