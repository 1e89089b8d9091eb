"""Makes the root call of a run, in an execution or in a replay that compares the call with the journal."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from msgspec import Struct

from remit.call.call import Call, root_call_id
from remit.call.reply import Reply
from remit.call.resolution import Resolver
from remit.dispatch.dispatcher import Dispatcher
from remit.dispatch.registry import AnyCallee
from remit.engine.artifacts import StoredArtifacts
from remit.engine.callees import ListedCallees
from remit.engine.conversations import Conversations, is_unbegun
from remit.engine.executor import RunExecutor
from remit.engine.loosening import FindTerms, explain_lost, find_lost_terms, make_loosening
from remit.engine.open_root import OpenRoot
from remit.engine.outcome import STALL_MAX_SECONDS, ExecutionOutcome, RunRefused, TermsLostSignal
from remit.engine.principals import PrincipalLookup
from remit.engine.result import ReplayReport, RunResult, report_replay, result_of
from remit.engine.run_schedules import SchedulingRun
from remit.engine.schedule import next_occurrence
from remit.engine.started_runs import root_caller
from remit.errors import DivergedError, LeaseError, RequestConflictError, RequestError, Suspended
from remit.journal.index import artifact_scope
from remit.journal.ledger import RunLedger
from remit.journal.ports import Store
from remit.journal.replay import ReplayLedger
from remit.record.arguments import Limits, parse_arguments
from remit.record.current_run import CURRENT_RUN, CurrentRun
from remit.record.items import OPEN_RUN, Item, Position, RunFinished, RunOpened, RunStalled
from remit.record.ledger import Ledger
from remit.record.principal import Principal
from remit.views.changed_tools import find_changed_tools


class RootCaller(Struct, frozen=True):
    """Makes root calls through the dispatcher, like every call."""

    dispatcher: Dispatcher
    store: Store
    limits: Limits
    resolvers: Mapping[str, Resolver]
    principals: PrincipalLookup

    async def __call__(
        self,
        ledger: Ledger,
        callee: AnyCallee,
        header: RunOpened,
        principal: Principal,
        *,
        conversations: Conversations,
        scheduling: SchedulingRun | None = None,
    ) -> Reply:
        """Make the call of ``header``. Only ``scheduling`` schedules calls."""
        call = Call(
            id=root_call_id(header),
            callee=callee,
            arguments=parse_arguments(header.arguments, self.limits),
            caller=root_caller(ledger.run, header, principal),
            ledger=ledger,
        )
        is_open = header.callee == OPEN_RUN
        service = self.dispatcher.open_service(callee) if is_open else self.dispatcher.service(header.agent, callee)
        scope = artifact_scope(ledger.run, header)
        token = CURRENT_RUN.set(
            CurrentRun(
                run=ledger.run,
                limits=self.limits,
                artifacts=StoredArtifacts(self.store, scope, self.limits, is_replaying=ledger.execution.is_replaying),
                resolvers=self.resolvers,
                find_principal=self.principals.today,
                look_up=self.principals.directory,
                read_prior_runs=partial(conversations.read_back, header.after),
                scheduling=scheduling,
                find_callee=self.dispatcher.find,
                calls_around=CURRENT_RUN.get().calls_around,
            )
        )
        try:
            return await service(call)
        finally:
            CURRENT_RUN.reset(token)


class RootExecutor(Struct, frozen=True):
    """Executes runs with an executor. Each makes its root call, and a scheduled run opens its next run."""

    executor: RunExecutor
    conversations: Conversations
    call_root: RootCaller
    find_terms: FindTerms

    async def __call__(
        self,
        run: str,
        callee: AnyCallee,
        header: RunOpened,
        principal: Principal,
        *,
        following: Sequence[Item] = (),
        known_items: Sequence[Position] = (),
        stopping: bool = False,
        release_requested: asyncio.Event | None = None,
        before: Callable[[], Awaitable[None]] | None = None,
    ) -> RunResult[Any]:
        """Execute a run if it is its turn: from the start, or again if ``known_items`` has its items.

        ``following`` is stored with the header of a new run; ``before`` is called before that.
        """
        executor = self.executor
        if not stopping and (blocker := await self.conversations.find_blocker(header)) is not None:
            return RunResult(run=run, callee=callee, status="queued", reason=f"it waits for run {blocker.run}")

        refusal = "" if stopping or not known_items else await self.conversations.why_refused(header, principal)
        if (outcome := await self._find_same_stall(header, known_items)) is not None:
            return result_of(run, callee, outcome, self.call_root.dispatcher.find)

        async def call_root(ledger: RunLedger) -> Reply:
            self._require_terms(ledger, header)
            if refusal and is_unbegun(ledger.recorded_items()):
                raise RunRefused(refusal)
            if ledger.execution.is_stopping and is_unbegun(ledger.recorded_items()):
                raise asyncio.CancelledError  # its message is not part of a conversation
            now = executor.clock()
            ledger.execution.is_early = now < header.starts_at
            following = None if ledger.execution.is_stopping else next_occurrence(header, now, known_items)
            if following is not None:
                with contextlib.suppress(RequestError, LeaseError):  # it has been opened
                    await executor.create_run(following.call, following)
            scheduling = SchedulingRun(executor, header, self.call_root.dispatcher.find, self.find_terms)
            return await self.call_root(
                ledger, callee, header, principal, conversations=self.conversations, scheduling=scheduling
            )

        outcome = await executor.execute(
            run,
            call_root,
            header=None if known_items else header,
            following=following,
            known_items=known_items,
            conversation=header.conversation,
            prior_messages=await self.conversations.messages(header.after),
            stopping=stopping,
            release_requested=release_requested,
            before=before,
        )
        return result_of(run, callee, outcome, self.call_root.dispatcher.find)

    def _require_terms(self, ledger: RunLedger, header: RunOpened) -> None:
        """Bring a run to rest if this process lacks terms under which the run was opened.

        Raises:
            TermsLostSignal: names the missing terms.
        """
        lost = find_lost_terms(header, ledger.items_for(header.call), self.find_terms)
        if lost and not ledger.execution.is_stopping:
            open_questions = (question for question, _ in ledger.decisions.undecided_questions())
            raise TermsLostSignal(*open_questions, reason=explain_lost(lost), lacks=(each.name for each in lost))

    async def _find_same_stall(self, header: RunOpened, known: Sequence[Position]) -> ExecutionOutcome | None:
        """The outcome of a run that rests for the same missing terms, without another item; None for others."""
        if not known or not isinstance(last := known[-1].item, RunStalled):
            return None
        items = [each.item for each in known]
        lost, store = find_lost_terms(header, items, self.find_terms), self.executor.store
        if not lost or last.reason != explain_lost(lost) or await store.cancel_requested_by(header.call):
            return None
        await store.postpone(header.call, STALL_MAX_SECONDS)
        retry_at = self.executor.clock() + STALL_MAX_SECONDS
        return ExecutionOutcome(
            status="stalled", questions=last.questions, retry_at=retry_at, reason=last.reason, items=items
        )

    async def loosen(self, header: RunOpened, *, without: Iterable[str], by: Principal, reason: str) -> None:
        """Record that ``by`` waives the terms that this process lacks. An engine may then continue the run at once.

        Raises:
            RequestError: the run has ended, or a value is invalid.
        """

        def make_items(positions: Sequence[Position]) -> Sequence[Item]:
            items = [each.item for each in positions]
            if any(isinstance(each, RunFinished) for each in items):
                raise RequestConflictError(f"run {header.call} has ended")
            make = partial(make_loosening, header, items, self.find_terms, limits=self.call_root.limits)
            return [make(without=without, by=by, reason=reason)]

        await self.executor.append(header.call, make_items)
        await self.executor.store.postpone(header.call, 0.0)


async def replay_run(
    run: str, conversations: Conversations, callees: ListedCallees[Any], call_root: RootCaller
) -> ReplayReport:
    """Execute a run again with all answers from its journal, and compare; see `Runtime.replay`."""
    header, items = await conversations.read_run(run)
    report = await _compare(header, items, conversations, callees, call_root)
    changed = find_changed_tools((each.item for each in items), call_root.dispatcher.find)
    return replace(report, changed_tools=changed)


async def _compare(
    header: RunOpened,
    items: Sequence[Position],
    conversations: Conversations,
    callees: ListedCallees[Any],
    call_root: RootCaller,
) -> ReplayReport:
    run = header.call
    ledger = ReplayLedger(run, items, await conversations.messages(header.after))
    if is_unbegun([each.item for each in items]):
        return report_replay(run, ledger, items)
    principal = Principal(header.principal, header.tenant, permissions=frozenset({"*"}))
    try:
        is_open = header.callee == OPEN_RUN
        callee = OpenRoot.of_recorded(items) if is_open else callees.find(header.callee)
        await call_root(ledger, callee, header, principal, conversations=conversations)
    except DivergedError as error:
        return ReplayReport(run=run, compared_count=ledger.compared_count, difference=error.message)
    except Suspended:
        pass
    return report_replay(run, ledger, items)
