"""The calls of a run before the present one, as rules read them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from remit.record.items import AttemptStarted, CallEntered, ToolOutput

_KEPT: Final = 2
"""How many of the latest calls are kept: the call that is judged may be the latest of them."""


CallEdge: TypeAlias = AttemptStarted | CallEntered | ToolOutput
"""An item with which a call begins or ends."""


class PastCall(NamedTuple):
    """A call before, and when it began or succeeded, in seconds since the epoch."""

    call: str
    at: float


class PastCalls:
    """The latest calls of a run that have begun, in flight included, and that have succeeded, by callee.

    It is a fold of the run's items. ``unread`` are those that it has yet to read; the run's ledger adds to them.
    """

    def __init__(self, unread: list[tuple[CallEdge, float]]) -> None:
        self._unread = unread
        self._begun: dict[str, tuple[PastCall, ...]] = {}
        self._succeeded: dict[str, tuple[PastCall, ...]] = {}
        self._latest_uses: dict[tuple[str, str], float | None] = {}

    def latest(self, callees: Iterable[str], *, but: str, only_succeeded: bool) -> PastCall | None:
        """The latest call of these callees that has begun, or succeeded, except the call ``but``; None if none has."""
        self._read()
        known = self._succeeded if only_succeeded else self._begun
        found = [each for callee in callees for each in known.get(callee, ()) if each.call != but]
        return max(found, key=lambda each: each.at, default=None)

    def _read(self) -> None:
        for item, at in self._unread:
            if not isinstance(item, ToolOutput):
                _keep(self._begun, item.callee, PastCall(item.call, at))
            elif item.outcome == "ok":
                _keep(self._succeeded, item.callee, PastCall(item.call, at))
        self._unread.clear()

    def put_latest_use(self, subject: str, call: str, at: float | None) -> None:
        """Keep when a subject was last used in any run, as the store said for ``call``."""
        self._latest_uses[subject, call] = at

    def knows(self, subject: str, call: str) -> bool:
        """Whether the store was asked about a subject for ``call``."""
        return (subject, call) in self._latest_uses

    def latest_use(self, subject: str, call: str) -> float | None:
        """When a subject was last used in any run; None for never."""
        return self._latest_uses[subject, call]


def _keep(known: dict[str, tuple[PastCall, ...]], callee: str, call: PastCall) -> None:
    others = tuple(each for each in known.get(callee, ()) if each.call != call.call)
    known[callee] = (*others, call)[-_KEPT:]
