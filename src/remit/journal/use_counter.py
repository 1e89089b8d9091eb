"""What calls use of windows over several runs: the port and its in-memory store."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from remit.record.uses import Use, UseRefusal, UseRequest, counts_after

MARKS_KEPT: Final = 2
"""How many uses of a subject are kept of which only the latest is read: it may be the reader's own."""


class UseCounter(Protocol):
    """Uses of windows whose subjects have more than one run, counted over all processes that share the store."""

    async def reserve_uses(self, run: str, call: str, requests: Sequence[UseRequest]) -> UseRefusal | None:
        """Reserve all of what a call would use, by the store's clock, or nothing; return what does not fit.

        What the call has reserved of a subject before is replaced. Uses that no longer count are dropped. Of a request
        without a limit (``inf``) and without an end, only the latest uses are kept.
        """
        ...

    def release_uses(self, run: str, call: str, subjects: Sequence[str]) -> asyncio.Future[None]:
        """Return what a call has reserved of subjects, because it ended without having begun."""
        ...

    async def latest_use(self, subject: str, run: str, call: str) -> float | None:
        """When a subject was last used, other than by this call of this run; None for never."""
        ...


def keeps_only_latest(request: UseRequest) -> bool:
    """Whether a request only marks that something was used, so that earlier uses are not needed."""
    return request.limit == math.inf and request.every is None


class UsesInMemory:
    """The uses of a store in memory: by subject, what each call has reserved."""

    _clock: Callable[[], float]

    def __init__(self) -> None:
        self._uses: dict[str, dict[tuple[str, str], Use]] = {}

    async def reserve_uses(self, run: str, call: str, requests: Sequence[UseRequest]) -> UseRefusal | None:
        """Reserve all of what a call would use, or nothing; return what does not fit."""
        now = self._clock()
        for request in requests:
            uses = self._find_counted(request, now)
            used = math.fsum(use.amount for key, use in uses.items() if key != (run, call))
            if not request.fits(used):
                return UseRefusal(request, used)
        for request in requests:
            uses = self._uses[request.subject]
            uses.pop((run, call), None)
            uses[run, call] = Use(now, request.amount)
        return None

    def _find_counted(self, request: UseRequest, now: float) -> dict[tuple[str, str], Use]:
        """The uses of a subject that still count, which are the only ones that are kept."""
        since = counts_after(request.every, now)
        known = self._uses.get(request.subject, {})
        kept = [*known.items()][-MARKS_KEPT:] if keeps_only_latest(request) else known.items()
        uses = self._uses[request.subject] = {key: use for key, use in kept if use.at > since}
        return uses

    def release_uses(self, run: str, call: str, subjects: Sequence[str]) -> asyncio.Future[None]:
        """Return what a call has reserved of subjects."""
        for subject in subjects:
            self._uses.get(subject, {}).pop((run, call), None)
        released: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        released.set_result(None)
        return released

    async def latest_use(self, subject: str, run: str, call: str) -> float | None:
        """When a subject was last used, other than by this call of this run; None for never."""
        uses = self._uses.get(subject, {})
        return max((use.at for key, use in uses.items() if key != (run, call)), default=None)
