"""Ctrl-C and SIGTERM while a coroutine runs: once cancels it, twice ends the process."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

from remit.errors import CallCancelledError

_SHOW_CURSOR: Final = b"\x1b[?25h"


@contextmanager
def exit_at_second_ctrl_c() -> Generator[None]:
    """Inside the block, the first Ctrl-C cancels the running coroutine and the second ends the process.

    The handler ends it: asyncio would raise KeyboardInterrupt, which the code that happens to run may swallow.
    """
    cancel = signal.getsignal(signal.SIGINT)
    if not callable(cancel) or threading.current_thread() is not threading.main_thread():
        yield
        return
    is_first = True

    def on_ctrl_c(number: int, frame: FrameType | None) -> None:
        nonlocal is_first
        if not is_first:
            exit_immediately()
        is_first = False
        cancel(number, frame)

    signal.signal(signal.SIGINT, on_ctrl_c)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, cancel)


@contextmanager
def cancel_at_sigterm() -> Generator[None]:
    """Inside the block, the first SIGTERM cancels the current task and the second ends the process.

    Raises:
        CallCancelledError: it was cancelled, and has ended.
    """
    loop, task, is_stopped = asyncio.get_running_loop(), asyncio.current_task(), False

    def on_sigterm() -> None:
        nonlocal is_stopped
        is_stopped = True
        loop.remove_signal_handler(signal.SIGTERM)
        if task is not None:
            task.cancel()

    with suppress(RuntimeError):  # Windows has no such handlers, and only the main thread sets any
        loop.add_signal_handler(signal.SIGTERM, on_sigterm)
    try:
        yield
    except asyncio.CancelledError:
        if is_stopped:
            raise CallCancelledError("stopped by SIGTERM") from None
        raise
    finally:
        with suppress(RuntimeError):
            loop.remove_signal_handler(signal.SIGTERM)


def exit_immediately() -> None:
    """Exit as a crash would: nothing more is written, and the run can be resumed."""
    if os.isatty(2):
        os.write(2, _SHOW_CURSOR)
    os._exit(130)
