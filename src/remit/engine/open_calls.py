"""The incoming and the made calls of an open run while this process executes it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from enum import Enum
from typing import Any

from remit.call.facts import Effect
from remit.call.reply import Reply
from remit.call.step import PreparedCall
from remit.dispatch.registry import AnyCallee
from remit.engine.outcome import ExecutionOutcome
from remit.engine.request import identify_arguments
from remit.errors import IdempotencyError, RequestConflictError, Suspended
from remit.record.arguments import Arguments, Limits, parse_arguments
from remit.record.current_run import CURRENT_RUN
from remit.record.items import CallReceived, Item, Note, QuestionItem, ToolOutput
from remit.record.principal import Principal

CallFuture = asyncio.Future[ExecutionOutcome]
IsDecided = Callable[[Sequence[str]], Awaitable[bool]]
"""Whether one of these questions is no longer open."""
ExecuteCalls = Callable[["OpenCalls"], Awaitable[Any]]
"""Executes the run of these calls with one version of the application."""


class IncomingCall:
    """A call that comes from outside, made ``by`` a principal.

    The caller awaits ``outcome``; ``context`` has the caller's context variables. ``call`` is the call's id after the
    run has accepted it, and ``around`` are the calls of open runs in whose bodies it is made. A call that ``attaches``
    is the same call of the run whose result was not returned, if there is one.
    """

    __slots__ = ("_opened", "arguments", "around", "attaches", "by", "callee", "context", "key", "outcome")

    def __init__(
        self, callee: AnyCallee, arguments: Arguments, key: str, by: Principal, *, attaches: bool = False
    ) -> None:
        self.callee, self.arguments, self.key, self.by, self.attaches = callee, arguments, key, by, attaches
        self.outcome: CallFuture = asyncio.get_running_loop().create_future()
        self.context = copy_context()
        self.around = CURRENT_RUN.get().calls_around
        self._opened: OpenedCall | None = None

    @property
    def call(self) -> str:
        """The id of the call; empty until the run has accepted it."""
        return "" if self._opened is None else self._opened.prepared.id

    def is_recorded_as(self, received: CallReceived) -> bool:
        """Whether a recorded call has its key, its tool and its arguments."""
        if (received.key, received.callee) != (self.key, self.callee.name):
            return False
        given, recorded = self.arguments, parse_arguments(received.arguments, Limits())
        return given.raw == received.arguments or (
            identify_arguments(self.callee, given) == identify_arguments(self.callee, recorded)
        )

    def settle(self, outcome: ExecutionOutcome) -> None:
        """Tell the caller the outcome of the call."""
        if not self.outcome.done():
            self.outcome.set_result(outcome)

    def fail(self, error: BaseException) -> None:
        """Tell the caller that the outcome of the call is unknown."""
        if not self.outcome.done():
            self.outcome.set_exception(error)

    def wait_for(self, opened: OpenedCall) -> None:
        """Wait for a call in progress."""
        self._opened = opened
        opened.waiters.append(self)

    async def give_up(self) -> None:
        """End the call, unless another caller waits for it, and return when that is on record.

        A call that attaches continues if it may have an effect: its result waits for the same call.
        """
        self.outcome.cancel()
        opened = self._opened
        if opened is None or self not in opened.waiters:
            return  # it is not accepted yet, or has ended
        opened.waiters.remove(self)
        if opened.task is None or opened.waiters:
            return
        if self.attaches and self.callee.facts.effect is not Effect.PURE:
            opened.calls.report(opened, Delivery.LEFT)
            return
        opened.task.cancel()
        await asyncio.wait([opened.task])

    def confirm(self) -> None:
        """Report that the caller has got the result of the call."""
        if self._opened is not None:
            self._opened.calls.report(self._opened, Delivery.RETURNED)


class Delivery(Enum):
    """What is on record about the result of a call, as a note: a caller got it, or a caller left before it."""

    RETURNED = "result_returned"
    LEFT = "caller_left"


class OpenedCall:
    """A ``received`` call of an open run. ``signal`` is set while it waits, ``task`` while it runs.

    ``is_returned`` says that a caller has got its result. ``is_late`` says that the result comes after a decision, or
    after its caller has left, so that only the journal can tell whether it was returned.
    """

    __slots__ = ("calls", "is_late", "is_returned", "prepared", "received", "signal", "task", "waiters")

    def __init__(self, calls: OpenCalls, received: CallReceived, prepared: PreparedCall) -> None:
        self.calls, self.received, self.prepared = calls, received, prepared
        self.is_late = self.is_returned = False
        self.signal: Suspended | None = None
        self.task: asyncio.Task[Reply] | None = None
        self.waiters: list[IncomingCall] = []

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions whose decisions it waits for."""
        return () if self.signal is None else self.signal.questions

    def read_delivery(self, items: Sequence[Item]) -> None:
        """Read from its items whether a caller has got its result."""
        self.is_late, self.is_returned = read_delivery(items)

    def take_end(self, task: asyncio.Task[Reply], *, with_run: bool) -> BaseException | None:
        """Tell the callers how the task ended, ``with_run`` if it is stopping. Returns an error that stops the run."""
        self.task = None
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if isinstance(error, Suspended):
            self.signal, self.is_late = error, True
            self.settle()
        elif error is None:
            self.settle(task.result())
        elif isinstance(error, asyncio.CancelledError):
            self.settle(Reply.from_stopped_call(with_run=with_run))
        else:
            self.fail(error)
            return error
        return None

    def fail(self, error: BaseException) -> None:
        """Tell the callers that the outcome of the call is unknown because the run is stopped."""
        for each in self.waiters:
            each.fail(error)
        self.waiters.clear()

    def settle(self, reply: Reply | None = None) -> None:
        """Tell the callers the reply, or that the call waits if there is none."""
        if reply is not None:
            outcome = outcome_of(reply)
        else:
            reason = "" if self.signal is None else self.signal.reason
            outcome = ExecutionOutcome(
                status="stalled" if reason else "waiting", questions=self.questions, reason=reason
            )
        for each in self.waiters:
            each.settle(outcome)
        self.waiters.clear()


