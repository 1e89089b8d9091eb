"""The open runs that this process executes."""

from __future__ import annotations

import asyncio
from itertools import count

from remit.engine.open_calls import OpenCalls


class ExecutingRuns:
    """The open runs that this process executes with any version of the application. Nothing is kept of a resting run.

    Each event loop has its own, so that runs are shared between loops like between processes: by their leases.
    """

    def __init__(self) -> None:
        self._by_loop = dict[asyncio.AbstractEventLoop, dict[str, OpenCalls]]()
        self._versions = count()

    def next_version(self) -> int:
        """A number for another version of the application."""
        return next(self._versions)

    def of_this_loop(self) -> dict[str, OpenCalls]:
        """The runs that the current event loop executes."""
        loop = asyncio.get_running_loop()
        found = self._by_loop.get(loop)
        if found is None:
            for each in [*self._by_loop]:
                if each.is_closed():
                    self._by_loop.pop(each, None)
            found = self._by_loop[loop] = {}
        return found

    def forget(self, calls: OpenCalls) -> None:
        """Record that a run rests or has ended."""
        loop = calls.ended.get_loop()
        self._by_loop.get(loop, {}).pop(calls.run, None)
        if not loop.is_closed():
            calls.ended.set_result(None)
