"""Distinguishes failures of application code, which end one call, from signals to the task or process."""

from __future__ import annotations

import asyncio
import signal
import sysconfig
import threading
import traceback
from pathlib import Path
from typing import Final, cast

from remit.errors import CallError, InvalidOutputError, Suspended, ToolFailed
from remit.schemas.finding import display_path

_OWN_FOLDER: Final = str(Path(__file__).parents[1])
_LIBRARY: Final = sysconfig.get_paths()["stdlib"]


def is_failure(error: BaseException) -> bool:
    """Whether an exception that left application code ends only the call for which the code ran.

    Call this in the frame that caught the exception. Exceptions that would end the process or suspend the run are
    failures too, because only Remit may raise such signals. Not failures are a cancellation, an external interrupt, and
    the closing of a coroutine. Other subclasses of ``BaseException`` are not failures either; they stop the run like a
    crash.
    """
    if isinstance(error, asyncio.CancelledError):
        return not is_cancel_requested()
    if isinstance(error, KeyboardInterrupt):
        return not (is_cancel_requested() or _may_be_interrupted())
    if isinstance(error, GeneratorExit):
        return not is_closing(error)
    return isinstance(error, (Exception, SystemExit, BaseExceptionGroup, Suspended))


def find_answer(error: BaseException) -> ToolFailed | None:
    """The first answer in a group in which tasks raised nothing else, as of a ``TaskGroup``; None for other errors."""
    if not isinstance(error, BaseExceptionGroup):
        return None
    group = cast("BaseExceptionGroup[BaseException]", error)
    answers = [each if isinstance(each, ToolFailed) else find_answer(each) for each in group.exceptions]
    return None if None in answers else answers[0]


def locate_failure(error: BaseException, checked: str = "") -> str:
    """Locate where application code raised an exception or its cause: ``file:line in function``; empty if unknown.

    An error about a refused result is raised by the checking library, so its location is ``checked``, that of the tool.
    """
    if isinstance(error, CallError) and error.raised_at:
        return error.raised_at
    causes = [error] if error.__cause__ is None else [error.__cause__, error]
    frames = [frame for each in reversed(causes) for frame in traceback.extract_tb(each.__traceback__)]
    found = [frame for frame in frames if not frame.filename.startswith((_OWN_FOLDER, "<"))]
    own = [each for each in found if "site-packages" not in each.filename and not each.filename.startswith(_LIBRARY)]
    if isinstance(error, InvalidOutputError) and not own:
        return checked
    last = (own or found or [None])[-1]
    return "" if last is None else f"{display_path(last.filename)}:{last.lineno} in {last.name}"


def place_as(told: CallError, error: BaseException) -> CallError:
    """The error to report in place of another one, with the location where that one was raised.

    The other error is not set as the cause if its message reveals redacted data.
    """
    told.raised_at = locate_failure(error)
    return told


def is_cancel_requested() -> bool:
    """Whether this task was cancelled. Otherwise, a CancelledError comes from another task that this one awaited."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def is_closing(error: BaseException) -> bool:
    """Whether ``error`` closes the coroutine that caught it, rather than coming from awaited code."""
    trace = error.__traceback__
    return isinstance(error, GeneratorExit) and (trace is None or trace.tb_next is None)


def _may_be_interrupted() -> bool:
    """Whether Ctrl-C raises KeyboardInterrupt in running code. ``asyncio.run`` cancels its main task instead."""
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
