"""Tools that have changed since a run called them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from remit.call.contract import Contract, definition_digest
from remit.record.items import AttemptStarted, Item


def has_changed_since(attempt: AttemptStarted, tool: Contract | None) -> bool:
    """Whether a tool has another definition than when the attempt started. False if either is not known."""
    return bool(attempt.definition) and tool is not None and attempt.definition != definition_digest(tool)


def find_changed_tools(items: Iterable[Item], find_contract: Callable[[str], Contract | None]) -> tuple[str, ...]:
    """The names of the tools that have changed since the calls in ``items`` started, sorted."""
    started = (each for each in items if isinstance(each, AttemptStarted))
    return tuple(sorted({each.callee for each in started if has_changed_since(each, find_contract(each.callee))}))
