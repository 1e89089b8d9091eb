"""Periodic work while a run executes."""

from __future__ import annotations

import asyncio
import contextlib
import math
from typing import Final

from remit.errors import JournalError, LeaseError
from remit.journal.ports import Store

CANCEL_POLL_SECONDS: Final = 1.0
"""The seconds between two checks of an executing run's inbox."""


class RunKeeper:
    """Renews the lease of an executing run three times in ``lease_seconds``, and looks into the run's inbox.

    It has no task of its own: the task that waits for the execution calls it.
    """

    def __init__(self, store: Store, run: str, epoch: int, lease_seconds: float) -> None:
        self._store = store
        self._run = run
        self._epoch = epoch
        self._lease_seconds = lease_seconds
        self._now = asyncio.get_running_loop().time
        now = self._now()
        self._renew_at = now + lease_seconds / 3
        self._look_at = now + CANCEL_POLL_SECONDS

    def seconds_until_due(self) -> float:
        """The seconds until work is due; always above 0, so that a rounded clock advances."""
        return max(0.001, min(self._renew_at, self._look_at) - self._now())

    async def is_cancel_requested(self) -> bool:
        """Do the work that is due. Returns whether the run is to be cancelled. Failures of the store are retried."""
        if self._now() >= self._renew_at:
            self._renew_at = self._now() + self._lease_seconds / 3
            try:
                await self._store.renew(self._run, self._epoch, self._lease_seconds)
            except LeaseError:  # another executor has the run, and refuses the next item of this one
                self._renew_at = math.inf
            except JournalError:
                pass
        if self._now() >= self._look_at:
            self._look_at = self._now() + CANCEL_POLL_SECONDS
            with contextlib.suppress(JournalError):
                return bool(await self._store.cancel_requested_by(self._run))
        return False
