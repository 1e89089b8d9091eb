"""Reads from a run's items what the run waits for at rest."""

from collections.abc import Iterable
from typing import NamedTuple

from remit.record.items import Item, RunScheduled, RunStalled, RunSuspended


class Rest(NamedTuple):
    """The conditions under which a resting run continues.

    It waits for ``questions`` (ids), and continues automatically at ``due`` (epoch seconds; 0 for never). A stalled run
    has a ``reason``; ``lacks`` names the terms of the run that this process does not have.
    """

    questions: tuple[str, ...] = ()
    due: float = 0.0
    reason: str = ""
    lacks: tuple[str, ...] = ()


def find_rest(items: Iterable[Item]) -> Rest:
    """Find the last rest of a run; an empty one if it never rested."""
    rest = Rest()
    for item in items:
        match item:
            case RunSuspended(questions=questions):
                rest = Rest(questions)
            case RunStalled(questions=questions, retry_at=due, reason=reason, lacks=lacks):
                rest = Rest(questions, due, reason, lacks)
            case RunScheduled(at=due):
                rest = Rest(due=due)
            case _:
                pass
    return rest
