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


class Bounded:
    """An object that is not called itself, but has a test. Its class has a limit and a helper."""

    limit = 3

    def __init__(self, most: int) -> None:
        self.most = most
        self.opened = object()

    def test(self, number: int) -> bool:
        return self.is_over(number)

    def is_over(self, number: int) -> bool:
        return number > self.limit


class Documented(Bounded):
    """The same, described otherwise."""


class Strict(Bounded):
    limit = 2


class Helped(Bounded):
    def is_over(self, number: int) -> bool:
        return number >= self.limit


class Called(Bounded):
    def __call__(self, number: int) -> bool:
        return self.is_over(number)


class CalledStrictly(Called):
    limit = 2


class CalledWithHelp(Called):
    def is_over(self, number: int) -> bool:
        return number >= self.limit


Called.__qualname__ = CalledStrictly.__qualname__ = CalledWithHelp.__qualname__ = "Called"
Bounded.__qualname__ = Documented.__qualname__ = Strict.__qualname__ = Helped.__qualname__ = "Bounded"


def with_attribute(most: int) -> Callable[[int], bool]:
    def test(number: int) -> bool:
        return number <= vars(test)["most"]

    vars(test)["most"] = most
    return test


def with_global(limit: object, name: str = "LIMIT") -> Callable[[int], bool]:
    """A test whose module has a limit, which code inside it uses."""
    code = compile(f"def test(number): return [each for each in [number] if each != {name}]", "module", "exec")
    names: dict[str, Any] = {"__name__": "module", name: limit}
    exec(code, names)  # noqa: S102 - a module of its own
    return names["test"]


def helped_by(operator: str) -> Callable[[int], bool]:
    """A test that uses a function of its own module."""
    names: dict[str, Any] = {"__name__": "module"}
    exec(f"def helper(number): return number {operator} 3\ndef test(number): return helper(number)", names)  # noqa: S102
    return names["test"]


def holding(value: object) -> Callable[[int], bool]:
    """A method whose object holds something that it has opened."""
    bounded = Bounded(3)
    bounded.opened = value
    return bounded.test


def nested_deeply() -> list[Any]:
    nested: list[Any] = []
    nested.append(nested)
    return nested


def nested_mapping() -> dict[str, Any]:
    nested: dict[str, Any] = {}
    nested["inner"] = nested
    return nested


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
    "a method of an object with state": lambda: Bounded(3).test,
    "a function with attributes": lambda: with_attribute(3),
    "a function with a global set": lambda: with_global({"x", "y", "z"}),
    "a function with a global object": lambda: with_global(Opaque(1)),
    "a function with a global that contains itself": lambda: with_global(nested_deeply()),
    "a function with a global mapping that contains itself": lambda: with_global(nested_mapping()),
    "a function that has a helper": lambda: helped_by(">"),
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
    "another state of the object of a method": (Bounded(3).test, Bounded(4).test),
    "another constant of the class of a method": (Bounded(3).test, Strict(3).test),
    "another helper of the class of a method": (Bounded(3).test, Helped(3).test),
    "another constant of the class of an object": (Called(3), CalledStrictly(3)),
    "another helper of the class of an object": (Called(3), CalledWithHelp(3)),
    "another attribute of a function": (with_attribute(3), with_attribute(4)),
    "another global constant": (with_global(3), with_global(4)),
    "another global constant whose name begins as that of Python's own do": (
        with_global(3, "__LIMIT"),
        with_global(4, "__LIMIT"),
    ),
    "another global constant whose name ends as theirs do": (with_global(3, "LIMIT__"), with_global(4, "LIMIT__")),
    "another global mapping": (with_global({"a": (1, 2)}), with_global({"a": (1, 3)})),
    "another helper function": (helped_by(">"), helped_by(">=")),
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


NOT_TOLD: dict[str, tuple[Any, Any]] = {
    "the docstring of a class": (Bounded(3).test, Documented(3).test),
    "a name of Python's own": (with_global("/a.py", "__file__"), with_global("/b.py", "__file__")),
    "an object that the object of a method holds": (holding(Counting(3)), holding(Counting(4))),
    "an object in a list": (with_global([Counting(3)]), with_global([Counting(4)])),
    "an object in a mapping": (with_global({"a": Counting(3)}), with_global({"a": Counting(4)})),
}


@pytest.mark.parametrize("name", NOT_TOLD)
def test_what_may_be_of_the_process_is_not_told(name: str) -> None:
    first, second = NOT_TOLD[name]
    assert fingerprint(first) == fingerprint(second)


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
