"""Executes open runs as long as calls arrive, until none has arrived for a while."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from remit.call.reply import Reply
from remit.engine.artifacts import read_result
from remit.engine.conversations import Conversations
from remit.engine.open_calls import IncomingCall, OpenCalls, find_own_call, outcome_of
from remit.engine.open_contexts import context_of_no_caller
from remit.engine.open_root import OpenRoot
from remit.engine.outcome import ExecutionOutcome
from remit.engine.principals import PrincipalLookup
from remit.engine.result import RunResult
from remit.engine.root import RootExecutor
from remit.engine.running import start_apart
from remit.errors import LeaseError, RequestConflictError
from remit.journal.index import UNFINISHED_STATUSES
from remit.record.current_run import CURRENT_RUN
from remit.record.items import CallReceived, Item, RunOpened, ToolOutput

LEASE_WAIT_SECONDS: Final = 10.0
"""Seconds for which a call waits while another process executes its run."""

_FIRST_WAIT_SECONDS: Final = 0.02
_MAX_WAIT_SECONDS: Final = 0.5


class OpenRuns:
    """Executes open runs with one version of the application."""

    def __init__(self, execute: RootExecutor, conversations: Conversations, principals: PrincipalLookup) -> None:
        self._execute = execute
        self._conversations = conversations
        self._principals = principals
        self._store = execute.executor.store
        self._executing = execute.executor.open_runs
        self._version = self._executing.next_version()

    async def resume(self, run: str, release_requested: asyncio.Event | None) -> RunResult[Any]:
        """Execute an open run until its calls have ended or wait.

        Raises:
            LeaseError: another process executes it, or this one does.
        """
        executing = self._executing.of_this_loop()
        if run in executing:
            raise LeaseError(f"run {run} is being executed by this process; wait until it rests")
        calls = executing[run] = self._open(run)
        try:
            return await self._execute_once(calls, release_requested)
        finally:
            if calls.has_work:
                start_apart(self._drive(calls), context_of_no_caller())
            else:
                self._executing.forget(calls)

    def root(self, run: str) -> OpenRoot:
        """The callee with which a run is executed only to end it."""
        return OpenRoot(self._open(run))

    async def call(self, run: str, incoming: IncomingCall, holder: object, idle_seconds: float) -> ExecutionOutcome:
        """Make a call of a run and return its outcome. Cancelling the caller ends the call, but not the run.

        A call that attaches and has an effect continues, and its result waits for the same call.
        """
        calls = self._calls_of(run, holder, idle_seconds)
        calls.take(incoming)
        try:
            await asyncio.wait([incoming.outcome])
        except asyncio.CancelledError:
            await incoming.give_up()
            raise
        outcome = incoming.outcome.result()
        if outcome.reply is not None:
            incoming.confirm()
            if calls.delivered and (current := self._calls_of(run, holder, idle_seconds)) is not calls:
                current.delivered += calls.delivered
        return outcome

    async def close(self, run: str, holder: object, idle_seconds: float) -> RunResult[Any]:
        """End a run.

        Raises:
            RequestConflictError: a call waits, or the body of a call of the run would wait for itself.
        """
        around = CURRENT_RUN.get().calls_around
        if (own := find_own_call(run, around)) is not None:
            what = f"its call of {own.received.callee}"
            where = f"in the body of {what}, which would wait for itself"
            where = where if own in around else f"in a call for which {what} waits: each would wait for the other"
            raise RequestConflictError(f"run {run} cannot be closed {where}; close it after the call")
        calls = self._calls_of(run, holder, idle_seconds)
        with calls.waited_for(around):
            return await asyncio.shield(calls.close())

    async def leave(self, run: str, holder: object) -> None:
        """Record that ``holder`` makes no more calls, and let the run rest without it.

        The body of a call of the run does not wait for that, because the run waits for the call.
        """
        executing = self._executing.of_this_loop()
        calls = executing.get(run)
        if calls is not None and holder in calls.holders:
            calls.leave(holder)
            around = CURRENT_RUN.get().calls_around
            if find_own_call(run, around) is not None:
                return
            with calls.waited_for(around):
                while not calls.holders and executing.get(run) is calls:
                    await asyncio.shield(calls.ended)

    def _calls_of(self, run: str, holder: object, idle_seconds: float) -> OpenCalls:
        """The calls of a run. A resting run is executed."""
        executing = self._executing.of_this_loop()
        calls = executing.get(run)
        if calls is None:
            calls = executing[run] = self._open(run)
            start_apart(self._drive(calls), context_of_no_caller())
        calls.update(self._version, self._execute_once)
        calls.holders.add(holder)
        calls.idle_seconds = max(calls.idle_seconds, idle_seconds)
        return calls

    def _open(self, run: str) -> OpenCalls:
        return OpenCalls(run, self._is_decided, self._version, self._execute_once)

    async def _drive(self, calls: OpenCalls) -> None:
        """Execute a run as long as calls have arrived."""
        try:
            while calls.has_work:
                calls.has_begun = calls.is_outdated = False
                result = await self._execute_when_free(calls)
                if result.status not in UNFINISHED_STATUSES:
                    await self._end(calls, result)
                elif not calls.has_begun:
                    questions, reason = result.questions, result.reason
                    calls.settle_all(ExecutionOutcome(status=result.status, questions=questions, reason=reason))
        except BaseException as error:
            calls.fail_all(error)
            raise
        finally:
            self._executing.forget(calls)

    async def _execute_when_free(self, calls: OpenCalls) -> RunResult[Any]:
        loop, delay = asyncio.get_running_loop(), _FIRST_WAIT_SECONDS
        until = loop.time() + LEASE_WAIT_SECONDS
        while True:
            try:
                return await calls.execute(calls)
            except LeaseError:
                if calls.has_begun or loop.time() >= until:
                    raise
            await asyncio.sleep(delay)
            delay = min(2 * delay, _MAX_WAIT_SECONDS)

    async def _execute_once(self, calls: OpenCalls, release_requested: asyncio.Event | None = None) -> RunResult[Any]:
        header, items = await self._conversations.read_run(calls.run)
        return await self._execute(
            calls.run,
            OpenRoot(calls),
            header,
            self._principals.owner(header),
            known_items=items,
            release_requested=release_requested,
        )

    async def _end(self, calls: OpenCalls, result: RunResult[Any]) -> None:
        """Answer the callers of a run that has ended."""
        if calls.closing is not None and not calls.closing.done():
            calls.closing.set_result(result)
        calls.closing = None
        ended = RequestConflictError(f"run {calls.run} has ended ({result.status}); open another one")
        while calls.incoming:
            incoming = calls.incoming.popleft()
            outcome = await self._find_recorded(incoming, result.items)
            if outcome is None:
                incoming.fail(ended)
            else:
                incoming.settle(outcome)

    async def _find_recorded(self, incoming: IncomingCall, items: Sequence[Item]) -> ExecutionOutcome | None:
        """The outcome of the recorded call with the key and the arguments of ``incoming``, if there is one."""
        received = (each for each in items if incoming.key and isinstance(each, CallReceived))
        made = {each.call for each in received if incoming.is_recorded_as(each)}
        output = next((each for each in items if isinstance(each, ToolOutput) and each.call in made), None)
        header = items[0]
        if output is None or not isinstance(header, RunOpened):
            return None
        content = await read_result(output.text, header.call, header, self._store)
        return outcome_of(Reply.from_journal(content, output.outcome, is_final=output.final))

    async def _is_decided(self, questions: Sequence[str]) -> bool:
        for each in questions:
            row = await self._store.find_question(each)
            if row is None or row.status != "open":
                return True
        return False
