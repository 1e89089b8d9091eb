"""Executions that continue after their caller has stopped waiting, such as an abandoned stream."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextvars import Context
from typing import Any, Final, TypeVar

T = TypeVar("T")

_TASKS: Final = set[asyncio.Task[Any]]()
"""An event loop holds only weak references to tasks."""


def start_apart(execution: Coroutine[Any, Any, T], context: Context | None = None) -> asyncio.Task[T]:
    """Execute in a task that continues even if its caller leaves, in which case its error is not reported.

    The task runs in ``context``, or else in a copy of the caller's.
    """
    task = asyncio.create_task(execution, context=context)
    _TASKS.add(task)
    task.add_done_callback(_forget)
    return task


def _forget(task: asyncio.Task[Any]) -> None:
    _TASKS.discard(task)
    if not task.cancelled():
        task.exception()  # retrieved, because its caller may have left
