"""Shows the answer that an agent's model is writing on a terminal until it is recorded."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any, TypeVar

from remit.cli.terminal import Terminal
from remit.client.following import DropEvent, ItemEvent, follow_run
from remit.journal.ports import Store
from remit.views.run_view import RunView

T = TypeVar("T")

_POLL_SECONDS = 1.0


async def execute_shown(store: Store, run: str, terminal: Terminal, execution: Coroutine[Any, Any, T]) -> T:
    """Execute a run here, and show its agent's answers as they are written if the terminal shows answers."""
    if not terminal.shows_answers:
        return await execution
    following = asyncio.create_task(_show_answers(store, run, terminal))
    try:
        return await execution
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        terminal.write_answer("", "")


async def _show_answers(store: Store, run: str, terminal: Terminal) -> None:
    """Show the text of the run's own agent. Agents below it write for their callers."""
    view = RunView()
    async with contextlib.aclosing(follow_run(store, run, -1, _POLL_SECONDS, _has_not_ended)) as events:
        async for event in events:
            if isinstance(event, ItemEvent):
                view.add(event.item, event.position.at)
            elif view.root is None or event.call.rpartition(":")[0] != view.root.id:
                continue
            elif isinstance(event, DropEvent):
                terminal.write_answer("", "")
            elif event.kind == "text":
                terminal.write_answer(event.call, event.text)


async def _has_not_ended() -> bool:
    return False
