"""The concurrent calls of one body, and the signals that it cannot suppress."""

from __future__ import annotations

import asyncio
from typing import Any, Final, NoReturn

from remit.call.parallel import join_signals
from remit.errors import DivergedError, JournalError, NoModelError, Suspended
from remit.record.ledger import Ledger

_QUIET_TURNS: Final = 10
"""Turns of the event loop to wait for a body's next call: enough for five nested task groups."""

_CANCEL_TIMEOUT: Final = 60.0
"""Seconds on the loop's clock within which a re-executed body must cancel a call that it cancelled before."""

_STOPPING: Final = (JournalError, DivergedError, NoModelError)
"""Exceptions that stop the run in its present state."""


class BodyCalls:
    """The calls that the body of the call ``parent`` has made, in order.

    A body ends when its calls have ended. Three kinds of exceptions leave it even if it catches them or an asyncio task
    group wraps or drops them: a call's suspension; an exception that stops the run (a refusing journal, a divergence or
    a missing model); and, in a run that is being cancelled, the cancellation.

    A call that waits for a person neither returns nor raises while another call of the body is running. Therefore
    gather and TaskGroup neither abandon nor cancel tasks, and all questions are asked together. When no call is
    running, the body receives `Suspended`. From then on it may start no calls, because its actions after catching the
    signal differ from those of the resumed run.
    """

    __slots__ = (
        "_error",
        "_is_broken",
        "_ledger",
        "_parent",
        "_suspensions",
        "_waiters",
        "claims",
        "has_ended",
        "is_told",
        "running",
    )

    def __init__(self, parent: str, ledger: Ledger) -> None:
        self.claims: dict[str, bool] = {}
        self.running: dict[str, asyncio.Task[Any] | None] = {}
        self.is_told = False
        self.has_ended = False
        self._parent = parent
        self._ledger = ledger
        self._suspensions: dict[str, Suspended] = {}
        self._error: BaseException | None = None
        self._is_broken = False
        self._waiters: list[asyncio.Future[None]] = []

    @property
    def signal(self) -> BaseException | None:
        """The exception that must leave the body. A suspension holds the questions of all calls, in call order."""
        if self._error is not None or not self._suspensions:
            return self._error
        return join_signals(self._suspensions[call] for call in self.claims if call in self._suspensions)

    def end_call(self, call: str) -> None:
        """Report that a call has ended or waits for a person."""
        self.running.pop(call, None)
        if not self.running or self._is_broken:
            for waiter in self._waiters:
                if not waiter.done():
                    waiter.set_result(None)
            self._waiters.clear()

    def keep_signal(self, call: str, error: BaseException) -> None:
        """Keep a call's exception if it must propagate out of the body."""
        if isinstance(error, Suspended):
            self._suspensions[call] = error
        elif isinstance(error, asyncio.CancelledError):
            if self._ledger.execution.is_stopping:
                self._error = self._error or error
        elif isinstance(error, _STOPPING) or not isinstance(error, Exception):
            self._error, self.is_told = self._error or error, True
            self._is_broken = not isinstance(error, (DivergedError, NoModelError))

    async def stand_still(self) -> None:
        """Wait until no call of the body is running. Then it is known whether the body is suspended."""
        try:
            await self._wait_until_quiet()
        finally:
            self.is_told = True
            task = asyncio.current_task()
            assert task is not None  # noqa: S101 - a coroutine that awaits runs in a task
            # otherwise asyncio logs the signal
            task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())

    async def finish(self, error: BaseException | None, *, is_cancelled: bool) -> None:
        """End a body that returned or raised ``error``: wait for its calls, or stop them with the run.

        Raises:
            Suspended, JournalError, DivergedError, NoModelError, CancelledError: the signal of a call.
        """
        stops = is_cancelled or isinstance(error, JournalError)
        try:
            if not stops and (self.running or self._suspensions or self._ledger.order.expects(self._parent)):
                await self._wait_until_quiet()
        except asyncio.CancelledError:
            stops = True
            raise
        finally:
            self.has_ended = self.is_told = True
            if stops or self._is_broken:
                await self._stop_running()
        signal = self.signal
        if signal is not None and not stops and not isinstance(error, _STOPPING):
            raise signal

    async def stop_again(self, call: str) -> NoReturn:
        """Stand in for a call that the body cancelled in an earlier execution, until the body cancels it again.

        Raises:
            Suspended: the call was probably cancelled with its run, which is replayed up to this point.
            DivergedError: the body does not cancel the call.
        """
        if self._ledger.execution.was_cancelled:
            self._suspensions[call] = Suspended()
            raise self._suspensions[call]
        await asyncio.sleep(_CANCEL_TIMEOUT)
        raise DivergedError("the journal records a cancelled call, which the current code does not cancel")

    async def _wait_until_quiet(self) -> None:
        turns = 0
        while turns < _QUIET_TURNS and not self._is_broken:
            turns += 1
            if self.running:
                turns = 0
                waiter = asyncio.get_running_loop().create_future()
                self._waiters.append(waiter)
                await waiter
            else:
                await asyncio.sleep(0)

    async def _stop_running(self) -> None:
        """Cancel the calls that asyncio.wait or shield left running, and wait until they have ended."""
        tasks = [task for task in self.running.values() if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
