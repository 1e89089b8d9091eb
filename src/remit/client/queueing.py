"""Messages to a busy conversation: each is stored as a run that waits for its turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from remit.engine.conversations import Conversations
from remit.engine.executor import RunExecutor
from remit.engine.result import RunResult
from remit.errors import LeaseError, RequestError
from remit.journal.ports import Store
from remit.record.items import Item, RunOpened

POLL_SECONDS: Final = 0.2
PATIENCE_SECONDS: Final = 5.0
"""How long the preceding run may be without an executor before the caller of a queued run stops waiting."""


async def store_run(
    create_items: Callable[[], Awaitable[tuple[RunOpened, Sequence[Item]]]],
    conversations: Conversations,
    executor: RunExecutor,
) -> RunOpened:
    """Store a new run as the next one of its conversation, even if others store runs at the same time.

    ``create_items`` makes its header and the items that follow.

    Raises:
        RequestError: it is refused, or exists already.
    """
    while True:
        header, following = await create_items()
        try:
            await executor.create_run(header.call, header, *following)
        except RequestError:
            if not await conversations.has_moved(header):
                raise
        else:
            return header


async def run_in_turn(
    header: RunOpened, resume: Callable[[str], Awaitable[RunResult[Any]]], conversations: Conversations, store: Store
) -> RunResult[Any]:
    """Execute a stored run when the runs before it have ended, or follow it while another executor executes it.

    Returns the run as ``queued`` if a run before it rests, or if no executor continues an interrupted run before it,
    because none is available or one failed and postponed the run.
    """
    waited = 0.0
    while True:
        try:
            result = await resume(header.call)
        except LeaseError:
            result = None
        if result is not None and result.status != "queued":
            return result
        find_blocker = conversations.find_blocker
        blocker = await find_blocker(header, executing=True) or await find_blocker(header)
        if blocker is not None and result is not None:
            if blocker.status not in ("running", "queued"):
                return result
            waited = 0.0 if await store.is_held(blocker.run) else waited + POLL_SECONDS
            if waited > PATIENCE_SECONDS:
                why = f"it waits for run {blocker.run}, which no executor continues now; resume that run, or cancel it"
                return replace(result, reason=why)
        await asyncio.sleep(POLL_SECONDS)
