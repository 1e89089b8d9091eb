"""The notes on tools that a worker lists and that a worker above it bars."""

from __future__ import annotations

from typing import Any

import pytest

from remit.workers import WorkerDefinition
from remit.workers.barred_tools import barred_tools


def notes(checked: str = "lead mid inner other", **workers: dict[str, Any]) -> list[str]:
    made = {name: WorkerDefinition(name=name, prompt="Work.", **keys) for name, keys in workers.items()}
    return list(barred_tools(made, checked.split()))


LEAD: dict[str, Any] = {"workers": ("mid",), "delegates": ("inner",)}
MID: dict[str, Any] = {"workers": ("inner",)}
INNER: dict[str, Any] = {"tools": ("look", "write")}
NOTE = "worker inner: inner cannot call 'write' below lead: `delegates` lacks it (worker lead)"


def test_a_tool_that_a_worker_two_below_lists_is_noted_with_both_workers() -> None:
    assert notes(lead={**LEAD, "delegates": ("inner", "look")}, mid=MID, inner=INNER) == [NOTE]


@pytest.mark.parametrize("delegates", [None, ("inner", "look", "write")], ids=["no key", "repeats all"])
def test_nothing_is_noted_where_all_names_can_be_called(delegates: tuple[str, ...] | None) -> None:
    assert notes(lead={**LEAD, "delegates": delegates}, mid=MID, inner=INNER) == []


def test_what_a_worker_between_bars_is_noted_for_that_one_only() -> None:
    (note,) = notes(lead={**LEAD, "delegates": ("inner", "look")}, mid={**MID, "delegates": ("look",)}, inner=INNER)
    assert note == NOTE.replace("lead", "mid")


def test_a_barred_worker_is_noted_and_not_its_tools() -> None:
    (note,) = notes(lead={**LEAD, "delegates": ()}, mid=MID, inner=INNER)
    assert note == "worker mid: mid cannot call 'inner' below lead: `delegates` lacks it (worker lead)"


def test_a_handoff_target_below_is_noted_unless_the_handoff_is_barred_itself() -> None:
    mid = {"handoffs": ("inner",)}
    assert notes(lead={"workers": ("mid",), "delegates": ("handoff_to_inner", "look")}, mid=mid, inner=INNER) == [NOTE]
    (note,) = notes(lead={"workers": ("mid",), "delegates": ("look",)}, mid=mid, inner=INNER)
    assert "mid cannot call 'handoff_to_inner' below lead" in note


def test_workers_that_call_one_another_are_noted_once() -> None:
    lead: dict[str, Any] = {"workers": ("mid", "lead"), "delegates": ("look",)}
    found = notes(lead=lead, mid={"workers": ("lead", "mid"), "tools": ("write",)})
    assert found == ["worker mid: mid cannot call 'write' below lead: `delegates` lacks it (worker lead)"]


def test_only_pairs_with_a_checked_worker_are_noted() -> None:
    lead = {**LEAD, "delegates": ("inner", "look")}
    assert notes("other", lead=lead, mid=MID, inner=INNER) == []
    assert notes("inner", lead=lead, mid=MID, inner=INNER) == [NOTE]
    assert notes("lead", lead=lead, mid=MID, inner=INNER) == [NOTE]


def test_a_worker_that_is_nowhere_is_passed_over() -> None:
    assert notes(lead={"workers": ("gone",), "delegates": ()}) == []
