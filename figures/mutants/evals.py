"""Mutants of the figures about what models read in the tasks of the CMS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from figures.evals import TASKS, find_reads, judge_offers, judge_reading
from figures.figure import Figure
from figures.mutants.mutant import edited, mutants_of
from remit.evals.task import load_tasks

_AHEAD: Final = "remit.agent.ahead"


def measure_reading() -> Iterator[Figure]:
    """The figure of what is read."""
    yield from judge_reading([task for task in load_tasks([TASKS]) if find_reads(task)])


def measure_offers() -> Iterator[Figure]:
    """The figures of what is offered."""
    yield from judge_offers(load_tasks([TASKS]))


_READING: Final = "remit_cms.pages.reading:show_page"

MUTANTS: Final = (
    *mutants_of(
        "evals.tokens_read",
        {
            "fields without a value are shown": edited("remit_cms.models:is_none", "value is None", "False"),
            "a page gives its sections twice, in short and whole": edited(
                _READING, "sections=[*shown.rows]", "sections=[*shown.rows, *outlines, *whole]"
            ),
            "the message of a read repeats what is read": edited(
                _READING, "shown.summarize(message)", "shown.summarize(message + repr(view))"
            ),
        },
        measure_reading,
    ),
    *mutants_of(
        "tools.ahead_needed",
        {
            "a tool is offered although one above fits as well": edited(
                f"{_AHEAD}:choose_ahead", "shared - covered - (set() if of_names else covered_by_name)", "shared"
            ),
            "all that a ranking has found is offered": edited(
                f"{_AHEAD}:choose_ahead", "is_asked and adds", "is_asked"
            ),
            "a tool is offered although one that is always shown fits as well": edited(
                f"{_AHEAD}:choose_ahead", "adds and not any(shared <= each for each in shown)", "adds"
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
