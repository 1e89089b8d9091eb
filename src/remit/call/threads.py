"""Plain functions as tools. Each call runs in a separate thread, outside the event loop."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial, wraps
from typing import Any


class ThreadStillRunning(asyncio.CancelledError):
    """A call was cancelled while its function continues in a thread. ``thread`` receives the outcome."""

    def __init__(self, thread: Future[Any]) -> None:
        super().__init__("it runs in a thread, which cannot be stopped, and is still running")
        self.thread = thread


def awaitable_body(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``function`` if it is async, or else an async function that runs it in a thread.

    The thread sees the call's context variables. It cannot be stopped: a cancelled call does not wait for it and raises
    `ThreadStillRunning`. The thread is a daemon, so it does not keep the process alive.
    """
    if inspect.iscoroutinefunction(function):
        return function

    @wraps(function)
    async def run_in_thread(*args: Any, **kwargs: Any) -> Any:
        thread = Future[Any]()
        thread.set_running_or_notify_cancel()  # so that it cannot be cancelled
        call = partial(copy_context().run, function, *args, **kwargs)
        name = f"remit tool {function.__name__}"
        threading.Thread(target=_run, args=(call, thread), name=name, daemon=True).start()
        return await wait_for_thread(thread)

    return run_in_thread


async def wait_for_thread(thread: Future[Any]) -> Any:
    """Return the result of a function in a thread, or raise its exception.

    Raises:
        ThreadStillRunning: the wait was cancelled first.
    """
    waiter = asyncio.wrap_future(thread)
    try:
        return await waiter
    except asyncio.CancelledError as error:
        if not waiter.cancelled():
            raise
        raise ThreadStillRunning(thread) from error


def _run(call: Callable[[], Any], thread: Future[Any]) -> None:
    try:
        result = call()
        if inspect.iscoroutine(result):
            result.close()
            raise TypeError("it returned a coroutine; declare it `async def`")  # noqa: TRY301 - for the call's task
    except StopIteration as error:
        thread.set_exception(RuntimeError(f"it raised {error!r}"))  # a future cannot hold a StopIteration
    except BaseException as error:  # noqa: BLE001 - raised in the task that awaits the call
        thread.set_exception(error)
    else:
        thread.set_result(result)
