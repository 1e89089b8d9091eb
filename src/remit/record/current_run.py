"""The run that the current task executes, and its limits."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextvars import ContextVar
from typing import Final

from remit.record.arguments import Limits
from remit.record.items import Item
from remit.record.principal import Principal

CURRENT_RUN: Final[ContextVar[str]] = ContextVar("remit_driven_run", default="")
"""The id of the run whose call is being executed here; empty outside of every run."""

CURRENT_LIMITS: Final[ContextVar[Limits]] = ContextVar("remit_limits", default=Limits())  # noqa: B039 - immutable
"""The limits of that run."""

CURRENT_DIRECTORY: Final[ContextVar[Callable[[str, str], Principal | None] | None]] = ContextVar(
    "remit_directory", default=None
)
"""Finds the principal of a name and tenant as currently defined, None if there is none; None without a directory."""

CURRENT_PRIOR_RUNS: Final[ContextVar[Callable[[], AsyncIterator[Sequence[Item]]] | None]] = ContextVar(
    "remit_prior_runs", default=None
)
"""Reads the items of the runs before that run in its conversation, newest first; None where nothing can be read."""
