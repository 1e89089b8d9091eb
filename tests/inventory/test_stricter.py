"""What each rule says of a change: only what refuses more than before is stricter."""

from __future__ import annotations

from typing import Any

import pytest

from remit.inventory.stricter import (
    Stricter,
    when_false,
    when_fewer,
    when_later,
    when_less,
    when_sooner,
    when_true,
)

LEVEL = when_later("viewer", "editor", "admin")


@pytest.mark.parametrize(
    ("rule", "old", "new"),
    [
        (when_true, False, True),
        (when_true, None, True),
        (when_false, True, False),
        (when_false, None, False),
        (when_less, 30, 1),
        (when_less, None, 30),
        (when_fewer, ["open", "closed"], ["open"]),
        (when_fewer, None, ["open"]),
        (when_sooner, "", "2.0"),
        (when_sooner, None, "2.0"),
        (when_sooner, "10.0", "9.1"),
        (LEVEL, "viewer", "admin"),
        (LEVEL, None, "viewer"),
        (LEVEL, "a word of another day", "viewer"),
    ],
)
def test_a_rule_is_stricter_one_way_and_not_the_other(rule: Stricter, old: Any, new: Any) -> None:
    assert rule(old, new)
    assert not rule(new, old)


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        (when_true, True),
        (when_false, False),
        (when_less, 3),
        (when_fewer, ["x"]),
        (when_sooner, "1.0"),
        (LEVEL, "viewer"),
    ],
)
def test_what_is_as_it_was_or_not_said_any_more_is_not_stricter(rule: Stricter, value: Any) -> None:
    assert not rule(value, value)
    assert not rule(value, None)
    assert not rule(None, None)


def test_one_of_several_in_place_of_another_is_stricter_for_the_other() -> None:
    assert when_fewer(["open"], ["closed"])


def test_versions_are_compared_as_numbers() -> None:
    assert not when_sooner("2.0", "2.0.0")
    assert not when_sooner("2.0", "")