def read_delivery(items: Iterable[Item]) -> tuple[bool, bool]:
    """Whether the result of a call with these items is late, and whether a caller has got it.

    A result that was never late was returned at once.
    """
    items = [*items]
    notes = {each.name for each in items if isinstance(each, Note)}
    is_late = Delivery.LEFT.value in notes or any(isinstance(each, QuestionItem) for each in items)
    has_ended = any(isinstance(each, ToolOutput) for each in items)
    return is_late, has_ended and (not is_late or Delivery.RETURNED.value in notes)


def list_unread(items: Iterable[Item]) -> list[CallReceived]:
    """The calls without a key of an open run with these items whose result was not returned."""
    by_call = dict[str, list[Item]]()
    for item in items:
        by_call.setdefault(item.call, []).append(item)
    received = (each for found in by_call.values() for each in found if isinstance(each, CallReceived))
    return [each for each in received if not each.key and not read_delivery(by_call[each.call])[1]]


def find_waiting_calls(around: Sequence[OpenedCall]) -> list[OpenedCall]:
    """The calls that wait for a task: those around it, and those that wait for one of these."""
    waiting = [*around]
    for call in waiting:  # which grows by the calls that wait for this one
        for waiter in (*(each.around for each in call.waiters), *call.calls.waiters):
            waiting += [each for each in waiter if each not in waiting]
    return waiting


def find_own_call(run: str, around: Sequence[OpenedCall]) -> OpenedCall | None:
    """The running call of ``run`` that waits for a task in the calls ``around``, which must not wait for that run."""
    running = (each for each in find_waiting_calls(around) if each.task is not None)
    return next((each for each in running if each.calls.run == run), None)


