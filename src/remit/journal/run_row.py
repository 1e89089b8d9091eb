"""The index row of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RunStatus = Literal["queued", "running", "open", "waiting", "stalled", "scheduled", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """The index row of a run. Times are seconds since the epoch; ``ended`` is 0 until the run has ended.

    ``erased`` is 1 if the header, and with it the run's subject, was erased.
    """

    run: str
    status: RunStatus
    tenant: str
    principal: str
    application: str
    agent: str
    callee: str
    conversation: str
    after: str
    opened: float
    ended: float
    target: str = ""
    erased: int = 0
