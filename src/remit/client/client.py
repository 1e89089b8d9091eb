"""A client of a runtime for one principal, limited to the permissions of this principal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypedDict, Unpack

from pydantic import PositiveFloat

from remit.agent.agent import Agent
from remit.app import App
from remit.approvals.policy import DEFAULT_POLICY
from remit.approvals.service import DecisionOptions, GrantService
from remit.call.contract import Contract
from remit.call.entity import Entity
from remit.call.observing import await_callback
from remit.client.open_run import IDLE_SECONDS, OpenRun
from remit.client.policy_reader import PolicyReader
from remit.client.reader import RunDetails
from remit.client.run_service import RunService
from remit.client.settling import POLL_SECONDS
from remit.client.tools import ToolInfo, list_tools
from remit.core.call_checks import check_typed_calls
from remit.core.checks import as_tuple_of
from remit.dispatch.dispatcher import Dispatcher
from remit.dispatch.registry import AnyCallee
from remit.engine.artifacts import ArtifactService
from remit.engine.checks import ToolName
from remit.engine.loosening import LOOSEN_PERMISSION
from remit.engine.request import CallOptions, Prompt, RunOptions
from remit.engine.result import ReplayReport, RunId, RunResult
from remit.engine.schedule import Missed, Schedule
from remit.engine.sharing import CANCEL_PERMISSION
from remit.errors import RequestDeniedError, RequestError, SetupError
from remit.journal.ports import RunRow, RunStatus, Store
from remit.record.artifact import Artifact
from remit.record.grant import Grant
from remit.record.items import Item
from remit.record.principal import Principal
from remit.record.question import DecisionKind
from remit.record.target import as_target
from remit.record.usage import Prices


class GrantOptions(TypedDict, total=False):
    """Details of a grant: see `Runtime.grants`."""

    arguments: str
    who: str
    reason: str
    target: str
    idempotency_key: str


class _Runtime(Protocol):
    """The parts of a `Runtime` that a client needs."""

    app: App
    store: Store
    artifacts: ArtifactService
    grants: GrantService
    dispatcher: Dispatcher
    tools: Sequence[AnyCallee]
    runs: RunService


@check_typed_calls(RequestError)
class Client(PolicyReader):
    """A runtime for one principal, made by `Runtime.client`. Applications that serve people use nothing else.

    All methods act as ``principal``, within the tenant of the principal and the application of the runtime. Objects
    that the principal may not see do not exist: see `RunReader`. ``runs:read`` lets a principal read the runs of
    others of the tenant and resume them, ``runs:cancel`` cancel them; both may name targets (``runs:read@bakery/*``).
    """

    def __init__(self, runtime: _Runtime, principal: Principal, *, application: str, prices: Prices) -> None:
        super().__init__(runtime.store, principal, application=application, prices=prices)
        self._runtime = runtime
        self._find_contract = self.contract
        self._find_policy = lambda: runtime.app.policy or DEFAULT_POLICY
        self._list_tools = lambda: runtime.tools

    @property
    def _runs(self) -> RunService:
        """The service of the application version that the runtime serves now."""
        return self._runtime.runs

    def contract(self, name: str) -> Contract | None:
        """The contract of the tool or agent of that name, such as for `remit.views.sentence_of`; None if unknown."""
        return self._runtime.dispatcher.find(name) if name else None

    async def tools(self, *, target: str = "") -> list[ToolInfo]:
        """The tools that the principal may call, with their schemas and facts, sorted by name.

        ``target`` is the target of the calls. Tools that only other operations call are left out, as are those for
        which the principal lacks a permission.

        Raises:
            RequestError: the target is not valid.
        """
        return list_tools(self._runtime.tools, self.principal, as_target("target", target, RequestError))

    async def targets(self) -> list[str]:
        """The targets that the principal can choose, the default one first; none if the application lists none.

        Raises:
            SetupError: the application's ``list_targets`` returned anything but targets.
        """
        app, what = self._runtime.app, "list_targets of the application"
        if app.list_targets is None:
            return []
        listing = app.list_targets(self.principal)
        listed: Any = await await_callback(what, listing, seconds=app.limits.callback_seconds)
        remedy = "return a list of targets, such as ['bakery/main']"
        return [as_target(what, each, SetupError) for each in as_tuple_of(str, what, "its answer", listed, remedy)]

    async def run(self, prompt: Prompt = None, **options: Unpack[RunOptions]) -> RunResult[Any]:
        """Run an agent in this process; see `Runtime.run`."""
        return await self._runs.run(prompt, self.principal, options.get("agent", ""), options)

    async def submit(self, prompt: Prompt = None, **options: Unpack[RunOptions]) -> str:
        """Open a run of an agent, which an engine executes, and return its id; see `Runtime.submit`."""
        return await self._runs.submit(prompt, self.principal, options.get("agent", ""), options)

    async def call(
        self,
        tool: ToolName,
        arguments: Mapping[str, object] | str,
        *,
        attach: bool = False,
        **options: Unpack[CallOptions],
    ) -> RunResult[Any]:
        """Call a tool by its name in this process, with arguments as a mapping or JSON; see `Runtime.call_by_name`.

        With ``attach``, repeating the call joins its run while the run executes or waits, until one of the calls has
        returned the result: the repeated call asks the same question, and decisions made in the meantime are kept. The
        call is made once for all that have joined its run, and each returns the result. Two calls are the same if
        their principal, tool, target, conversation and canonical arguments are equal. Cancelling such a call does not
        end the run, which continues in a task of this event loop. ``attach`` excludes an ``idempotency_key``.

        Raises:
            RequestError: the application has no such tool, the arguments are not JSON, or the run that an attached call
                has joined was erased before it had the result.
        """
        return await self._runs.call_by_name(tool, arguments, self.principal, options, attach=attach)

    async def detach(self, run: RunId) -> None:
        """Make the next call that is the same as the attached call of ``run`` a new one: its result was read.

        `call` does this when it returns the result. A program that reads the result from the run does it itself.

        Raises:
            RequestError: the run does not exist for this principal, or is another principal's.
        """
        await self._runs.detach((await self._own_run(run)).run)

    def open_run(
        self, *, run_id: RunId = "", idle_seconds: PositiveFloat = IDLE_SECONDS, **options: Unpack[CallOptions]
    ) -> OpenRun:
        """A run whose calls come from outside: ``async with client.open_run() as run: await run.call(…)``.

        The block opens a run, or continues the principal's run ``run_id`` or the run that a request with the same
        ``idempotency_key`` opened. After ``idle_seconds`` without a call, and after the block, the run rests: it uses
        no memory, and any process can continue it. Its limits apply to each window of time; see `remit.layers.Budget`.
        For the options see `Runtime.call_by_name`; the first text in ``metadata`` is the run's title in lists.

        Raises:
            RequestError: in the block, if the run does not exist for the principal, is another principal's, or is not
                an open run, or if the run of the ``idempotency_key`` has ended.
        """
        if not run_id:
            return self._runs.open_run(self.principal, options, idle_seconds)
        if options:
            raise RequestError(f"open_run: a run that exists takes no {', '.join(options)}; leave out one of them")
        return self._runs.reopen_run(self.principal, partial(self._own_run, run_id), idle_seconds)

    async def schedule(
        self,
        tool: ToolName,
        arguments: Mapping[str, object] | str,
        *,
        at: datetime,
        every: str = "",
        missed: Missed = "once",
        **options: Unpack[CallOptions],
    ) -> RunResult[Any]:
        """Schedule a call, which an executor makes at its time, with the principal's permissions at that time.

        The call is checked and its questions are asked now. ``runs(status="scheduled")`` lists the calls that wait for
        their time, and `cancel` withdraws one. For ``at``, ``every`` and ``missed`` see `remit.engines.Schedule`; for
        the rest `call`.

        Raises:
            RequestError: as of `call`, or the time or the rule is invalid.
        """
        schedule = Schedule(at, every, missed)
        return await self._runs.call_by_name(tool, arguments, self.principal, options, schedule)

    async def decide(
        self,
        question: str,
        *,
        approved: bool,
        kind: DecisionKind | None = None,
        **options: Unpack[DecisionOptions],
    ) -> str | None:
        """Decide a question; its run continues when an engine executes it, or with `resume`. See `Runtime.decide`.

        Returns the id of the run that is opened if the principal approves an announced call. By default, the decision
        is a confirmation if the principal requested the call and a confirmation is enough, or else an approval.

        Raises:
            RequestError: the question does not exist for this principal, is settled, or needs another approver.
        """
        row = await self.question(question)
        kind = self.decision_kind(row.question) if kind is None else kind
        return await self._runs.decide(question, approved=approved, by=self.principal, kind=kind, details=options)

    async def check_decision(self, question: str, *, approved: bool, **options: Unpack[DecisionOptions]) -> None:
        """Refuse what `decide` would refuse now, and decide nothing: for several decisions of which all or none count.

        Raises:
            RequestError: as of `decide`. A decision that the same ``idempotency_key`` made is not refused.
        """
        kind = self.decision_kind((await self.question(question)).question)
        await self._runs.check_decision(question, approved=approved, by=self.principal, kind=kind, details=options)

    async def settled(self, run: RunId, seconds: float, *, poll_seconds: PositiveFloat = POLL_SECONDS) -> RunDetails:
        """Wait until a run rests or has ended, for at most ``seconds``, and return its state like `details`.

        A run rests while it waits for an open question, or for its time. Once the question is decided or has expired,
        it continues as soon as an executor resumes it. Items stored by this process are noticed at once; the store is
        polled for other items every ``poll_seconds``.

        Raises:
            RequestError: the run does not exist for this principal, or was erased.
        """
        await self._runs.wait_until_settled(run, partial(self.status, run), seconds, poll_seconds)
        return await self.details(run)

    async def resume(self, run: RunId) -> RunResult[Any]:
        """Execute a run again in this process, as the principal who started it; see `Runtime.resume`.

        Raises:
            RequestError: the run does not exist for this principal. LeaseError: another executor holds it.
        """
        await self.resumable(run)
        return await self._runs.resume(run)

    async def resumable(self, run: RunId) -> RunRow:
        """The index row of a run that the principal may resume: its own, or one that it may write to.

        Raises:
            RequestError: the run does not exist for this principal, or they may only read it.
        """
        return await self._visible_run(run, access="write")

    async def replay(self, run: RunId) -> ReplayReport:
        """Execute a run with all answers from its journal, and compare; see `Runtime.replay`.

        Raises:
            RequestError: the run does not exist for this principal.
        """
        await self._visible_run(run)
        return await self._runs.replay(run)

    async def loosen(self, run: RunId, *, without: Iterable[str], reason: str) -> None:
        """Let a stalled run continue without rules, layers or limits that this process lacks; see `Runtime.loosen`.

        Raises:
            RequestError: the run does not exist for this principal, or they lack ``runs:loosen``.
            LeaseError: another executor holds it.
        """
        await self._visible_run(run, LOOSEN_PERMISSION)
        await self._runs.loosen(run, without=without, by=self.principal, reason=reason)

    async def cancel(self, run: RunId) -> RunStatus:
        """Cancel a run; return its status, ``running`` if another executor holds it and will end it.

        Raises:
            RequestError: the run does not exist for this principal, or they may only read it; see `cancellable`.
        """
        return await self._cancel_run(await self.cancellable(run))

    async def history(self, run: RunId) -> list[str]:
        """The chat messages of a run and of the runs before it in its conversation; see `Runtime.history`.

        Raises:
            RequestError: the run does not exist for this principal, or they may no longer read its conversation.
        """
        await self._check_history(run)
        return await self._runs.history(run)

    async def add_artifact(self, content: bytes | Path, *, name: str = "", media_type: str = "") -> Artifact:
        """Store a file for runs of the principal; see `ArtifactService.add`."""
        return await self._runtime.artifacts.add(content, by=self.principal, name=name, media_type=media_type)

    async def read_artifact(
        self, artifact: Artifact, *, conversation: str = "", offset: int = 0, length: int | None = None
    ) -> bytes:
        """The content of a file that the principal stored, that a run of theirs has, or a run of ``conversation``.

        Raises:
            RequestError: the conversation does not exist for this principal. NotFoundError: there is no such file.
        """
        artifacts = self._runtime.artifacts
        if not conversation:
            return await artifacts.read(artifact, by=self.principal, offset=offset, length=length)
        row = await self._visible_conversation(conversation, "read")
        return await artifacts.read_shared(artifact, row.key, offset=offset, length=length)

    async def working_memory(self, conversation: str) -> list[Entity]:
        """The objects that the agent of a conversation remembers now; none if its agent has no memory.

        Raises:
            RequestError: the conversation does not exist for this principal.
        """
        runs = await self.conversation_runs(conversation)
        agent = self.contract(runs[-1].callee) if runs else None
        if not isinstance(agent, Agent) or agent.memory is None:
            return []
        return await agent.memory.recall(self._items_back(runs), self.contract)

    async def create_grant(
        self, tool: str, *, principal: str, count: int, expires_in: float, **options: Unpack[GrantOptions]
    ) -> Grant:
        """Approve calls in advance; see `GrantService.create`."""
        return await self._runtime.grants.create(
            tool, by=self.principal, principal=principal, count=count, expires_in=expires_in, **options
        )

    async def revoke_grant(self, grant: str) -> None:
        """Revoke a grant.

        Raises:
            RequestError: it does not exist for this principal, was revoked, or the principal may not revoke it.
        """
        await self.grant(grant)
        await self._runtime.grants.revoke(grant, by=self.principal)

    async def _items_back(self, runs: Sequence[RunRow]) -> AsyncGenerator[list[Item]]:
        """The items of runs, from the newest to the oldest, each read when it is asked for."""
        for run in reversed(runs):
            yield [position.item for position in await self._runtime.store.read(run.run)]

    async def _own_run(self, run: str) -> RunRow:
        """The row of a run of the principal.

        Raises:
            RequestError: it does not exist for the principal, or is another principal's.
        """
        row = await self._visible_run(run)
        if row.principal != self.principal.name:
            raise RequestDeniedError(f"run {run} belongs to another user; open a run of your own")
        return row

    async def _is_known(self, name: str) -> bool:
        return await asyncio.to_thread(self._runtime.grants.is_grantee, name, self.principal.tenant)

    async def _cancel_run(self, run: RunRow) -> RunStatus:
        by = replace(self.principal, permissions=self.principal.permissions | {CANCEL_PERMISSION})
        result = await self._runs.cancel(run.run, by)
        return "running" if result is None else result.status
