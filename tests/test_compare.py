"""`make compare` runs six frameworks in an environment of its own; here runs the program with Remit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from compare.__main__ import FRAMEWORKS
from compare.documents import NAMES, programs
from compare.measure import PROGRAMS, Result, count_lines, measure
from compare.model import answer


@pytest.mark.process
@pytest.mark.slow
def test_a_run_killed_in_its_effect_repeats_nothing_and_asks_whether_it_happened() -> None:
    kept = Result(
        lost_requests=0,
        lost_results=0,
        doubled=0,
        asked_to_approve=1,
        asked_about_outcome=1,
        approval_survived=True,
    )
    approved_anew = replace(kept, asked_to_approve=2, approval_survived=False)
    found = measure("remit", ("publish after", "publish before"))
    assert found == {"publish after": kept, "publish before": approved_anew}


def test_every_program_is_measured_and_its_lines_are_counted() -> None:
    assert {path.stem for path in PROGRAMS.glob("[!_]*.py")} == set(FRAMEWORKS)
    assert all(20 < count_lines(program) < 100 for program in FRAMEWORKS)


def test_the_scripted_model_calls_each_offered_tool_once_and_then_ends() -> None:
    system = {"role": "system", "content": "You are the writer. Publish a note."}
    offered: dict[str, Any] = {"function": {"name": "publish", "parameters": {"properties": {"head": {}, "text": {}}}}}
    _, asks = answer({"messages": [system], "tools": [offered]})
    assert asks["tool_calls"][0]["function"]["arguments"] == (
        '{"head": "Bees in winter", "text": "Bees keep warm in a cluster."}'
    )
    agent, ends = answer({"messages": [system, asks], "tools": [offered]})
    assert (agent, ends) == ("writer", {"role": "assistant", "content": "The writer is done."})


@pytest.mark.parametrize("guide", NAMES)
def test_a_guide_for_readers_of_another_framework_begins_with_two_whole_programs(guide: str) -> None:
    theirs, ours = programs(guide)
    assert "remit" not in theirs
    assert "from remit import" in ours
