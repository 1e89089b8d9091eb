"""What a part of `make figures` measures does not depend on what was measured before it."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Iterator
from contextvars import ContextVar
from functools import lru_cache
from itertools import count, permutations
from pathlib import Path
from typing import Final

import pytest

from figures import __main__ as program
from figures import secrets
from figures.alone import run_alone
from figures.figure import Figure, no_violations
from figures.mutants.mutant import Mutant, edited
from figures.parts import PARTS, Part
from figures.secrets_world import ways
from remit.record.secret import KNOWN_SECRETS
from remit.record.spelling import Spellings

pytestmark = pytest.mark.process

HERE: Final = "tests.test_figures_alone"
ASKED: Final = ContextVar("ASKED", default=0)
NUMBERS: Final = count()


@lru_cache
def number(_name: str) -> int:
    return next(NUMBERS)


def leave_traces(name: str) -> list[int]:
    """How many traces of other measurements there are; leaves one of each kind."""
    found = [len(KNOWN_SECRETS.spellings.replacements), "REMIT_TRACE" in os.environ, ASKED.get(), number(name)]
    KNOWN_SECRETS.add(f"env:{name}", f"value of {name}")
    os.environ["REMIT_TRACE"] = name
    ASKED.set(ASKED.get() + 1)
    return [int(each) for each in found]


def part_of(name: str) -> Part:
    """A part whose figure and whose mutant are missed if anything was measured before."""

    def measure(*, short: bool) -> Iterator[Figure]:
        yield no_violations(f"{name}.traces", sum(leave_traces(name)), 1, f"short: {short}")

    mutant = Mutant(
        figure=f"{name}.traces", defect="", plant=edited(f"{HERE}:leave_traces", "found = [", "found = [1, ")
    )
    return Part(measure, (mutant,))


@pytest.fixture(autouse=True)
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(program, "BUILD", tmp_path)
    monkeypatch.setattr(KNOWN_SECRETS, "spellings", Spellings())  # other tests of this process have registered theirs
    return tmp_path / "figures.json"


@pytest.mark.parametrize("order", list(permutations("abc")))
def test_a_figure_is_the_same_in_every_order_of_parts(
    order: tuple[str, ...], build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "PARTS", {name: part_of(name) for name in "abc"})
    assert program.main([*order]) == 0
    figures = json.loads(build.read_text())
    assert {name: (each["value"], each["killed"]) for name, each in figures.items()} == {
        **{f"{name}.traces": (0, 1) for name in "abc"},
        "figures.mutants_survived": (0, 0),
    }
    assert "REMIT_TRACE" not in os.environ


@pytest.mark.slow
def test_a_part_that_registers_secrets_does_not_change_the_figures_of_others(
    build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secrets, "ways", lambda: ways()[:4])  # each registers one
    monkeypatch.setattr(program, "PARTS", {"history": PARTS["history"], "secrets": Part(secrets.figures, ())})
    measured = list[object]()
    for names in (["history"], ["secrets", "history"]):
        assert program.main(["--short", *names]) == 0
        measured.append(json.loads(build.read_text())["history.invalid"])
    assert measured[0] == measured[1]


def test_values_come_as_they_are_made_and_a_failure_comes_with_its_traceback() -> None:
    def work() -> Iterator[int]:
        yield 1
        raise ValueError("the second one")

    values = run_alone(work)
    assert next(values) == 1
    with pytest.raises(RuntimeError, match="ValueError: the second one"):
        next(values)


def test_a_process_that_ends_by_itself_is_a_failure() -> None:
    def work() -> Iterator[int]:
        os._exit(7)
        yield 1

    with pytest.raises(RuntimeError, match="the process of the measurement ended with 7"):
        list(run_alone(work))


def test_a_measurement_has_a_fork_server_of_its_own() -> None:
    context = multiprocessing.get_context("forkserver")

    def run_process() -> int | None:
        process = context.Process(target=os.getpid)
        process.start()
        process.join()
        return process.exitcode

    assert [run_process(), *run_alone(lambda: [run_process()])] == [0, 0]
