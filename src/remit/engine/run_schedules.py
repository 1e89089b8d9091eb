"""Schedules calls from within a run: what a tool needs that has something done later."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import datetime
from typing import Final

from msgspec import Struct, structs

from remit.contracts.items import RunOpened
from remit.contracts.question import content_digest
from remit.engine.executor import RunExecutor
from remit.engine.schedule import Schedule, open_schedule
from remit.errors import ContractError, LeaseError, RequestError
from remit.journal.index import UNFINISHED_STATUSES
from remit.schemas.jsontext import compact_json


class SchedulingRun(Struct, frozen=True):
    """The run whose call is being executed, as far as calls that it schedules need it."""

    executor: RunExecutor
    header: RunOpened
    is_listed: Callable[[str], object]


CURRENT_SCHEDULING_RUN: Final[ContextVar[SchedulingRun | None]] = ContextVar("remit_scheduling_run", default=None)
"""The run of this task; None outside of every run, and in replays."""


class RunSchedules:
    """Schedules calls for the principal of the run that makes the call.

    Give it to the constructor of a class whose methods are tools. A scheduled call is a run of its own, for the target
    of the run that schedules it: an executor asks, as policy says, and makes it at its time, with the permissions that
    the principal has then.
    """

    def find_run(self, key: str) -> str:
        """The id of the run of a call that is scheduled under ``key``, in the tenant of the current run."""
        header = _current().header
        return content_digest("scheduled call", header.tenant, header.application, key)

    async def add(self, key: str, tool: str, arguments: Mapping[str, object], *, at: datetime) -> str:
        """Schedule a call of a tool, once for each ``key``, and return the id of its run.

        Raises:
            RequestError: the time has no zone, or is not in the years 1970 to 9998. ContractError: the application does
                not list the tool.
        """
        current, run = _current(), self.find_run(key)
        if not current.is_listed(tool):
            raise ContractError(f"{tool!r} cannot be scheduled: the application does not list it")
        opened = structs.replace(
            current.header,
            call=run,
            agent="",
            callee=tool,
            arguments=compact_json(dict(arguments)),
            conversation="",
            after="",
            queued=False,
            schedule="",
        )
        opened = open_schedule(opened, Schedule(at))
        if await current.executor.store.find_run(run) is None:
            with contextlib.suppress(RequestError, LeaseError):  # another attempt of the call was faster
                await current.executor.create_run(run, opened)
        return run

    async def cancel(self, run: str) -> None:
        """Withdraw a scheduled call, unless its run has ended."""
        current = _current()
        row = await current.executor.store.find_run(run)
        if row is not None and row.status in UNFINISHED_STATUSES:
            await current.executor.store.request_cancel(run, current.header.principal)

    def __repr__(self) -> str:
        return "RunSchedules()"


def _current() -> SchedulingRun:
    current = CURRENT_SCHEDULING_RUN.get()
    if current is None:
        raise ContractError("RunSchedules works within runs; outside of runs, use Client.schedule")
    return current
