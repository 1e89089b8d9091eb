"""Mutants of the figures about what models read in the tasks of the CMS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from figures.evals import TASKS, judge_offers
from figures.figure import Figure
from figures.mutants.mutant import edited, mutants_of
from remit.evals.task import load_tasks

_AHEAD: Final = "remit.agent.ahead"


def measure_offers() -> Iterator[Figure]:
    """The figures of what is offered."""
    yield from judge_offers(load_tasks([TASKS]))


MUTANTS: Final = (
    *mutants_of(
        "tools.ahead_needed",
        {
            "a tool is offered although one above fits as well": edited(
                f"{_AHEAD}:choose_ahead", "bool(shared - covered)", "bool(shared)"
            ),
            "all that a ranking has found is offered": edited(
                f"{_AHEAD}:choose_ahead", "is_asked and adds", "is_asked"
            ),
            "tools that are always shown are offered too": edited(
                f"{_AHEAD}:choose_ahead", "name not in always", "True"
            ),
        },
        measure_offers,
    ),
    *mutants_of(
        "tools.ahead_found",
        {
            "only tools of high risk are offered": edited(
                f"{_AHEAD}:choose_ahead", "name not in high_risk or", "name in high_risk and"
            ),
        },
        measure_offers,
    ),
)
