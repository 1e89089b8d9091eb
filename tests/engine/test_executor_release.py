"""A driver lets a run go when its process stops, as it stands; and opens one that it does not drive."""

from __future__ import annotations

import asyncio

import pytest

from remit.call.reply import Reply
from remit.engine.executor import ExecutionOutcome, RootCall
from remit.errors import LeaseError, RequestError
from remit.journal.ledger import RunLedger
from remit.record.items import RunFinished
from remit.testing.store_suite.samples import header_item, note
from tests.engine.roots import GOOD, Stage, replying

pytestmark = pytest.mark.looptime


async def drive(stage: Stage, root: RootCall, leave: asyncio.Event) -> ExecutionOutcome:
    driver = stage.driver()
    return await driver.execute(
        "run", root, header=header_item(), conversation="", prior_messages=(), release_requested=leave
    )


async def test_a_run_that_is_let_go_is_left_as_a_crash_would_leave_it(stage: Stage) -> None:
    """What its body says while it is being cancelled is not stored, however long that takes."""
    leave = asyncio.Event()

    async def body(ledger: RunLedger) -> Reply:
        await ledger.commit(note("before"))
        leave.set()
        try:
            await asyncio.Event().wait()
        finally:
            ledger.add(note("while it is cancelled"))
            await asyncio.sleep(1)
        return GOOD

    with pytest.raises(LeaseError, match="was released"):
        await drive(stage, body, leave)
    assert await stage.items() == [header_item(), note("before")]
    assert await stage.status() == "running"


async def test_a_run_that_was_let_go_can_be_driven_on_at_once(stage: Stage) -> None:
    leave = asyncio.Event()

    async def body(_ledger: RunLedger) -> Reply:
        leave.set()
        await asyncio.Event().wait()
        return GOOD

    with pytest.raises(LeaseError):
        await drive(stage, body, leave)
    assert (await stage.again(replying(), name="another")).status == "done"


async def test_a_body_that_commits_while_it_is_let_go_is_refused(stage: Stage) -> None:
    leave = asyncio.Event()

    async def body(ledger: RunLedger) -> Reply:
        leave.set()
        try:
            await asyncio.Event().wait()
        finally:
            await ledger.commit(RunFinished(call="run", status="cancelled"))
        return GOOD

    with pytest.raises(LeaseError):
        await drive(stage, body, leave)
    assert await stage.items() == [header_item()]


async def test_a_run_that_comes_to_rest_before_it_is_told_to_leave_has_ended(stage: Stage) -> None:
    leave = asyncio.Event()
    assert (await drive(stage, replying(), leave)).status == "done"
    leave.set()
    assert await stage.status() == "done"


async def test_a_run_that_ends_as_it_is_told_to_leave_is_not_taken_once_more(stage: Stage) -> None:
    leave = asyncio.Event()

    async def body(ledger: RunLedger) -> Reply:
        leave.set()
        return await replying()(ledger)

    assert (await drive(stage, body, leave)).status == "done"
    assert (await stage.store.acquire("run", "another", 10)).epoch == 2


async def test_a_run_that_could_be_let_go_and_is_cancelled_from_elsewhere_is_cancelled(stage: Stage) -> None:
    async def body(_ledger: RunLedger) -> Reply:
        await stage.store.request_cancel("run", "ada")
        await asyncio.Event().wait()
        return GOOD

    outcome = await drive(stage, body, asyncio.Event())
    assert (outcome.status, await stage.status()) == ("cancelled", "cancelled")


async def test_a_run_that_is_opened_has_its_header_and_no_driver(stage: Stage) -> None:
    await stage.driver().create_run("run", header_item())
    assert await stage.items() == [header_item()]
    assert await stage.status() == "running"
    assert (await stage.again(replying(), name="another")).status == "done"


async def test_a_run_cannot_be_opened_with_the_id_of_one_that_exists(stage: Stage) -> None:
    await stage.begin(replying())
    with pytest.raises(RequestError, match="run run exists already"):
        await stage.driver().create_run("run", header_item())