class OpenCalls:
    """The calls of one open run, for its body and its callers.

    ``holders`` may make more calls, for which the body waits ``idle_seconds``. ``delivered`` has what the body is to
    record of results. ``ended`` is done when this process no
    longer executes the run. ``waiters`` has the calls around each task that waits for all running calls. ``execute``
    executes the run with the newest ``version`` of the application that a call came from; the body leaves when it
    ``is_outdated``.
    """

    __slots__ = (
        "changed",
        "closing",
        "delivered",
        "ended",
        "execute",
        "has_begun",
        "holders",
        "idle_seconds",
        "incoming",
        "is_decided",
        "is_outdated",
        "run",
        "version",
        "waiters",
    )

    def __init__(self, run: str, is_decided: IsDecided, version: int, execute: ExecuteCalls) -> None:
        self.run = run
        self.is_decided = is_decided
        self.version, self.execute, self.is_outdated = version, execute, False
        self.incoming: deque[IncomingCall] = deque()
        self.delivered: deque[tuple[str, Delivery]] = deque()
        self.changed = asyncio.Event()
        self.closing: asyncio.Future[Any] | None = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.holders = set[Any]()
        self.waiters: list[tuple[OpenedCall, ...]] = []
        self.idle_seconds = 0.0
        self.has_begun = False

    @property
    def has_work(self) -> bool:
        """Whether the run must be executed."""
        return bool(self.incoming or self.delivered) or self.closing is not None

    def update(self, version: int, execute: ExecuteCalls) -> None:
        """Continue with a newer version of the application when the running calls have ended."""
        if version > self.version:
            self.version, self.execute, self.is_outdated = version, execute, True
            self.changed.set()

    def take(self, incoming: IncomingCall) -> None:
        """Take a call for the body."""
        self.incoming.append(incoming)
        self.changed.set()

    def report(self, opened: OpenedCall, delivery: Delivery) -> None:
        """Report who has got the result of a call. The body records it where the journal does not say it by itself."""
        opened.is_returned = delivery is Delivery.RETURNED
        opened.is_late = opened.is_late or not opened.is_returned
        if opened.is_late and not opened.received.key:
            self.delivered.append((opened.prepared.id, delivery))
            self.changed.set()

    def close(self) -> asyncio.Future[Any]:
        """Ask the body to end the run when no call is open. Returns a future that is done on the end or a refusal."""
        if self.closing is None:
            self.closing = asyncio.get_running_loop().create_future()
        self.changed.set()
        return self.closing

    def refuse_to_close(self, why: str) -> None:
        """Refuse the request to close the run."""
        self._fail_closing(RequestConflictError(f"run {self.run} cannot be closed: {why}"))

    @contextmanager
    def waited_for(self, around: tuple[OpenedCall, ...]) -> Generator[None]:
        """Record that a task in the calls ``around`` waits for all running calls of this run."""
        self.waiters.append(around)
        try:
            yield
        finally:
            self.waiters.remove(around)

    def leave(self, holder: object) -> None:
        """Record that a holder makes no more calls."""
        self.holders.discard(holder)
        self.changed.set()

    def settle_all(self, outcome: ExecutionOutcome) -> None:
        """Tell all callers, and the requester of the close, that the run rests without having begun."""
        while self.incoming:
            self.incoming.popleft().settle(outcome)
        self.refuse_to_close(outcome.reason or f"it is {outcome.status}")

    def fail_all(self, error: BaseException) -> None:
        """Tell all callers, and the requester of the close, that the run cannot be executed."""
        while self.incoming:
            self.incoming.popleft().fail(error)
        self._fail_closing(error)

    def _fail_closing(self, error: BaseException) -> None:
        closing, self.closing = self.closing, None
        if closing is not None and not closing.done():
            closing.set_exception(error)


def outcome_of(reply: Reply) -> ExecutionOutcome:
    """The outcome of a call with this reply."""
    if reply.is_stopped:
        return ExecutionOutcome(status="cancelled", reply=reply)
    return ExecutionOutcome(status="done" if reply.outcome == "ok" else "failed", reply=reply)


def refuse_to_wait(incoming: IncomingCall, known: OpenedCall) -> None:
    """Refuse the key of a running call that would wait for the caller that repeats it."""
    call = f"the call with the key {incoming.key!r}" if incoming.key else f"the call of {incoming.callee.name}"
    why = f"{call} waits for the one that repeats it: each would wait for the other"
    if known in incoming.around:
        what = f"the key {incoming.key!r}" if incoming.key else f"a call of {incoming.callee.name} with attach=True"
        why = f"{what} was repeated in the body of its own call, which would wait for itself"
    incoming.fail(RequestConflictError(f"{why}; use another key"))


def refuse_after_last(incoming: IncomingCall) -> None:
    """Refuse a call of a run that ends because a call of it was the last one."""
    what = f"{incoming.callee.name} cannot be called, because another call was the last one of this run"
    incoming.fail(RequestConflictError(f"{what}; open another run"))


def refuse_key(incoming: IncomingCall) -> None:
    """Refuse a key that was used for another call of the run."""
    incoming.fail(IdempotencyError(f"the key {incoming.key!r} was used for another call of this run; use a new key"))
