"""Opens and executes runs, and records decisions, for the principal that each call names."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any

from remit.agent.agent import Agent
from remit.agent.linking import UsedModels
from remit.approvals.service import DecisionOptions
from remit.client.attaching import CallAttacher, identify_call
from remit.client.following import RunEvent, follow_execution
from remit.client.open_run import OpenRun, OpenRunParts, check_open
from remit.client.opening import RunOpener, may_have_files
from remit.client.queueing import run_in_turn
from remit.client.settling import wait_until_settled
from remit.dispatch.registry import AnyCallee
from remit.engine.callees import ListedCallees
from remit.engine.conversations import Conversations
from remit.engine.given_history import make_given_items
from remit.engine.loosening import LOOSEN_PERMISSION
from remit.engine.open_root import OpenRoot
from remit.engine.open_runs import OpenRuns
from remit.engine.principals import PrincipalLookup
from remit.engine.request import CallOptions, Prompt, RunOptions, RunRequest, as_arguments, encode_metadata
from remit.engine.result import ReplayReport, RunResult
from remit.engine.root import RootCaller, RootExecutor, replay_run
from remit.engine.schedule import Schedule
from remit.engine.sharing import CANCEL_PERMISSION, check_right
from remit.errors import LeaseError, RequestConflictError, RequestError
from remit.journal.index import UNFINISHED_STATUSES
from remit.journal.ports import RunRow, Store
from remit.record.arguments import Arguments, Limits
from remit.record.items import OPEN_RUN, RunOpened
from remit.record.principal import Principal, check_principal
from remit.record.question import DecisionKind


class RunService:
    """The operations on runs that `Runtime` and `Client` share.

    It checks only the permissions to decide, loosen and cancel.
    """

    def __init__(
        self,
        opener: RunOpener,
        execute: RootExecutor,
        callees: ListedCallees[Agent],
        conversations: Conversations,
        principals: PrincipalLookup,
        used_models: UsedModels,
        store: Store,
        limits: Limits,
    ) -> None:
        self._opener = opener
        self._execute = execute
        self._call_root: RootCaller = execute.call_root
        self._callees = callees
        self._conversations = conversations
        self._principals = principals
        self._used_models = used_models
        self._store = store
        self._limits = limits
        self._open_runs = OpenRuns(execute, conversations, principals)
        self._open_parts = OpenRunParts(self._open_runs, callees.find, limits)
        self._attach = CallAttacher(
            conversations=conversations,
            executor=execute.executor,
            limits=limits,
            find_contract=execute.call_root.dispatcher.find,
            create_header=opener.create_header,
            start=self._start,
            resume=self.resume,
        )

    async def run(self, prompt: Prompt, by: Principal, agent: str | Agent, options: RunOptions) -> RunResult[Any]:
        """Run an agent; see `Runtime.run`."""
        return await self._start(await self._opener.request_run(prompt, by, agent, options))

    async def stream(self, prompt: Prompt, by: Principal, options: RunOptions) -> AsyncGenerator[RunEvent]:
        """Run an agent and follow the run; see `Runtime.stream`."""
        request = await self._opener.request_run(prompt, by, options.get("agent", ""), options)
        header = await self._opener.create_header(request)
        async with contextlib.aclosing(
            follow_execution(self._store, header.call, self._start(request, header))
        ) as events:
            async for event in events:
                yield event

    async def submit(self, prompt: Prompt, by: Principal, agent: str | Agent, options: RunOptions) -> str:
        """Open a run of an agent; see `Runtime.submit`."""
        request = await self._opener.request_run(prompt, by, agent, options, is_stored=True)
        check = partial(self._used_models.check_settings, request.callee)
        return (await self._opener.store_once(request, check)).call

    async def call(
        self, callee: AnyCallee, by: Principal, args: Any, kwargs: Any, *, conversation: str = "", target: str = ""
    ) -> RunResult[Any]:
        """Call a tool with the arguments of its function; see `Runtime.call`."""
        self._callees.resolve(callee)
        check_principal("by", by)
        arguments = callee.build_arguments(*args, **kwargs)
        request = self._opener.request_call(callee, arguments, by, conversation=conversation, target=target)
        return await self._start(request)

    async def call_by_name(
        self,
        name: str,
        arguments: Arguments | Mapping[str, object] | str,
        by: Principal,
        options: CallOptions,
        schedule: Schedule | None = None,
        *,
        attach: bool = False,
    ) -> RunResult[Any]:
        """Call a tool by its name; see `Runtime.call_by_name`, and for ``attach`` `Client.call`."""
        callee, given = self._callees.find(name), as_arguments(name, arguments, self._limits)
        kept: dict[str, Any] = {**options, "metadata": encode_metadata(options.get("metadata"))}
        request = self._opener.request_call(callee, given, by, schedule=schedule, **kept)
        return await (self._attach(request) if attach else self._start(request))

    async def detach(self, run: str) -> None:
        """Make the next call that is the same as that of ``run`` a new one; see `Client.detach`."""
        header, _ = await self._conversations.read_run(run)
        call = identify_call(self._callees.find(header.callee), header, self._limits)
        await self._store.detach_call(call, run)

    def open_run(self, by: Principal, options: CallOptions, idle_seconds: float) -> OpenRun:
        """A new open run; see `Client.open_run`."""

        async def open_it() -> RunOpened:
            kept: dict[str, Any] = {**options, "metadata": encode_metadata(options.get("metadata"))}
            root = OpenRoot()
            request = self._opener.request_call(root, root.build_arguments(), by, **kept)
            header = await self._opener.store_once(request)
            if request.idempotency_key:
                await self._refuse_ended(header.call)
            return header

        return OpenRun(self._open_parts, by, open_it, idle_seconds)

    def reopen_run(self, by: Principal, find_row: Callable[[], Awaitable[RunRow]], idle_seconds: float) -> OpenRun:
        """The open run of a row, for its principal; see `Client.open_run`."""

        async def find() -> RunOpened:
            header, _ = await self._conversations.read_run((await find_row()).run)
            return check_open(header)

        return OpenRun(self._open_parts, by, find, idle_seconds)

    async def decide(
        self, question: str, *, approved: bool, by: Principal, kind: DecisionKind, details: DecisionOptions
    ) -> str | None:
        """Decide a question; see `Runtime.decide`."""
        return await self._opener.decide(question, approved=approved, by=by, kind=kind, **details)

    async def check_decision(
        self, question: str, *, approved: bool, by: Principal, kind: DecisionKind, details: DecisionOptions
    ) -> None:
        """Refuse a decision that could not be made now; see `Client.check_decision`."""
        await self._opener.decisions.check_decision(question, approved=approved, by=by, kind=kind, **details)

    async def earliest_expiry(self, run: str) -> float | None:
        """The earliest expiry of the open questions of a run; see `Runtime.earliest_expiry`."""
        return await self._opener.decisions.earliest_expiry(run)

    async def resume(self, run: str, release_requested: asyncio.Event | None = None) -> RunResult[Any]:
        """Execute a run again; see `Runtime.resume`."""
        header, items = await self._conversations.read_run(run)
        if header.callee == OPEN_RUN:
            return await self._open_runs.resume(run, release_requested)
        callee, owner = self._callees.find(header.callee), self._principals.owner(header)
        return await self._execute(run, callee, header, owner, known_items=items, release_requested=release_requested)

    async def wait_until_settled(
        self, run: str, find_row: Callable[[], Awaitable[RunRow]], seconds: float, poll_seconds: float
    ) -> None:
        """Wait until a run has ended or rests; see `Client.settled`."""
        await wait_until_settled(self._store, run, find_row, self._execute.executor.clock, seconds, poll_seconds)

    async def loosen(self, run: str, *, without: Iterable[str], by: Principal, reason: str) -> None:
        """Let a run continue without the terms that this process lacks; see `Runtime.loosen`."""
        header, _ = await self._conversations.read_run(run)
        check_right(by, header, LOOSEN_PERMISSION, "loosen")
        await self._execute.loosen(header, without=without, by=by, reason=reason)

    async def cancel(self, run: str, by: Principal) -> RunResult[Any] | None:
        """Cancel a run; see `Runtime.cancel`."""
        header, items = await self._conversations.read_run(run)
        check_right(by, header, CANCEL_PERMISSION, "cancel", is_for_owner=True)
        await self._store.request_cancel(run, by.name)
        callee = self._open_runs.root(run) if header.callee == OPEN_RUN else self._callees.find(header.callee)
        with contextlib.suppress(LeaseError):
            return await self._execute(run, callee, header, by, known_items=items, stopping=True)
        return None

    async def replay(self, run: str) -> ReplayReport:
        """Execute a run with all answers from its journal; see `Runtime.replay`."""
        return await replay_run(run, self._conversations, self._callees, self._call_root)

    async def history(self, run: str) -> list[str]:
        """The chat history up to the end of a run; see `Runtime.history`."""
        return await self._conversations.messages(run)

    async def _refuse_ended(self, run: str) -> None:
        """Refuse the open run of an idempotency key that takes no more calls.

        Raises:
            RequestConflictError: says how to open another one.
        """
        row = await self._store.find_run(run)
        if row is not None and row.status not in UNFINISHED_STATUSES:
            raise RequestConflictError(
                f"the run of this idempotency_key, {run}, has ended ({row.status}); give open_run a new key, or "
                f"run_id={run!r} to repeat calls that the run made"
            )

    async def _start(self, request: RunRequest, header: RunOpened | None = None) -> RunResult[Any]:
        """Execute the run of a request: a new one, or the one that the same request opened before."""
        header = header or await self._opener.create_header(request)
        if not await self._opener.is_repeated(request):
            await self._used_models.check(request.callee)
        try:
            if request.when_busy == "queue" or request.carries is not None:
                header = await self._opener.store_run(request, header.call)
                return await run_in_turn(header, self.resume, self._conversations, self._store)
            store_files = partial(self._opener.store_files, request)  # nothing of a refused request is stored
            before = store_files if may_have_files(request) else None
            by = self._principals.owner(header) if header.started_by else request.principal
            given = make_given_items(header, request.history.texts) if request.history.texts else ()
            return await self._execute(header.call, request.callee, header, by, following=given, before=before)
        except RequestError:
            if not await self._opener.is_repeated(request):
                raise
        await self._opener.check_repeated(request, header)
        return await self.resume(header.call)
