"""The body of an open run. It makes calls from outside until no more arrive or the run is closed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Iterator, Sequence
from contextvars import Context, copy_context
from functools import cache
from typing import Final

from pydantic import BaseModel

from remit.call.call import CallLayer
from remit.call.callee import UNKNOWN, Frame, ReconcileResult
from remit.call.facts import Effect, Facts
from remit.call.reply import Reply
from remit.call.reports import LastCall
from remit.call.schema import Input, Output, create_payload_model
from remit.call.sentences import Sentences
from remit.call.step import PreparedCall
from remit.core import Stack
from remit.core.deadline import Deadline
from remit.engine.open_calls import (
    IncomingCall,
    OpenCalls,
    OpenedCall,
    find_own_call,
    find_waiting_calls,
    refuse_after_last,
    refuse_key,
    refuse_to_wait,
)
from remit.engine.open_contexts import context_of_call
from remit.errors import Suspended
from remit.record.arguments import Arguments, parse_arguments
from remit.record.items import OPEN_RUN, CallReceived, Item, Note, Position, ToolOutput
from remit.record.principal import Principal

_FACTS: Final = Facts(effect=Effect.COMPOSED, says=Sentences("Make the calls that come from outside"))
_LOOK_SECONDS: Final = 1.0
"""Seconds after which decisions on the waiting calls are looked at again, however long the body waits for calls."""

_NO_LAYERS: Final[Stack[CallLayer]] = Stack()


@cache
def _make_input() -> Input[BaseModel]:
    return Input(create_payload_model("OpenRun", {}))


@cache
def _make_output() -> Output[dict[str, int]]:
    return Output(dict[str, int])


class OpenRoot:
    """The callee of an open run. ``calls`` come from outside; ``received`` are the recorded calls for a replay."""

    def __init__(self, calls: OpenCalls | None = None, received: Sequence[CallReceived] = ()) -> None:
        self.name = OPEN_RUN
        self.description = "Make the calls that come from outside."
        self.facts, self.layers = _FACTS, _NO_LAYERS
        self._calls = calls
        self._received = received

    @classmethod
    def of_recorded(cls, items: Iterable[Position]) -> OpenRoot:
        """The callee that repeats the recorded calls of an open run, in their order."""
        return cls(received=[*_received_among(each.item for each in items)])

    @property
    def schema_in(self) -> Input[BaseModel]:
        """The schema of the input, which is empty."""
        return _make_input()

    @property
    def schema_out(self) -> Output[dict[str, int]]:
        """The schema of the result."""
        return _make_output()

    def build_arguments(self) -> Arguments:
        """The arguments of the run: none."""
        return parse_arguments("{}")

    async def run(self, _payload: BaseModel, frame: Frame, /) -> dict[str, int]:
        """Make the calls. Returns the numbers of calls in total, failed and denied.

        Raises:
            Suspended: no call arrives, and the run is not closed.
        """
        if self._calls is None:
            await _make_again(self._received, frame)
            received = self._received
        else:
            await _Body(self._calls, frame).serve()
            received = [*_received_among(frame.ledger.recorded_items())]
        outcomes = [output.outcome for each in received if (output := _output_of(each.call, frame)) is not None]
        return {"calls": len(received), "failed": outcomes.count("error"), "denied": outcomes.count("denied")}

    async def reconcile(self, _payload: BaseModel, _frame: Frame, /) -> ReconcileResult:
        """Return UNKNOWN: an interrupted open run is executed again."""
        return UNKNOWN

    def __repr__(self) -> str:
        return "OpenRoot"


async def _make_again(received: Iterable[CallReceived], frame: Frame) -> None:
    """Make the recorded calls of a replayed run. An unfinished call of a tool is not made.

    Raises:
        Suspended: the run was not closed.
    """
    for each in received:
        callee = frame.find(each.callee)
        prepared = frame.prepare_call(callee, each.arguments)
        if callee.facts.effect is Effect.COMPOSED or _output_of(each.call, frame) is not None:
            try:
                await prepared.make()
            except Suspended:
                continue
    if _output_of(frame.id, frame) is None:
        raise Suspended


class _Body:
    """One execution of the body. It starts the open calls of earlier executions, then accepts incoming calls.

    With ``_has_last``, a call has reported that it is the last one: the run ends when its calls have ended.
    """

    def __init__(self, calls: OpenCalls, frame: Frame) -> None:
        self._calls = calls
        self._frame = frame
        self._by_key: dict[str, OpenedCall] = {}
        self._unread: list[OpenedCall] = []
        self._running: dict[asyncio.Task[Reply], OpenedCall] = {}
        self._waiting: dict[str, OpenedCall] = {}
        self._has_last, self._read_items = False, 0
        self._is_leaving = False
        self._error: BaseException | None = None
        self._now = asyncio.get_running_loop().time
        self._look_at = self._now() + _LOOK_SECONDS

    async def serve(self) -> None:
        """Make calls until the run is closed, or a call was the last one.

        Raises:
            Suspended: no call arrives, a call can continue because its question was decided, or a newer version of the
                application continues the run.
        """
        self._calls.has_begun = True
        for item in [*_received_among(self._frame.ledger.recorded_items())]:
            opened = self._open(item, self._prepare(item.callee, item.arguments))
            opened.read_delivery(self._frame.ledger.items_for(item.call))
            if _output_of(opened.prepared.id, self._frame) is None:
                self._start(opened, self._context_for(item))
        try:
            while not await self._is_over():
                await self._wait()
        except asyncio.CancelledError:
            await self._stop()
            raise

    async def _is_over(self) -> bool:
        """Accept the incoming calls. Returns whether the run is closed.

        Raises:
            Suspended: the body ends although the run is not closed.
        """
        calls = self._calls
        while calls.delivered:
            call, delivery = calls.delivered.popleft()
            self._frame.ledger.add(Note(call=call, name=delivery.value, data="{}"))
        while (incoming := self._next_incoming()) is not None:
            try:
                await self._take(incoming)
            except BaseException as error:
                incoming.fail(error)
                raise
        if self._error is not None:
            for opened in self._running.values():
                opened.fail(self._error)
            raise Suspended  # the error is raised by the body instead
        if self._running:
            return False
        if self._is_leaving:
            raise Suspended
        if calls.closing is not None and self._waiting:
            if await calls.is_decided(self._questions()):
                raise Suspended  # the run is executed again and then closed
            what = f"the decision on {', '.join(self._questions())}" if self._questions() else "something to pass"
            calls.refuse_to_close(f"a call waits for {what}; close it afterwards, or cancel the run")
        if calls.closing is not None or (self._find_last() and not self._waiting):
            return True
        if not calls.holders:
            raise Suspended
        return False

    def _next_incoming(self) -> IncomingCall | None:
        """Remove the next call to accept. A body that leaves accepts only what its running calls wait for."""
        self._is_leaving = self._is_leaving or self._calls.is_outdated
        incoming = () if self._error is not None else self._calls.incoming
        for each in incoming:
            if not self._is_leaving or self._is_own(each):
                self._calls.incoming.remove(each)
                return each
        return None

    def _is_own(self, incoming: IncomingCall) -> bool:
        """Whether a running call of the run made the incoming call, or waits for its caller."""
        return find_own_call(self._calls.run, incoming.around) is not None

    async def _wait(self) -> None:
        """Wait for an event. The body leaves if none occurs, or when a waiting call can continue."""
        calls = self._calls
        calls.changed.clear()
        if self._is_leaving:
            await calls.changed.wait()  # a running call ends, or makes a call
            return
        rests_at = self._now() + calls.idle_seconds
        while not (calls.changed.is_set() or self._is_leaving):
            wakes_at = min(rests_at, self._look_at) if self._waiting else rests_at
            with contextlib.suppress(TimeoutError), Deadline(wakes_at - self._now(), _time_is_over):
                await calls.changed.wait()
            await self._look_at_decisions()
            if self._now() >= rests_at:
                self._is_leaving = self._is_leaving or not (self._running or calls.changed.is_set())
                return

    async def _look_at_decisions(self) -> None:
        """Leave if a waiting call can continue, because its question was decided."""
        if self._waiting and self._now() >= self._look_at:
            self._look_at = self._now() + _LOOK_SECONDS
            self._is_leaving = await self._calls.is_decided(self._questions()) or self._is_leaving

    async def _take(self, incoming: IncomingCall) -> None:
        if incoming.outcome.done():
            return
        known = self._find_known(incoming)
        if known is None and self._find_last() and not self._is_own(incoming):
            refuse_after_last(incoming)
            return
        if known is None:
            prepared = self._prepare(incoming.callee.name, incoming.arguments.raw, incoming.by)
            received = CallReceived(
                call=prepared.id,
                parent=self._frame.id,
                callee=incoming.callee.name,
                arguments=incoming.arguments.raw,
                key=incoming.key,
            )
            self._frame.ledger.add(received)
            known = self._open(received, prepared)
        elif not incoming.is_recorded_as(known.received):
            refuse_key(incoming)
            return
        elif known.task is not None and known in find_waiting_calls(incoming.around):
            refuse_to_wait(incoming, known)
            return
        elif known.questions and await self._calls.is_decided(known.questions):
            self._is_leaving = True
            if not self._is_own(incoming):
                self._calls.incoming.appendleft(incoming)
                return
        incoming.wait_for(known)
        if known.signal is not None:
            known.settle()
        elif known.task is None:
            self._start(known, incoming.context)

    def _find_known(self, incoming: IncomingCall) -> OpenedCall | None:
        """The call that the incoming one is: that of its key, or the same call whose result was not returned."""
        if incoming.key:
            return self._by_key.get(incoming.key)
        if not incoming.attaches:
            return None
        unread = (each for each in self._unread if not each.is_returned)
        return next((each for each in unread if incoming.is_recorded_as(each.received)), None)

    def _prepare(self, tool: str, arguments: str, by: Principal | None = None) -> PreparedCall:
        return self._frame.prepare_call(self._frame.find(tool), arguments, by=by)

    def _open(self, received: CallReceived, prepared: PreparedCall) -> OpenedCall:
        opened = OpenedCall(self._calls, received, prepared)
        if received.key:
            self._by_key[received.key] = opened
        else:
            self._unread = [*(each for each in self._unread if not each.is_returned), opened]
        return opened

    def _context_for(self, received: CallReceived) -> Context:
        """The context of a caller that repeats an earlier call, or else of this execution."""
        repeated = (each for each in self._calls.incoming if received.key and each.is_recorded_as(received))
        incoming = next(repeated, None)
        return copy_context() if incoming is None else incoming.context

    def _start(self, opened: OpenedCall, caller: Context) -> None:
        task = opened.task = asyncio.create_task(_make(opened.prepared), context=context_of_call(caller, opened))
        self._running[task] = opened
        task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[Reply]) -> None:
        opened = self._running.pop(task)
        self._error = opened.take_end(task, with_run=self._frame.ledger.execution.is_stopping) or self._error
        if opened.signal is not None:
            self._waiting[opened.prepared.id] = opened
        self._calls.changed.set()

    def _find_last(self) -> bool:
        """Whether a call of this or an earlier execution has reported that it is the last one."""
        items = self._frame.ledger.recorded_items()
        self._has_last = self._has_last or any(map(LastCall.is_in, items[self._read_items :]))
        self._read_items = len(items)
        return self._has_last

    def _questions(self) -> list[str]:
        return [question for each in self._waiting.values() for question in each.questions]

    async def _stop(self) -> None:
        """End all calls because the run is cancelled or taken over by another process."""
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait([*self._running])
        if self._frame.ledger.execution.is_stopping:
            for opened in [*self._waiting.values()]:
                opened.signal = None
                self._start(opened, copy_context())
            if self._running:
                await asyncio.wait([*self._running])


async def _make(prepared: PreparedCall) -> Reply:
    return await prepared.make()


def _received_among(items: Iterable[Item]) -> Iterator[CallReceived]:
    return (each for each in items if isinstance(each, CallReceived))


def _output_of(call: str, frame: Frame) -> ToolOutput | None:
    return next((each for each in frame.ledger.items_for(call) if isinstance(each, ToolOutput)), None)


def _time_is_over(_error: asyncio.CancelledError) -> TimeoutError:
    return TimeoutError()
