"""The run that the current task executes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from remit.record.arguments import Limits
from remit.record.artifact import CheckedArtifacts
from remit.record.items import Item
from remit.record.principal import Principal


class CurrentRun(Struct, frozen=True):
    """What code deep in a call needs of the run, without a parameter through every function above it.

    Attributes:
        run: its id; empty outside of every run.
        limits: its limits; the default ones outside of every run.
        artifacts: its artifacts; None outside of every run.
        resolvers: the resolvers of its application, by kind.
        find_principal: finds the principal of a name and tenant as currently defined, None if there is none; None
            without a directory.
        read_prior_runs: reads the items of the runs before it in its conversation, newest first; None where nothing
            can be read.
        scheduling: what calls that it schedules need; None in a replay, and outside of every run.
    """

    run: str = ""
    limits: Limits = Limits()
    artifacts: CheckedArtifacts | None = None
    resolvers: Mapping[str, Callable[..., Any]] = MappingProxyType({})
    find_principal: Callable[[str, str], Principal | None] | None = None
    read_prior_runs: Callable[[], AsyncIterator[Sequence[Item]]] | None = None
    scheduling: object = None


CURRENT_RUN: Final[ContextVar[CurrentRun]] = ContextVar("remit_run", default=CurrentRun())  # noqa: B039 - immutable
