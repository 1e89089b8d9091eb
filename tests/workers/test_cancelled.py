"""A cancel of a worker's run, at whichever step of the event loop it comes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import CoroutineType
from typing import Any

import pydantic_ai

from remit.runtime import RunResult
from remit.testing import superuser
from tests.workers.kit import Script, runtime_of, worker_of

THEIRS = str(Path(pydantic_ai.__file__).parent)


async def cancelled_after(steps: int, running: asyncio.Task[RunResult[Any]]) -> bool:
    """Whether a run could be cancelled after so many steps of the loop."""
    for _ in range(steps):
        await asyncio.sleep(0)
    if running.done():
        return False
    running.cancel()
    await asyncio.wait({running})
    return True


def made_by_pydantic_ai(task: asyncio.Task[Any]) -> bool:
    coroutine = task.get_coro()
    return isinstance(coroutine, CoroutineType) and coroutine.cr_code.co_filename.startswith(THEIRS)


async def test_a_cancel_at_any_step_ends_the_run_and_leaves_no_task_of_ours() -> None:
    """PydanticAI may leave one, which waits for nothing, where the cancel comes while its run begins."""
    script, steps = Script("done"), 0
    worker = worker_of(script.model)
    while True:
        runtime = runtime_of(worker)
        running = asyncio.create_task(runtime.call(worker, superuser(), "go"))
        if not await cancelled_after(steps, running):
            break
        asked, left = len(script.requests), asyncio.all_tasks() - {asyncio.current_task()}
        assert len(left) <= 1
        assert all(made_by_pydantic_ai(task) for task in left)
        assert {row.status for row in await runtime.store.list_runs()} <= {"cancelled", "done"}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        assert len(script.requests) == asked
        steps += 1
    assert running.result().value() == "done"
    assert steps > 10
