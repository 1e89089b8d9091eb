"""Schedules calls from within a run, for tools that defer work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime

from msgspec import Struct, structs

from remit.dispatch.by_name import encode_arguments
from remit.dispatch.context import caller_of_runs
from remit.engine.executor import RunExecutor
from remit.engine.loosening import FindTerms, pin_terms
from remit.engine.schedule import Schedule, open_schedule
from remit.engine.started_runs import with_cage
from remit.engine.visible_runs import VisibleRuns
from remit.errors import (
    ContractError,
    DeniedError,
    InvalidArgumentsError,
    LeaseError,
    NotFoundError,
    RequestConflictError,
    RequestError,
)
from remit.journal.index import UNFINISHED_STATUSES
from remit.record.arguments import content_digest
from remit.record.current_run import CURRENT_RUN
from remit.record.items import RunOpened
from remit.record.principal import Caller
from remit.shown import show_id


class SchedulingRun(Struct, frozen=True):
    """The parts of the current run that the calls it schedules need."""

    executor: RunExecutor
    header: RunOpened
    is_listed: Callable[[str], object]
    find_terms: FindTerms


class RunSchedules:
    """Schedules calls for the principal of the run that makes the call.

    Give it to the constructor of a class whose methods are tools. A scheduled call is a separate run for the target of
    the scheduling run. An executor asks the questions of the policy, and makes the call at its time with the
    principal's permissions at that time. The tool scope and the permissions of the agents above the scheduling call
    also bind the scheduled call, and the layers of the agent wrap it.
    """

    def find_run(self, key: str) -> str:
        """The id of the run of the call scheduled under ``key``, for the tenant and target of the current run."""
        header = _current().header
        return content_digest("scheduled call", header.tenant, header.application, header.target, key)

    async def add(self, key: str, tool: str, arguments: Mapping[str, object], *, at: datetime) -> str:
        """Schedule a call of a tool, once for each ``key``, and return the id of its run.

        Raises:
            RequestError: the time has no zone, or is not in the years 1970 to 9998, or another person has scheduled a
                call under this key. ContractError: the application does not list the tool. DeniedError: it is outside
                the tool scope. InvalidArgumentsError: the arguments cannot be journaled.
        """
        current, caller, run = _current(), _current_caller(), self.find_run(key)
        if not current.is_listed(tool):
            raise ContractError(f"{tool!r} cannot be scheduled: the application does not list it")
        if caller.tool_scope is not None and tool not in caller.tool_scope:
            raise DeniedError(f"{tool} cannot be scheduled: an agent above does not let its calls reach it")
        encoded = encode_arguments(tool, arguments, CURRENT_RUN.get().limits)
        if encoded.error:
            raise InvalidArgumentsError(f"{tool}: {encoded.error}")
        opened = structs.replace(
            current.header,
            call=run,
            callee=tool,
            arguments=encoded.raw,
            conversation="",
            after="",
            queued=False,
            carries="",
            schedule="",
        )
        pinned = pin_terms(with_cage(opened, caller), current.find_terms, cause=current.header)
        opened = open_schedule(pinned, Schedule(at))
        row = await current.executor.store.find_run(run)
        if row is None:
            try:
                await current.executor.create_run(run, opened)
            except (RequestError, LeaseError):  # another attempt of the call, or another person, was faster
                row = await current.executor.store.find_run(run)
        if row is not None and row.principal != opened.principal:
            raise RequestConflictError(f"another person has scheduled a call under the key {key!r}; use another key")
        return run

    async def cancel(self, run: str) -> None:
        """Withdraw a scheduled call, unless its run has ended.

        Raises:
            NotFoundError: there is no such run for this target that the principal may cancel; see `Client.cancel`.
        """
        store, header, caller = _current().executor.store, _current().header, _current_caller()
        try:
            person = replace(caller.principal, allowed=None)  # a body may do what its tool is for, with a token too
            row = await VisibleRuns(store, person, application=header.application).cancellable(run)
        except RequestError:
            row = None
        if row is None or row.target != caller.target:
            raise NotFoundError(f"run {show_id(run)} does not exist")
        if row.status in UNFINISHED_STATUSES:
            await store.request_cancel(run, header.principal)

    def __repr__(self) -> str:
        return "RunSchedules()"


def _current() -> SchedulingRun:
    current = CURRENT_RUN.get().scheduling
    if not isinstance(current, SchedulingRun):
        raise ContractError("RunSchedules works within runs; outside of runs, use Client.schedule")
    return current


def _current_caller() -> Caller:
    caller = caller_of_runs()
    if caller is None:
        raise ContractError("RunSchedules works within the bodies of calls, not in layers, gates and previews")
    return caller
