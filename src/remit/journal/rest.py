"""What a resting run waits for, read from its items."""

from collections.abc import Iterable
from typing import NamedTuple

from remit.record.items import Item, RunScheduled, RunStalled, RunSuspended


class Rest(NamedTuple):
    """What a run waits for.

    It waits for ``questions`` (ids), and continues automatically at ``due`` (epoch seconds; 0 if it does not). A
    stalled run has a ``reason``, and ``lacks`` what it was opened under and this process does not have, by name.
    """

    questions: tuple[str, ...] = ()
    due: float = 0.0
    reason: str = ""
    lacks: tuple[str, ...] = ()


def find_rest(items: Iterable[Item]) -> Rest:
    """Where a run came to rest last; an empty one if it never did."""
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
