"""What a rule does is told alike in every process that runs the same code, and otherwise where the code is another."""

from __future__ import annotations

import enum
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from remit.approvals.policy_version import fingerprint

ROOT = Path(__file__).parents[2]


class Shade(enum.Enum):
    DARK = 1


@dataclass(frozen=True, slots=True)
class Limit:
    most: int
    names: frozenset[str] = frozenset({"a", "b", "c"})
    test: Callable[[int], bool] = field(default=lambda number: number > 3)


class Counting:
    def __init__(self, most: int) -> None:
        self.most = most

    def __call__(self, number: int) -> bool:
        return number > self.most

    def at(self, number: int) -> bool:
        return number == self.most


class Slotted:
    __slots__ = ("most",)

    def __init__(self, most: int) -> None:
        self.most = most

    def __call__(self, number: int) -> bool:
        return number > self.most


class Opaque:
    def __init__(self, most: int) -> None:
        self.most = most


def closing(over: Any) -> Callable[[int], bool]:
    return lambda number: number > over


def with_default(most: int) -> Callable[..., bool]:
    def test(number: int, most: int = most, *, least: int = -most) -> bool:
        return least < number < most

    return test


def itself() -> Callable[[int], bool]:
    def test(number: int) -> bool:
        return number <= 0 or test(number - 1)

    return test


ALIKE: dict[str, Callable[[], Any]] = {
    "a lambda": lambda: lambda number: number in {"x", "y", "z"},  # type: ignore[reportUnknownLambdaType]
    "a closure over a set": lambda: closing({"x", "y", "z"}),
    "a closure over an object": lambda: closing(Opaque(1)),
    "a function with defaults": lambda: with_default(3),
    "a function that calls itself": itself,
    "a partial": lambda: partial(with_default(1), most=3),
    "a method": lambda: Counting(3).at,
    "a builtin": lambda: len,
    "a class": lambda: Counting,
    "an object to call": lambda: Counting(3),
    "one with slots": lambda: Slotted(3),
    "a dataclass": lambda: Limit(3),
    "a dictionary": lambda: {"b": Shade.DARK, "a": [None, ..., 1.0, b"x"]},
}

OTHERWISE: dict[str, tuple[Any, Any]] = {
    "another constant": (lambda number: number > 3, lambda number: number > 4),  # type: ignore[reportUnknownLambdaType]
    "another type of constant": (lambda: 1, lambda: True),
    "another operator": (lambda number: number > 3, lambda number: number < 3),  # type: ignore[reportUnknownLambdaType]
    "another attribute": (lambda call: call.callee, lambda call: call.caller),  # type: ignore[reportUnknownLambdaType]
    "another value closed over": (closing(3), closing(4)),
    "another default": (with_default(3), with_default(4)),
    "another inner function": (lambda: lambda: 1, lambda: lambda: 2),
    "another partial": (partial(closing, 3), partial(closing, 4)),
    "another object of a method": (Counting(3).at, Counting(4).at),
    "another object to call": (Counting(3), Counting(4)),
    "another one with slots": (Slotted(3), Slotted(4)),
    "another dataclass": (Limit(3), Limit(4)),
    "another class": (Counting, Slotted),
    "another builtin": (len, sum),
    "another member": ([Shade.DARK], ["DARK"]),
}


@pytest.mark.parametrize("name", ALIKE)
def test_what_is_made_twice_by_the_same_code_is_told_alike(name: str) -> None:
    assert fingerprint(ALIKE[name]()) == fingerprint(ALIKE[name]())
    assert "0x" not in fingerprint(ALIKE[name]())


@pytest.mark.parametrize("name", OTHERWISE)
def test_what_does_something_else_is_told_otherwise(name: str) -> None:
    first, second = OTHERWISE[name]
    assert fingerprint(first) != fingerprint(second)


def test_a_function_that_ran_often_is_told_as_before() -> None:
    test = closing(3)
    before = fingerprint(test)
    assert [test(number) for number in range(1_000)].count(True) == 996
    assert fingerprint(test) == before


def test_a_function_is_told_before_what_it_closes_over_is_there() -> None:
    def test() -> int:
        return later

    before = fingerprint(test)
    later = 3
    assert test() == later
    assert fingerprint(test) != before


PROGRAM = """
from tests.approvals.test_policy_version import ALIKE
from remit.approvals.policy_version import fingerprint
print("\\n".join(fingerprint(make()) for make in ALIKE.values()))
"""


@pytest.mark.process
def test_other_processes_tell_the_same() -> None:
    told = {
        subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for _ in range(3)
    }
    assert told == {"\n".join(fingerprint(make()) for make in ALIKE.values()) + "\n"}
