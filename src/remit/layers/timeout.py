"""Time limits for one attempt of a call, one model request or one step."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from msgspec import structs
from pydantic import NonNegativeFloat, PositiveFloat

from remit.call.call import AnyLayer, Call
from remit.call.threads import ThreadStillRunning
from remit.core import Place, Service
from remit.core.amounts import format_seconds
from remit.core.call_checks import check_arguments
from remit.core.deadline import Deadline
from remit.errors import DeadlineError, SetupError, StillRunningError

Q = TypeVar("Q")
R = TypeVar("R")

_ABANDONED_TASKS: Final = set[asyncio.Task[Any]]()
"""Abandoned tasks that still run; an event loop holds only weak references to tasks."""


@check_arguments()
@dataclass(frozen=True, slots=True)
class Timeout(AnyLayer):
    """Cancels an attempt after ``seconds`` on the loop's clock and raises `DeadlineError`.

    Without ``grace``, the error is raised when the attempt has stopped, however long this takes. With ``grace``, it is
    raised at most ``grace`` seconds later: an attempt that is still running is abandoned, and the error is
    `StillRunningError`. This needs a task per attempt, which costs about 15 µs.

    With ``of_all_executions``, an attempt that resumes in another execution of its run has only the remaining seconds;
    the time in which the run rests does not count. Otherwise each execution has the full ``seconds``. This option
    requires ``grace=None``.

    The call's deadline is set unless it is already earlier. Calls that its body makes inherit the deadline.

    As a layer of a runtime or an application, it limits each call that agents make. It limits an agent itself only if
    `where` selects the agent; ``AgentLimits(seconds=…)`` limits one agent.
    """

    place = Place.TIMEOUT
    seconds: PositiveFloat
    grace: NonNegativeFloat | None = None
    of_all_executions: bool = False

    def __post_init__(self) -> None:
        if self.of_all_executions and self.grace is not None:
            raise SetupError(f"{self!r}: a limit on all executions has no grace")

    def __call__(self, inner: Service[Q, R], /) -> Service[Q, R]:
        """Limit the time of ``inner``."""
        if self.grace is None:
            return _Timeout(inner, self.seconds, self.of_all_executions).__call__
        return _Graceful(inner, self.seconds, self.grace).__call__

    def __repr__(self) -> str:
        grace = "" if self.grace is None else f", grace={self.grace!r}"
        executions = ", of_all_executions=True" if self.of_all_executions else ""
        return f"Timeout(seconds={self.seconds!r}{grace}{executions})"


def _deadline_error(seconds: float, error: asyncio.CancelledError) -> DeadlineError:
    if isinstance(error, ThreadStillRunning):
        return StillRunningError(f"Timeout: no result within {format_seconds(seconds)}; {error}")
    return DeadlineError(f"Timeout: no result within {format_seconds(seconds)}; the attempt was cancelled")


def _with_deadline(request: Q, deadline: float) -> Q:
    """Set the deadline of a call; other requests have none."""
    if isinstance(request, Call) and (request.deadline is None or deadline < request.deadline):
        return structs.replace(request, deadline=deadline)
    return request


class _Timeout(Generic[Q, R]):
    __slots__ = ("_inner", "_of_all_executions", "_seconds")

    def __init__(self, inner: Service[Q, R], seconds: float, of_all_executions: bool) -> None:  # noqa: FBT001
        self._inner = inner
        self._seconds = seconds
        self._of_all_executions = of_all_executions

    async def __call__(self, request: Q, /) -> R:
        seconds = self._seconds
        if self._of_all_executions and isinstance(request, Call):
            seconds -= request.ledger.meter.seconds_before(request.id)
            if seconds <= 0:
                limit = f"{format_seconds(self._seconds)} over all executions of the run"
                raise DeadlineError(f"Timeout: no result within {limit}")
        with Deadline(seconds, self._make_error) as deadline:
            return await self._inner(_with_deadline(request, deadline.at))

    def _make_error(self, error: asyncio.CancelledError) -> DeadlineError:
        return _deadline_error(self._seconds, error)


class _Graceful(Generic[Q, R]):
    __slots__ = ("_grace", "_inner", "_seconds")

    def __init__(self, inner: Service[Q, R], seconds: float, grace: float) -> None:
        self._inner = inner
        self._seconds = seconds
        self._grace = grace

    async def __call__(self, request: Q, /) -> R:
        deadline = asyncio.get_running_loop().time() + self._seconds
        body = _GracefulTask(self._inner(_with_deadline(request, deadline)), deadline, self._grace)
        await body.wait()
        try:
            if body.task.done():
                return body.task.result()
        except asyncio.CancelledError as error:
            if body.expired and not body.is_caller_cancelled:
                raise _deadline_error(self._seconds, error) from error
            raise
        body.abandon()
        if body.is_caller_cancelled:
            raise asyncio.CancelledError
        detail = f"it was cancelled, and {format_seconds(self._grace)} later it is still running"
        raise StillRunningError(f"Timeout: no result within {format_seconds(self._seconds)}; {detail}")


class _GracefulTask(Generic[R]):
    """Runs the body in a task and cancels it when its time is up or its caller is cancelled."""

    __slots__ = (
        "_grace",
        "_is_over",
        "_is_stopping",
        "_loop",
        "_timer",
        "_waiter",
        "expired",
        "is_caller_cancelled",
        "task",
    )

    def __init__(self, body: Coroutine[Any, Any, R], deadline: float, grace: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._grace = grace
        self._is_over = self._is_stopping = self.is_caller_cancelled = self.expired = False
        self._waiter = self._loop.create_future()
        self._timer = self._loop.call_at(deadline, self._expire)
        self.task = self._loop.create_task(body)
        self.task.add_done_callback(self._end)

    async def wait(self) -> None:
        """Return when the task has ended or the grace is over."""
        while not self._is_over:
            try:
                await self._waiter
            except asyncio.CancelledError:
                if self.task.done():
                    self._timer.cancel()
                    _consume_result(self.task)
                    raise
                self.is_caller_cancelled = True
                self._waiter = self._loop.create_future()
                self._stop()
        self._timer.cancel()

    def abandon(self) -> None:
        """Let the task continue. The base journals its effects."""
        _ABANDONED_TASKS.add(self.task)
        self.task.add_done_callback(_consume_result)

    def _expire(self) -> None:
        self.expired = True
        self._stop()

    def _stop(self) -> None:
        if not self._is_stopping:
            self._is_stopping = True
            self._timer.cancel()
            self._timer = self._loop.call_at(self._loop.time() + self._grace, self._end)
        self.task.cancel()

    def _end(self, _task: object = None) -> None:
        self._is_over = True
        if not self._waiter.done():
            self._waiter.set_result(None)


def _consume_result(task: asyncio.Task[Any]) -> None:
    """Retrieve the exception, so that asyncio does not warn about it."""
    _ABANDONED_TASKS.discard(task)
    if not task.cancelled():
        task.exception()
