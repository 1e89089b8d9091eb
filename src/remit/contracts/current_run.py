"""The run that the current task executes, and its limits."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

from remit.contracts.arguments import Limits

CURRENT_RUN: Final[ContextVar[str]] = ContextVar("remit_driven_run", default="")
"""The id of the run whose call is being executed here; empty outside of every run."""

CURRENT_LIMITS: Final[ContextVar[Limits]] = ContextVar("remit_limits", default=Limits())  # noqa: B039 - immutable
"""The limits of that run."""
