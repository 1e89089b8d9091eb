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
    """Data of the run for code deep in a call, which would otherwise need a parameter in every function above it.

    Attributes:
        run: its id; empty outside a run.
        limits: its limits; the defaults outside a run.
        artifacts: its artifacts; None outside a run.
        resolvers: the resolvers of its application, by kind.
        find_principal: finds the principal of a name and tenant as currently defined, None if there is none. Without a
            directory, what the runtime was told last counts. None outside a run.
        look_up: the directory of the runtime; None without one.
        read_prior_runs: reads the items of earlier runs of the conversation, newest first; None if nothing can be read.
        scheduling: the dependencies of calls that it schedules; None in a replay and outside a run.
        find_callee: finds what its application offers by a name; None if it offers nothing of that name.
        calls_around: the calls of open runs in whose bodies the current task is, outermost first.
    """

    run: str = ""
    limits: Limits = Limits()
    artifacts: CheckedArtifacts | None = None
    resolvers: Mapping[str, Callable[..., Any]] = MappingProxyType({})
    find_principal: Callable[[str, str], Principal | None] | None = None
    look_up: Callable[[str, str], Principal | None] | None = None
    read_prior_runs: Callable[[], AsyncIterator[Sequence[Item]]] | None = None
    scheduling: object = None
    find_callee: Callable[[str], Any] = lambda _name: None
    calls_around: tuple[Any, ...] = ()


CURRENT_RUN: Final[ContextVar[CurrentRun]] = ContextVar("remit_run", default=CurrentRun())  # noqa: B039 - immutable
"""The run that the current task executes, set by its root; outside a run, the defaults."""
