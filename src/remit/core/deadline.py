"""A time limit for the current task."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from contextvars import Context
from typing import ClassVar, Self


class Deadline:
    """Cancels the current task, unless it leaves the ``with`` block within ``seconds`` on the loop's clock.

    The error of ``make_error`` leaves the block in place of the cancellation. ``at`` is the time of the cancellation.
    This is cheaper than `asyncio.timeout`, which sets and cancels a timer each time.
    """

    __slots__ = ("_cancelling_before", "_is_over", "_make_error", "_seconds", "_task", "_timer", "at")

    def __init__(self, seconds: float, make_error: Callable[[asyncio.CancelledError], Exception]) -> None:
        self._seconds = seconds
        self._make_error = make_error

    def __enter__(self) -> Self:
        """Start the time limit."""
        loop = asyncio.get_running_loop()
        task = asyncio.current_task(loop)
        assert task is not None  # noqa: S101 - a coroutine that awaits runs in a task
        timer = _Timer.latest
        if timer is None or timer.loop is not loop:
            timer = _Timer.latest = _Timer(loop)
        self.at = loop.time() + self._seconds
        self._task, self._timer, self._is_over = task, timer, False
        self._cancelling_before = task.cancelling()
        timer.running[self] = None
        if self.at < timer.wake:
            timer.wake_at(self.at)
        return self

    def __exit__(self, _kind: type[BaseException] | None, error: BaseException | None, _traceback: object) -> None:
        """End the limit, and raise its error if nothing else has cancelled the task."""
        self._timer.running.pop(self, None)
        is_alone = self._is_over and self._task.uncancel() <= self._cancelling_before
        if is_alone and isinstance(error, asyncio.CancelledError):
            raise self._make_error(error) from error

    def expire(self) -> None:
        """Cancel the task because its time is up."""
        self._is_over = True
        self._task.cancel()


class _Timer:
    """Expires the time limits of one event loop.

    All limits share one loop timer, which stays set when a limit ends. Most limits end long before their time, and
    setting and cancelling a timer for each would cost more than any layer. ``latest`` is the timer of the loop used
    last; timers of other loops only serve the limits that they already have.
    """

    __slots__ = ("_handle", "loop", "running", "wake")

    latest: ClassVar[_Timer | None] = None

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.running: dict[Deadline, None] = {}
        self._handle: asyncio.TimerHandle | None = None
        self.wake = math.inf

    def wake_at(self, at: float) -> None:
        """Schedule the check for expired limits at this time."""
        if self._handle is not None:
            self._handle.cancel()
        self.wake = at
        # The timer outlives the call that sets it, and would keep that call's context alive.
        self._handle = self.loop.call_at(at, self._expire, context=Context())

    def _expire(self) -> None:
        for deadline in [each for each in self.running if each.at <= self.wake]:
            del self.running[deadline]
            deadline.expire()
        self._handle, self.wake = None, math.inf
        if self.running:
            self.wake_at(min(each.at for each in self.running))
