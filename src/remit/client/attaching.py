"""Calls that attach: while such a call waits or its result is unread, repeating it returns the same run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from msgspec import Struct, structs

from remit.client.settling import POLL_SECONDS, find_lasting_rest, wait_until_settled
from remit.dispatch.registry import AnyCallee
from remit.engine.conversations import Conversations
from remit.engine.executor import RunExecutor
from remit.engine.outcome import ExecutionOutcome
from remit.engine.request import RunRequest, request_identity
from remit.engine.result import RunResult, result_of
from remit.engine.running import start_apart
from remit.errors import LeaseError, RequestConflictError, RequestError, RequestNotFoundError
from remit.journal.index import UNFINISHED_STATUSES
from remit.journal.ports import RunRow
from remit.journal.run_totals import RunTotals
from remit.record.arguments import Limits, content_digest
from remit.record.items import Position, RunOpened
from remit.views.receipt import FindContract


class CallAttacher(Struct, frozen=True, kw_only=True):
    """Makes calls that attach to the run of the same call. ``start`` executes a new run, ``resume`` one that exists."""

    conversations: Conversations
    executor: RunExecutor
    limits: Limits
    find_contract: FindContract
    create_header: Callable[[RunRequest], Awaitable[RunOpened]]
    start: Callable[[RunRequest, RunOpened], Coroutine[Any, Any, RunResult[Any]]]
    resume: Callable[[str], Coroutine[Any, Any, RunResult[Any]]]

    async def __call__(self, request: RunRequest) -> RunResult[Any]:
        """Make a call, or return the result or the questions of its run; see `Client.call`."""
        if request.idempotency_key:
            raise RequestError("a call has an idempotency_key or attach=True, not both; leave out one of them")
        header, store = await self.create_header(request), self.executor.store
        call = identify_call(request.callee, header, self.limits)
        while True:
            run = await store.attach_call(call, header.call)
            has_joined = run == header.call
            result = await self._join(request, call, structs.replace(header, call=run), has_joined=has_joined)
            if result is None:
                await store.detach_call(call, run)
                continue
            if result.status not in UNFINISHED_STATUSES:
                await self._mark_read(call, run)
            return result

    async def _join(
        self, request: RunRequest, call: str, header: RunOpened, *, has_joined: bool
    ) -> RunResult[Any] | None:
        """The questions or the outcome of the call's run, which is opened if it is new; None if it is another call's.

        A caller that has joined a run, by its own id or by waiting for it, makes no other, even if its result was read.
        """
        run = header.call
        while True:
            row = await self.executor.store.find_run(run)
            if row is None:
                result = await self._open(request, header)
            else:
                items = await self._read_own(request, call, run)
                if items is None and has_joined:
                    raise RequestNotFoundError(f"run {run} was erased while the call waited for its result")
                if items is None:
                    return None
                result = await self._continue(request, row, items)
            if result is not None:
                return result
            has_joined = True

    async def _open(self, request: RunRequest, header: RunOpened) -> RunResult[Any] | None:
        """Execute a new run under the call's id; None if another caller has opened it or is opening it.

        If it cannot be opened, the call keeps the id, under which another caller may be opening it now.
        """
        try:
            return await self._execute(header.call, self.start(request, header))
        except RequestConflictError:
            if await self.executor.store.find_run(header.call) is None:
                raise
            return None

    async def _read_own(self, request: RunRequest, call: str, run: str) -> list[Position] | None:
        """The items of the run; None if it was erased, or is another call's."""
        try:
            recorded, items = await self.conversations.read_run(run)
        except RequestNotFoundError:  # it was erased, or belongs to another application
            return None
        return items if identify_call(request.callee, recorded, self.limits) == call else None

    async def _continue(self, request: RunRequest, row: RunRow, items: list[Position]) -> RunResult[Any] | None:
        """The questions or the outcome of the call's run; None if neither is known yet."""
        rest = await find_lasting_rest(self.executor.store, row, self.executor.clock())
        if rest is None or row.status not in ("waiting", "stalled", "scheduled"):
            return await self._execute(row.run, self.resume(row.run))
        outcome = ExecutionOutcome(
            status=row.status,
            questions=rest.questions,
            retry_at=rest.due,
            reason=rest.reason,
            usage=RunTotals.of(items).usage(self.executor.prices),
            items=[each.item for each in items],
        )
        return result_of(row.run, request.callee, outcome, self.find_contract)

    async def _execute(self, run: str, execution: Coroutine[Any, Any, RunResult[Any]]) -> RunResult[Any] | None:
        """Execute a run in a separate task, which continues if the caller is cancelled.

        None if another executor holds it; this returns only after a pause or a change of the run.
        """
        try:
            return await asyncio.shield(start_apart(execution))
        except LeaseError:
            store = self.executor.store
            find_row, clock = lambda: store.find_run(run), self.executor.clock
            await wait_until_settled(store, run, find_row, clock, POLL_SECONDS)
            return None

    async def _mark_read(self, call: str, run: str) -> None:
        """Make the next identical call a new one. A caller that is cancelled during this has not read the result."""
        detaching = asyncio.ensure_future(self.executor.store.detach_call(call, run))
        try:
            await asyncio.shield(detaching)
        except asyncio.CancelledError:
            await detaching
            await self.executor.store.attach_call(call, run)
            raise


def identify_call(callee: AnyCallee, header: RunOpened, limits: Limits) -> str:
    """The identity of a call: its principal, the principal's limits, and the request."""
    limited = repr((header.started_by, header.tool_scope, header.permissions))
    owner = (header.tenant, header.application, header.principal, limited)
    return content_digest("attached", *owner, *request_identity(callee, header, limits))
