"""A timeout of all executions: a call that resumes has the seconds that are left."""

from __future__ import annotations

import asyncio

import pytest

from remit import Effect, Timeout, tool
from remit.errors import DeadlineError, SetupError
from remit.layers import Call
from remit.record.items import Message, Position, RunResumed
from remit.record.meter import Meter
from remit.testing import call_through, make_call, memory_ledger


@tool(effect=Effect.PURE)
async def look() -> str:
    """Look."""
    return "seen"


async def call_after(seconds: float) -> Call:
    """A call that ran for ``seconds`` in an earlier execution."""
    ledger = await memory_ledger()
    call = await make_call(look, ledger=ledger)
    message = Message(call=call.id, agent=call.id, text="{}")
    items = [(message, 10.0), (message, 10.0 + seconds), (RunResumed(call="run", driver="me"), 500.0)]
    history = [Position("run", 1, seq, at, item, "", b"", b"") for seq, (item, at) in enumerate(items)]
    ledger.meter = Meter({}, lambda: 500.0, history)
    return call


LIMIT = Timeout(60, of_all_executions=True)


async def test_a_call_that_resumes_has_the_seconds_that_are_left() -> None:
    call = await call_after(20.0)
    seen: list[float | None] = []

    async def inner(request: Call, /) -> None:
        seen.append(request.deadline)

    now = asyncio.get_running_loop().time()
    await LIMIT(inner)(call)
    assert seen == [pytest.approx(now + 40, abs=1)]


async def test_a_call_without_seconds_left_does_not_start() -> None:
    with pytest.raises(DeadlineError, match="no result within 60 seconds over all executions of the run"):
        await call_through(LIMIT.calls, await call_after(60.0))
    assert (await call_through(Timeout(60).calls, await call_after(60.0))).value == "inner"


def test_seconds_of_all_executions_are_drawn_and_have_no_grace() -> None:
    assert repr(LIMIT) == "Timeout(seconds=60, of_all_executions=True)"
    with pytest.raises(SetupError, match="a limit on all executions has no grace"):
        Timeout(60, grace=1, of_all_executions=True)
