"""Plain functions as tools: each call runs in a thread of its own, beside the event loop."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from functools import partial, wraps
from typing import Any

from remit.contracts.callee import LeafContext
from remit.contracts.principal import Caller


class ThreadStillRunning(asyncio.CancelledError):
    """A call was cancelled while its function ran in a thread. The thread cannot be stopped and continues."""


class ThreadContext:
    """The context of a call whose function runs in a thread. The event loop's thread writes its messages."""

    __slots__ = ("_ctx", "_loop")

    def __init__(self, ctx: LeafContext, loop: asyncio.AbstractEventLoop) -> None:
        self._ctx = ctx
        self._loop = loop

    @property
    def run(self) -> str:
        """The id of the run."""
        return self._ctx.run

    @property
    def caller(self) -> Caller:
        """The caller: agent, principal, tenant."""
        return self._ctx.caller

    @property
    def deadline(self) -> float | None:
        """The time by which a result is due, on the loop's clock."""
        return self._ctx.deadline

    @property
    def key(self) -> str:
        """The idempotency key of this call."""
        return self._ctx.key

    def log(self, message: str, /, **fields: object) -> None:
        """Write a message to the journal."""
        self._write(partial(self._ctx.log, message, **fields))

    def emit(self, name: str, data: object = None, /) -> None:
        """Write progress to the journal."""
        self._write(partial(self._ctx.emit, name, data))

    def _write(self, write: Callable[[], None]) -> None:
        """Run ``write`` in the loop's thread and wait for it: a journal belongs to its loop."""
        written = Future[None]()

        def run() -> None:
            try:
                written.set_result(write())
            except Exception as error:  # noqa: BLE001 - raised in the thread
                written.set_exception(error)

        self._loop.call_soon_threadsafe(run)
        written.result()


def awaitable_body(function: Callable[..., Any], *, wants_context: bool) -> Callable[..., Any]:
    """``function`` if it is async, else an async function that runs it in a thread.

    The thread sees the context variables of the call. It cannot be stopped: a call that is cancelled does not wait for
    it and raises `ThreadStillRunning`. The thread is a daemon, so it does not keep the process alive either.
    """
    if inspect.iscoroutinefunction(function):
        return function

    @wraps(function)
    async def run_in_thread(*args: Any, **kwargs: Any) -> Any:
        loop = asyncio.get_running_loop()
        if wants_context:
            args = (ThreadContext(args[0], loop), *args[1:])
        future = loop.create_future()
        call = partial(copy_context().run, function, *args, **kwargs)
        name = f"remit tool {function.__name__}"
        threading.Thread(target=_run, args=(call, loop, future), name=name, daemon=True).start()
        try:
            return await future
        except asyncio.CancelledError as error:
            if not future.cancelled():
                raise
            raise ThreadStillRunning("it runs in a thread, which cannot be stopped, and is still running") from error

    return run_in_thread


def _run(call: Callable[[], Any], loop: asyncio.AbstractEventLoop, future: asyncio.Future[Any]) -> None:
    result: Any = None
    failure: BaseException | None = None
    try:
        result = call()
        if inspect.iscoroutine(result):
            result.close()
            failure = TypeError("it returned a coroutine; declare it `async def`")
    except StopIteration as error:
        failure = RuntimeError(f"it raised {error!r}")  # a future refuses to hold a StopIteration
    except BaseException as error:  # noqa: BLE001 - raised in the task that awaits the call
        failure = error

    def deliver() -> None:
        if future.done():
            return
        if failure is None:
            future.set_result(result)
        else:
            future.set_exception(failure)

    with suppress(RuntimeError):  # the loop is closed: nothing awaits the call
        loop.call_soon_threadsafe(deliver)
