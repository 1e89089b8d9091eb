"""A run is cancelled by whoever drives it, or from anywhere by its inbox; the journal and the driver agree on it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast

import pytest

from remit.call.reply import Reply
from remit.engine.keeper import CANCEL_POLL_SECONDS
from remit.errors import JournalError
from remit.journal.ledger import RunLedger
from remit.journal.memory import InMemoryStore
from remit.journal.ports import AppendFuture, QuestionRow
from remit.record.items import Position, RunFinished, RunSuspended
from remit.record.ledger import Consumption
from remit.testing.store_suite.samples import Clock, header_item, later
from tests.engine.roots import GOOD, Stage, asks, end_of, never, replying

pytestmark = pytest.mark.looptime


async def for_ever(_ledger: RunLedger) -> Reply:
    await asyncio.sleep(10_000)
    return GOOD


async def cancelled_while(stage: Stage, seconds: float = 0.1) -> None:
    """Begin a run and cancel the task that drives it."""
    driving = asyncio.create_task(stage.begin(for_ever))
    await asyncio.sleep(seconds)
    driving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await driving


async def test_a_run_whose_task_is_cancelled_is_cancelled_and_free(stage: Stage) -> None:
    await cancelled_while(stage)
    assert await stage.items() == [header_item(), RunFinished(call="run", status="cancelled")]
    assert await stage.status() == "cancelled"
    assert (await stage.store.acquire("run", "somebody", 10)).epoch == 2


async def test_a_cancelled_run_tells_so_and_is_not_driven(stage: Stage) -> None:
    await cancelled_while(stage)
    outcome = await stage.again(never)
    assert outcome.status == "cancelled"
    assert outcome.reply is not None
    assert outcome.reply.error is not None
    assert (outcome.reply.outcome, outcome.reply.error.code) == ("error", "CANCELLED")


async def test_what_calls_write_while_they_are_cancelled_is_stored(stage: Stage) -> None:
    async def root(ledger: RunLedger) -> Reply:
        try:
            return await for_ever(ledger)
        except asyncio.CancelledError:
            ledger.add(end_of(Reply("{}", "error")))
            raise

    driving = asyncio.create_task(stage.begin(root))
    await asyncio.sleep(0.1)
    driving.cancel()
    await asyncio.wait([driving])
    assert await stage.kinds() == ["opened", "tool_output", "finished"]


async def test_a_run_that_is_being_driven_hears_within_a_second_that_it_is_cancelled(stage: Stage) -> None:
    driving = asyncio.create_task(stage.begin(for_ever))
    await asyncio.sleep(7.25)
    await stage.store.request_cancel("run", "ada")
    outcome = await driving
    assert asyncio.get_running_loop().time() <= 7.25 + CANCEL_POLL_SECONDS
    assert outcome.status == "cancelled"
    assert outcome.reply is not None
    assert outcome.reply.error is not None
    assert outcome.reply.error.code == "CANCELLED"
    assert (await stage.items())[-1] == RunFinished(call="run", status="cancelled")


async def test_a_root_that_ends_all_the_same_has_ended(stage: Stage) -> None:
    async def root(ledger: RunLedger) -> Reply:
        try:
            return await for_ever(ledger)
        except asyncio.CancelledError:
            return await replying()(ledger)

    driving = asyncio.create_task(stage.begin(root))
    await asyncio.sleep(0.1)
    await stage.store.request_cancel("run", "ada")
    assert (await driving).status == "done"
    assert await stage.status() == "done"


async def test_a_waiting_run_that_was_cancelled_is_driven_only_to_end_it(stage: Stage) -> None:
    await stage.begin(asks("q1"))
    await stage.store.request_cancel("run", "ada")

    async def root(ledger: RunLedger) -> Reply:
        assert ledger.execution.is_stopping
        raise asyncio.CancelledError

    assert (await stage.again(root)).status == "cancelled"
    assert await stage.kinds() == ["opened", "question", "suspended", "resumed", "finished"]


async def test_a_run_that_is_cancelled_just_before_it_would_wait_is_cancelled(stage: Stage) -> None:
    """Whoever asked found the lease held, and left it to this driver."""

    async def root(ledger: RunLedger) -> Reply:
        await stage.store.request_cancel("run", "ada")
        return await asks("q1")(ledger)

    assert (await stage.begin(root)).status == "cancelled"
    assert await stage.status() == "cancelled"


@pytest.mark.parametrize("stopping", [True, False])
async def test_a_run_is_stopping_where_the_driver_was_told_so(stage: Stage, stopping: bool) -> None:
    await stage.begin(asks("q1"))
    told: list[bool] = []

    async def root(ledger: RunLedger) -> Reply:
        told.append(ledger.execution.is_stopping)
        return await replying()(ledger)

    await stage.again(root, stopping=stopping)
    assert told == [stopping]


class Late(InMemoryStore):
    """A store in which some answers take longer than others, as in a database."""

    end_takes = 0.0
    inbox_takes = 0.0
    broken = False

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        stored = super().append(run, epoch, items, consumption)

        async def storing() -> None:
            await asyncio.sleep(self.end_takes)
            await stored

        return later(storing()) if isinstance(items[-1].item, (RunFinished, RunSuspended)) else stored

    async def find_question(self, question: str) -> QuestionRow | None:
        await asyncio.sleep(self.inbox_takes)
        return await super().find_question(question)

    async def cancel_requested_by(self, run: str) -> str:
        if self.broken:
            raise JournalError("the database is locked")
        return await super().cancel_requested_by(run)


async def test_a_run_that_ended_just_before_it_was_cancelled_has_ended() -> None:
    clock = Clock()
    store = Late(clock)
    stage = Stage(store, clock)
    store.end_takes = 10
    driving = asyncio.create_task(stage.begin(replying()))
    await asyncio.sleep(0.1)
    await store.request_cancel("run", "ada")
    outcome = await driving
    assert (await stage.status(), outcome.status) == ("done", "done")


async def test_a_run_that_is_cancelled_before_its_root_is_driven_is_cancelled() -> None:
    clock = Clock()
    store = Late(clock)
    stage = Stage(store, clock)
    await stage.begin(asks("q1"))
    store.inbox_takes = 10
    driving = asyncio.create_task(stage.again(never))
    await asyncio.sleep(0.1)
    await store.request_cancel("run", "ada")
    outcome = await driving
    assert (await stage.status(), outcome.status) == ("cancelled", "cancelled")


async def test_a_run_that_is_cancelled_while_it_comes_to_rest_is_cancelled() -> None:
    clock = Clock()
    store = Late(clock)
    stage = Stage(store, clock)
    store.end_takes = 1.5 * CANCEL_POLL_SECONDS
    driving = asyncio.create_task(stage.begin(asks("q1")))
    await asyncio.sleep(0.1)
    await store.request_cancel("run", "ada")
    outcome = await driving
    assert (await stage.status(), outcome.status) == ("cancelled", "cancelled")
    assert await stage.kinds() == ["opened", "question", "suspended", "finished"]


async def test_a_look_into_the_inbox_that_fails_cancels_no_run() -> None:
    clock = Clock()
    store = Late(clock)
    stage = Stage(store, clock)

    async def root(ledger: RunLedger) -> Reply:
        store.broken = True
        await asyncio.sleep(CANCEL_POLL_SECONDS * 1.5)
        store.broken = False
        await asyncio.sleep(CANCEL_POLL_SECONDS * 1.5)
        return await replying()(ledger)

    assert (await stage.begin(root)).status == "done"
    assert await stage.status() == "done"


async def test_whoever_insists_on_a_cancel_does_not_wait_for_the_end_to_be_written() -> None:
    clock = Clock()
    store = Late(clock)
    stage = Stage(store, clock)
    store.end_takes = 10
    inner: list[asyncio.Task[None]] = []

    async def root(ledger: RunLedger) -> Reply:
        inner.append(cast("asyncio.Task[None]", asyncio.current_task()))
        return await replying()(ledger)

    driving = asyncio.create_task(stage.begin(root))
    for _ in range(2):
        await asyncio.sleep(0.1)
        inner[0].cancel()
    with pytest.raises(asyncio.CancelledError):
        await driving
    assert asyncio.get_running_loop().time() < 1
    assert (await store.acquire("run", "somebody", 10)).epoch == 2
