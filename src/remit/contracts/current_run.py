"""The run that the current task executes."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

CURRENT_RUN: Final[ContextVar[str]] = ContextVar("remit_driven_run", default="")
"""The id of the run whose call is being executed here; empty outside of every run."""
