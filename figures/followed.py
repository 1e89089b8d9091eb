"""A run with a reader, who goes on where the execution before it stopped."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from figures.stream_world import Reader
from remit.client.following import follow_run
from remit.engine.watching import wake_streams
from remit.stores import Store

T = TypeVar("T")


async def execute_followed(
    store: Store,
    run: str,
    reader: Reader,
    execution: Coroutine[Any, Any, T],
    keep: Callable[[], None] = lambda: None,
) -> T:
    """Execute a run while ``reader`` follows it; ``keep`` is called after each event."""
    task = asyncio.create_task(execution)
    task.add_done_callback(lambda _task: wake_streams(run, for_items=True))

    async def has_ended() -> bool:
        return task.done()

    async with contextlib.aclosing(follow_run(store, run, reader.after, 0.5, has_ended)) as events:
        async for event in events:
            reader.add(event)
            keep()
    return await task
