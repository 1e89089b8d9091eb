"""The order of calls in a replay, which must be the recorded one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from remit.errors import DivergedError, Suspended
from remit.record.items import CallItem, Item, Position, ToolOutput

_SIBLING_TURNS: Final = 10
"""Turns of the event loop within which a body makes its concurrent calls, including those in nested groups."""


class ReplayedCalls:
    """Checks that calls are made in the recorded order. ``items`` are the run's items by call."""

    def __init__(
        self, history: Sequence[Position], items: Mapping[str, Sequence[Item]], *, was_cancelled: bool
    ) -> None:
        self._items_by_call = items
        self._was_cancelled = was_cancelled
        self._first_seq_by_call: dict[str, int] = {}
        self._outputs_by_parent: dict[str, list[tuple[int, str, str]]] = {}
        self._claimed_calls: set[str] = set()
        parents: dict[str, str] = {}
        for position in history:
            item = position.item
            self._first_seq_by_call.setdefault(item.call, position.seq)
            if isinstance(item, CallItem):
                parents[item.call] = item.parent
            if isinstance(item, ToolOutput):
                self._outputs_by_parent.setdefault(item.parent, []).append((position.seq, item.call, item.callee))
        for call, seq in list(self._first_seq_by_call.items()):
            parent = parents.get(call, "")
            # a composed call begins with its first call
            while parent and seq < self._first_seq_by_call.get(parent, seq + 1):
                self._first_seq_by_call[parent] = seq
                parent = parents.get(parent, "")
        for ends in self._outputs_by_parent.values():
            ends.reverse()

    def claim(self, parent: str, call: str) -> bool:
        """Return False: `wait` checks the order of every call."""
        self._claimed_calls.add(call)
        return False

    async def wait(self, parent: str, call: str, is_busy: Callable[[], bool]) -> None:
        """Check the order: calls that had ended before this one began must have been made before it.

        Raises:
            DivergedError: the call is made too early or in place of another one.
            Suspended: the run was cancelled before this call began.
        """
        if self._was_cancelled and call not in self._items_by_call:
            await self._raise_unrecorded_call(parent)
        ended = self._find_earlier_end(parent, call)
        for _ in range(_SIBLING_TURNS if ended else 0):
            await asyncio.sleep(0)  # calls that began together with this one may have ended before its first item
            ended = self._find_earlier_end(parent, call)
        if ended:
            raise DivergedError(f"a call of {parent[:8]} comes before {ended}, but the journal records {ended} first")

    def _find_earlier_end(self, parent: str, call: str) -> str:
        """The callee of a call that ended before the first item of ``call`` but was not made yet; empty if none."""
        ends = self._outputs_by_parent.get(parent)
        while ends and ends[-1][1] in self._claimed_calls:
            ends.pop()
        is_late = ends and call in self._items_by_call and ends[-1][0] < self._first_seq_by_call[call]
        return ends[-1][2] if ends and is_late else ""

    async def _raise_unrecorded_call(self, parent: str) -> None:
        """End an unrecorded call of a cancelled run: with `Suspended` once all recorded calls have been made."""
        await asyncio.sleep(0)  # let concurrent calls be made first
        other = next(
            (callee for _, call, callee in self._outputs_by_parent.get(parent, ()) if call not in self._claimed_calls),
            None,
        )
        if other is None:
            raise Suspended
        raise DivergedError(f"a call of {parent[:8]} is not in the journal, which records {other} in its place")

    def expects(self, parent: str) -> bool:
        """Whether the journal records calls of the body of ``parent`` that it has not made yet."""
        return any(call not in self._claimed_calls for _, call, _ in self._outputs_by_parent.get(parent, ()))

    def finish(self, parent: str) -> None:
        """Do nothing: calls that were not made are found at the end of the replay."""
