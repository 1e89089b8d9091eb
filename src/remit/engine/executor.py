"""Executes one run, from its start or again from its journal, while holding its lease."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final, Literal

from msgspec import Struct, field, structs

from remit.call.reply import Reply
from remit.engine.ended import read_ended_outcome
from remit.engine.executing_runs import ExecutingRuns
from remit.engine.keeper import RunKeeper
from remit.engine.open_answers import RunAnswers
from remit.engine.outcome import ExecutionOutcome, RunRefused, bring_to_rest, cancelled_outcome
from remit.errors import (
    ApprovalUsedError,
    JournalError,
    LeaseError,
    NoModelError,
    RequestConflictError,
    RequestError,
    Suspended,
)
from remit.journal.codec import encode_item, link_items
from remit.journal.ledger import RunLedger, StoredCallback
from remit.journal.ports import FIRST_EPOCH, AcquiredLease, QuestionRow, Store
from remit.journal.run_totals import RunTotals
from remit.journal.verify import verify_lease
from remit.record.items import HEADER_ITEMS, DecisionItem, Item, Position, RunFinished, RunResumed
from remit.record.question import Decision
from remit.record.usage import Prices

_MAX_LOST_RACES: Final = 8
"""How many times a run is executed again because other calls used the approvals of its calls."""

_SUBMITTED_SECONDS: Final = 60.0
"""The seconds after the submission of a run in which models stream even if it is not followed yet."""

RootCall = Callable[[RunLedger], Awaitable[Reply]]


class _Lease(Struct):
    """The lease of one execution. ``release_on_exit`` is False once the item that ends or rests the run released it."""

    run_state: AcquiredLease
    release_on_exit: bool = True


class RunExecutor(Struct, frozen=True, kw_only=True):
    """Executes runs as lease holder ``name``. A lease lasts ``lease_seconds`` and is renewed during execution.

    ``open_runs`` are the open runs that it executes, with any version of the application.
    """

    store: Store
    clock: Callable[[], float]
    on_stored: StoredCallback
    name: str
    lease_seconds: float = 30.0
    prices: Prices = MappingProxyType({})
    open_runs: ExecutingRuns = field(default_factory=ExecutingRuns)

    async def execute(
        self,
        run: str,
        root: RootCall,
        *,
        header: Item | None,
        conversation: str,
        prior_messages: Sequence[str],
        following: Sequence[Item] = (),
        known_items: Sequence[Position] = (),
        stopping: bool = False,
        release_requested: asyncio.Event | None = None,
        before: Callable[[], Awaitable[None]] | None = None,
    ) -> ExecutionOutcome:
        """Execute ``run``: as a new run if ``header`` is given, with the items after it, or else from its journal.

        A new run and its lease are stored in one transaction, or in two with ``before``, which is called in between.

        ``stopping`` executes it only to end it. ``known_items`` are its first items if they have been read. Setting
        ``release_requested`` releases the run in its current state, so that another executor can resume it.

        Raises:
            LeaseError: another executor holds the run, or the run was released.
            BrokenJournalError: the journal of the run was changed; nothing was run.
            ApprovalUsedError: other calls repeatedly used the approvals of its calls.
        """
        execute_once = partial(
            self._execute_once,
            run,
            root,
            conversation=conversation,
            prior_messages=prior_messages,
            following=following,
            stopping=stopping,
            release_requested=release_requested,
            before=before,
        )
        lost_races = 0
        outcome: ExecutionOutcome | None = None
        while True:
            try:
                outcome = await execute_once(header=header, known_items=known_items)
            except ApprovalUsedError:  # the next execution asks again about the call that lost its approval
                lost_races += 1
                if lost_races > _MAX_LOST_RACES:
                    raise
            except LeaseError:
                if outcome is None:
                    raise
                return outcome
            else:
                if not outcome.is_resting or not await self._has_new_input(run, outcome.questions):
                    return outcome
            header, known_items = None, ()

    async def _execute_once(
        self,
        run: str,
        root: RootCall,
        *,
        header: Item | None,
        conversation: str,
        prior_messages: Sequence[str],
        following: Sequence[Item],
        known_items: Sequence[Position],
        stopping: bool,
        release_requested: asyncio.Event | None,
        before: Callable[[], Awaitable[None]] | None,
    ) -> ExecutionOutcome:
        first = (RunResumed(call=run, driver=self.name),) if header is None else (header, *following)
        opening = self._link(run, first) if header is not None and before is None else ()
        async with self._hold_lease(run, known_items[-1].seq if known_items else -1, opening) as lease:
            run_state = lease.run_state
            known_items = [*known_items, *run_state.items]
            if header is not None and known_items:
                raise _run_exists_error(run)
            if run_state.is_opened:
                first = ()
            else:
                verify_lease(run, known_items, run_state)
            if run_state.row is not None and run_state.row.status in ("done", "failed", "cancelled"):
                lease.release_on_exit = False  # an ended run has none
                ended = await read_ended_outcome(run_state.row.status, known_items, self.store)
                items = [position.item for position in known_items]
                return structs.replace(ended, usage=RunTotals.of(known_items).usage(self.prices), items=items)
            answers = RunAnswers(
                self.store,
                run,
                run_state.epoch,
                last_seq=lambda: len(ledger.recorded_items()) - 1,
                is_expected=self._was_submitted(known_items),
                is_new=run_state.is_opened,
            )
            ledger = RunLedger(
                self.store,
                run,
                run_state.epoch,
                history=opening if run_state.is_opened else known_items,
                conversation=conversation,
                prior_messages=prior_messages,
                clock=self.clock,
                on_stored=answers.forget_recorded_and(self.on_stored),
                is_stopping=stopping or (header is None and bool(run_state.cancel_requested_by)),
                prices=self.prices,
            )
            begin = partial(_begin, ledger, first, None if header is None else before)
            try:
                with answers:
                    outcome = await self._execute_until_cancelled(ledger, begin, root, lease, release_requested)
            finally:
                ledger.close()
            lease.release_on_exit = False
        return structs.replace(outcome, usage=ledger.meter.totals(), items=ledger.recorded_items())

    def _was_submitted(self, known_items: Sequence[Position]) -> bool:
        """Whether another process has just opened the run, so that it may soon be followed."""
        if not known_items or self.clock() - known_items[0].at >= _SUBMITTED_SECONDS:
            return False
        return all(isinstance(each.item, HEADER_ITEMS) for each in known_items)

    async def _has_new_input(self, run: str, questions: Sequence[str]) -> bool:
        """Whether a waiting run must execute again: a decision or cancellation arrived while its lease was held.

        The sender could not execute the run at that time, but can after the release.
        """
        with contextlib.suppress(JournalError):
            return bool(await self.store.cancel_requested_by(run) or await self._find_answered(questions))
        return False

    async def create_run(self, run: str, header: Item, *following: Item) -> None:
        """Store the header of a new run, and the items that follow it, without executing the run.

        Raises:
            LeaseError: another executor holds the run.
            RequestError: the run exists already, its conversation is busy, or the call that it carries is decided.
        """

        def open_run(items: Sequence[Position]) -> Sequence[Item]:
            if items:
                raise _run_exists_error(run)
            return (header, *following)

        opening = self._link(run, (header, *following))
        found = await self.store.acquire(run, self.name, 0.0, opening=opening)
        if found.is_opened:
            self.on_stored(opening)
        elif found.item_count:
            verify_lease(run, found.items, found)
            raise _run_exists_error(run)
        else:
            await self.append(run, open_run)

    async def append(self, run: str, make_items: Callable[[Sequence[Position]], Sequence[Item]]) -> None:
        """Append items to a run without executing it. ``make_items`` makes them from the existing items.

        Raises:
            LeaseError: another executor holds the run.
        """
        async with self._hold_lease(run) as lease:
            items = lease.run_state.items
            verify_lease(run, items, lease.run_state)
            epoch = lease.run_state.epoch
            ledger = RunLedger(self.store, run, epoch, history=items, clock=self.clock, on_stored=self.on_stored)
            for item in make_items(items):
                ledger.add(item)
            await ledger.flush()
            ledger.close()

    async def _execute_until_cancelled(
        self,
        ledger: RunLedger,
        begin: Callable[[], Awaitable[None]],
        root: RootCall,
        lease: _Lease,
        release_requested: asyncio.Event | None,
    ) -> ExecutionOutcome:
        """Execute until the run rests, and renew its lease. A cancellation is noticed within `CANCEL_POLL_SECONDS`.

        Another process writes the inbox, so it must be polled.
        """
        execution = asyncio.create_task(
            self._execute_and_record(ledger, begin, root, lease.run_state.decisions, release_requested)
        )
        release_waiters = [asyncio.create_task(release_requested.wait())] if release_requested else []
        keeper = RunKeeper(self.store, ledger.run, lease.run_state.epoch, self.lease_seconds)
        try:
            is_finished = False
            while not is_finished:
                finished, _ = await asyncio.wait(
                    [execution, *release_waiters],
                    timeout=keeper.seconds_until_due(),
                    return_when=asyncio.FIRST_COMPLETED,
                )
                is_finished = bool(finished) or await keeper.is_cancel_requested()
            if release_requested and release_requested.is_set() and not execution.done():
                await self._end_epoch(ledger.run, lease.run_state.epoch)
        finally:
            for task in release_waiters:
                task.cancel()
            if not execution.done():
                ledger.execution.is_stopping = True  # a body that swallows the cancellation can start nothing more
                execution.cancel()
                await asyncio.wait([execution])
            if not execution.cancelled():
                execution.exception()  # retrieved, because asyncio warns about exceptions that are never retrieved
        return execution.result()

    async def _end_epoch(self, run: str, epoch: int) -> None:
        """End this epoch even if no executor follows, so that nothing more is stored in it."""
        await self.store.release(run, epoch)
        with contextlib.suppress(LeaseError):
            await self.store.release(run, (await self.store.acquire(run, self.name, self.lease_seconds)).epoch)

    async def _execute_and_record(
        self,
        ledger: RunLedger,
        begin: Callable[[], Awaitable[None]],
        root: RootCall,
        decisions: Sequence[Decision],
        release_requested: asyncio.Event | None,
    ) -> ExecutionOutcome:
        await begin()
        try:
            if not isinstance(ledger.recorded_items()[-1], RunResumed):
                await ledger.flush()  # a new run begins when its header is stored, because its conversation may be busy
            outcome, last = await self._execute_root(ledger, root, decisions)
        except NoModelError as error:
            await ledger.commit(bring_to_rest(ledger, Suspended(reason=error.message))[1])
            raise
        except asyncio.CancelledError as cancelled:
            if release_requested and release_requested.is_set():
                raise LeaseError(f"run {ledger.run} was released; another executor can resume it") from None
            outcome, last = cancelled_outcome(ledger.run, str(cancelled) if isinstance(cancelled, RunRefused) else "")
        try:
            await ledger.commit(last)
        except asyncio.CancelledError:
            await ledger.flush()
            if outcome.is_resting:
                outcome, last = cancelled_outcome(ledger.run, "")
                await ledger.commit(last)
        return outcome

    async def _execute_root(
        self, ledger: RunLedger, root: RootCall, decisions: Sequence[Decision]
    ) -> tuple[ExecutionOutcome, Item]:
        """Execute the root call; return the outcome and the item that records it.

        Raises:
            JournalError: a question is asked again although its decision was copied to the call that asks.
        """
        copied = set[str]()
        while True:
            await self._copy_decisions(ledger, {decision.question: decision for decision in decisions})
            try:
                reply = await root(ledger)
            except Suspended as signal:
                if ledger.execution.is_stopping:
                    raise asyncio.CancelledError from signal
                ledger.execution.is_stopping = bool(await self.store.cancel_requested_by(ledger.run))
                answered = [] if ledger.execution.is_stopping else await self._find_answered(signal.questions)
                if repeated := copied.intersection(row.question.id for row in answered):
                    raise JournalError(
                        f"run {ledger.run}: question {min(repeated)} is decided, but asked again"
                    ) from signal
                copied.update(row.question.id for row in answered)
                decisions = [row.decision for row in answered if row.decision is not None]
                if ledger.execution.is_stopping or answered:
                    continue
                return bring_to_rest(ledger, signal)
            status: Literal["done", "failed"] = "done" if reply.outcome == "ok" else "failed"
            error = f"{reply.error.code}: {reply.error.message}" if reply.error else ""
            return ExecutionOutcome(status=status, reply=reply), RunFinished(
                call=ledger.run, status=status, error=error
            )

    async def _copy_decisions(self, ledger: RunLedger, decisions: Mapping[str, Decision]) -> None:
        """Copy each decision to the calls that wait for it, whichever run of the conversation asked."""
        for question, call in ledger.decisions.undecided_questions():
            row = None if question in decisions else await self.store.find_question(question)
            decision = decisions.get(question) if row is None else row.decision
            if decision is not None:
                ledger.add(DecisionItem(call=call, question=question, body=decision.to_json()))

    async def _find_answered(self, questions: Sequence[str]) -> list[QuestionRow]:
        """The rows of the questions that are decided or closed."""
        rows = [await self.store.find_question(question) for question in questions]
        return [row for row in rows if row is not None and (row.decision is not None or row.status == "closed")]

    def _link(self, run: str, first: Sequence[Item]) -> Sequence[Position]:
        """The first items of a new run in their stored form."""
        return link_items(run, FIRST_EPOCH, -1, b"", [(item, self.clock(), encode_item(item)) for item in first])

    @contextlib.asynccontextmanager
    async def _hold_lease(self, run: str, after: int = -1, opening: Sequence[Position] = ()) -> AsyncGenerator[_Lease]:
        """Hold the lease of a run. A new run is opened if ``opening`` has its first items."""
        acquiring = asyncio.ensure_future(self.store.acquire(run, self.name, self.lease_seconds, after, opening))
        try:
            run_state = acquiring.result() if acquiring.done() else await asyncio.shield(acquiring)
        except asyncio.CancelledError:
            with contextlib.suppress(JournalError, RequestError):
                await self._abandon(run, await acquiring, opening)
            raise
        if run_state.is_opened:
            self.on_stored(opening)
        lease = _Lease(run_state)
        try:
            yield lease
        finally:
            if lease.release_on_exit:
                await asyncio.shield(self.store.release(run, run_state.epoch))

    async def _abandon(self, run: str, lease: AcquiredLease, opening: Sequence[Position]) -> None:
        """Release a run that was cancelled before it began. An opened run ends, as if cancelled a moment later."""
        if not lease.is_opened:
            await self.store.release(run, lease.epoch)
            return
        self.on_stored(opening)
        ledger = RunLedger(self.store, run, lease.epoch, history=opening, clock=self.clock, on_stored=self.on_stored)
        await ledger.commit(cancelled_outcome(run, "")[1])
        ledger.close()


async def _begin(ledger: RunLedger, first: Sequence[Item], before: Callable[[], Awaitable[None]] | None) -> None:
    """Write the first items of an execution, after the work that precedes the storage of a new run."""
    if before is not None:
        await before()
    for item in first:
        ledger.add(item)


def _run_exists_error(run: str) -> RequestError:
    return RequestConflictError(f"run {run} exists already; give the new run another id")
