"""`make compare` runs six frameworks in an environment of its own; here runs the program with Remit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from compare import speed
from compare.documents import NAMES, programs
from compare.frameworks import FRAMEWORKS
from compare.measure import PROGRAMS, Result, count_lines, measure
from compare.model import answer
from compare.speeds import DONE, Work, check_work, script
from compare.speeds.remit import Task


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


@pytest.mark.parametrize(("turns", "wide"), [(1, 1), (3, 1), (2, 50)])
async def test_the_agent_whose_speed_is_measured_makes_every_call_of_its_script(turns: int, wide: int) -> None:
    task = Task(turns, wide)
    for _ in range(2):  # one agent runs again and again
        task.prepare()
        Work.reset()
        check_work(turns, wide, await task.run())


class ForgetfulTask:
    """Makes every call but the last, or says something else, as ``forgets`` says."""

    forgets = ""

    def __init__(self, turns: int, wide: int) -> None:
        calls = [each for turn in script(turns, wide) for each in turn.values()]
        self._calls = calls[: len(calls) - (self.forgets == "a call")]

    def prepare(self) -> None:
        """Nothing needs to be made."""

    async def run(self) -> str:
        for each in self._calls:
            Work.add(**each)
        return "" if self.forgets == "the answer" else DONE

    async def call(self, a: int, b: int) -> None:
        if self.forgets != "a call without an agent" or a != 1:
            Work.add(a, b)


async def test_every_figure_of_speed_is_measured_in_one_process_but_for_imports() -> None:
    found = await speed.measure(ForgetfulTask, windows=1)
    assert set(found) == {name for name in speed.COLUMNS if not name.startswith("import")}
    assert all(found.values())


@pytest.mark.parametrize("forgets", ["a call", "the answer", "a call without an agent"])
async def test_a_framework_that_does_less_than_its_script_is_not_measured(
    forgets: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ForgetfulTask, "forgets", forgets)
    with pytest.raises(RuntimeError, match="made"):
        await speed.measure(ForgetfulTask, windows=1)


def test_the_table_of_speed_has_the_medians_of_all_rounds_and_their_ratios_to_the_floor() -> None:
    rounds = {
        "floor": [{"floor_us": 2.0}, {"floor_us": 9.0}, {"floor_us": 2.0}],
        "remit": [{"call_us": cost, "import_cpu_ms": 80.0} for cost in (5000.0, 100.0, 3000.0)],
        "langgraph": [{"turn_10_us": 7.0}] * 3,
    }
    versions = {"remit": {"remit": "1.0"}, "langgraph": {"langgraph": "1.2", "langchain": "1.4"}}
    document = {"date": "2026-01-02", "python": "3.11.2", "versions": versions, "rounds": rounds}
    *said, _, head, _, ours, theirs = speed.format_table(document)
    assert " ".join(" ".join(said).split()) == (
        "Measured on 2026-01-02 in 3 rounds with Python 3.11.2, remit 1.0, langgraph 1.2, langchain 1.4. The floor was "
        "2.00 µs; in brackets are ratios to it."
    )
    assert head.startswith("|  | a call | a turn of 10 |")
    assert ours == "| Remit | 3,000 µs (1,500) | - | - | - | - | - | 80 ms | - |"
    assert theirs == "| LangGraph | - | 7 µs (4) | - | - | - | - | - | - |"


def test_the_imports_of_a_program_are_measured_without_those_of_the_comparison() -> None:
    assert {path.stem for path in speed.SPEEDS.glob("[!_]*.py")} == set(speed.PROGRAMS)
    assert set(speed.PROGRAMS) == set(FRAMEWORKS) - {"pydantic_ai_dbos"}
    for name in speed.PROGRAMS:
        imports = speed.program_imports(name)
        compile(imports, name, "exec")
        assert "compare" not in imports
        assert ("remit" in imports) == (name == "remit")


@pytest.mark.parametrize("arguments", [["0"], ["fast"], ["3", "langgraph"]])
def test_speed_takes_only_a_number_of_rounds(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="takes a number of rounds"):
        speed.compare_speed(arguments)
