"""How a body ends whose calls still run, wait for a person, or have stopped the run."""

from __future__ import annotations

import asyncio

import pytest

from remit.dispatch.body_calls import BodyCalls
from remit.errors import JournalError, NoModelError, Suspended
from remit.journal.ledger import RunLedger
from tests.dispatch.kit import Bench

pytestmark = pytest.mark.looptime


async def body_calls(ledger: RunLedger | None = None) -> BodyCalls:
    return BodyCalls("parent", ledger or await Bench().drive())


async def waiting() -> BodyCalls:
    """The calls of a body one of which waits for a person."""
    calls = await body_calls()
    calls.claims["asked"] = True
    calls.keep_signal("asked", Suspended("question"))
    return calls


@pytest.mark.parametrize(
    ("error", "is_cancelled"), [(None, True), (JournalError("it was lost"), False)], ids=["cancelled", "no journal"]
)
async def test_a_body_that_stops_cancels_its_calls_at_once(error: BaseException | None, *, is_cancelled: bool) -> None:
    calls, started = await body_calls(), asyncio.get_running_loop().time()
    running = asyncio.ensure_future(asyncio.sleep(1000))
    calls.running["slow"] = running
    running.add_done_callback(lambda _task: calls.end_call("slow"))
    await calls.finish(error, is_cancelled=is_cancelled)
    assert running.cancelled()
    assert asyncio.get_running_loop().time() - started < 1


async def test_a_body_that_returns_waits_for_its_calls() -> None:
    calls = await body_calls()
    running = asyncio.ensure_future(asyncio.sleep(1000))
    calls.running["slow"] = running
    running.add_done_callback(lambda _task: calls.end_call("slow"))
    await calls.finish(None, is_cancelled=False)
    assert not running.cancelled()


async def test_a_body_that_returns_while_a_call_waits_for_a_person_waits_too() -> None:
    with pytest.raises(Suspended):
        await (await waiting()).finish(None, is_cancelled=False)


@pytest.mark.parametrize(
    ("error", "is_cancelled"),
    [(None, True), (JournalError("it was lost"), False), (NoModelError("away"), False)],
    ids=["cancelled", "no journal", "no model"],
)
async def test_what_stops_the_run_leaves_a_body_before_the_question_of_a_call(
    error: BaseException | None, *, is_cancelled: bool
) -> None:
    await (await waiting()).finish(error, is_cancelled=is_cancelled)
