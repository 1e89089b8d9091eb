"""A stored run is executed when those before it have ended."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from remit import Effect, tool
from remit.client.queueing import run_in_turn
from remit.engine.conversations import Conversations
from remit.engine.outcome import ExecutionStatus
from remit.engine.result import RunResult
from remit.errors import LeaseError
from remit.record.items import RunFinished, RunSuspended
from remit.stores import InMemoryStore
from remit.testing.store_suite.samples import begin, header_item, question, question_item


@tool(effect=Effect.PURE)
async def look() -> str:
    """Look."""
    return "seen"


@pytest.mark.looptime
async def test_a_run_is_resumed_until_no_other_executor_has_it_and_the_run_before_it_has_ended() -> None:
    store = InMemoryStore()
    first = await begin(store, "first", conversation="talk")
    await first.append(question_item(question(run="first")), RunSuspended(call="first", questions=("q1",)))
    header = msgspec.structs.replace(header_item("next", conversation="talk", after="first"), queued=True)
    outcomes: list[ExecutionStatus | None] = [None, "queued", "done"]

    async def resume(run: str) -> RunResult[Any]:
        status = outcomes.pop(0)
        if status is None:
            raise LeaseError("another executor has it")
        if status == "queued":
            await first.append(RunFinished(call="first", status="done"))
        return RunResult(run=run, status=status, callee=look)

    result = await run_in_turn(header, resume, Conversations(store, "app"), store)
    assert (result.status, outcomes) == ("done", [])
