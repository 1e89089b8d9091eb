"""What each rule says of a change: only what refuses more than before is stricter."""

from __future__ import annotations

from typing import Any

import pytest

from remit.inventory.breaking_rules import (
    BreakingRule,
    breaks_if_disabled,
    breaks_if_earlier,
    breaks_if_enabled,
    breaks_if_lower,
    breaks_if_rank_rises,
    breaks_if_removed,
)

LEVEL = breaks_if_rank_rises("viewer", "editor", "admin")


@pytest.mark.parametrize(
    ("rule", "old", "new"),
    [
        (breaks_if_enabled, False, True),
        (breaks_if_enabled, None, True),
        (breaks_if_disabled, True, False),
        (breaks_if_disabled, None, False),
        (breaks_if_lower, 30, 1),
        (breaks_if_lower, None, 30),
        (breaks_if_removed, ["open", "closed"], ["open"]),
        (breaks_if_removed, None, ["open"]),
        (breaks_if_earlier, "", "2.0"),
        (breaks_if_earlier, None, "2.0"),
        (breaks_if_earlier, "10.0", "9.1"),
        (LEVEL, "viewer", "admin"),
        (LEVEL, None, "viewer"),
        (LEVEL, "a word of another day", "viewer"),
    ],
)
def test_a_rule_is_stricter_one_way_and_not_the_other(rule: BreakingRule, old: Any, new: Any) -> None:
    assert rule(old, new)
    assert not rule(new, old)


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        (breaks_if_enabled, True),
        (breaks_if_disabled, False),
        (breaks_if_lower, 3),
        (breaks_if_removed, ["x"]),
        (breaks_if_earlier, "1.0"),
        (LEVEL, "viewer"),
    ],
)
def test_what_is_as_it_was_or_not_said_any_more_is_not_stricter(rule: BreakingRule, value: Any) -> None:
    assert not rule(value, value)
    assert not rule(value, None)
    assert not rule(None, None)


def test_one_of_several_in_place_of_another_is_stricter_for_the_other() -> None:
    assert breaks_if_removed(["open"], ["closed"])


def test_versions_are_compared_as_numbers() -> None:
    assert not breaks_if_earlier("2.0", "2.0.0")
    assert not breaks_if_earlier("2.0", "")
