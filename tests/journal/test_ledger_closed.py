"""A closed ledger accepts nothing more, so a call that outlives the execution of its run starts nothing."""

from __future__ import annotations

import asyncio

import pytest

from remit.errors import JournalError
from remit.journal.ledger import FLUSH_DELAY, RunLedger
from remit.journal.memory import InMemoryStore
from remit.record.items import AttemptEnded
from remit.testing.store_suite.samples import Clock, header_item, note, start_item


async def closed_ledger(clock: Clock) -> tuple[RunLedger, InMemoryStore]:
    """A ledger that stored the header of its run before it was closed."""
    store = InMemoryStore(clock)
    epoch = (await store.acquire("run", "driver", 30)).epoch
    ledger = RunLedger(store, "run", epoch, clock=clock, on_stored=lambda _positions: None)
    await ledger.commit(header_item())
    ledger.close()
    return ledger, store


@pytest.mark.looptime
async def test_a_closed_ledger_accepts_nothing_and_stores_nothing(clock: Clock) -> None:
    ledger, store = await closed_ledger(clock)
    with pytest.raises(JournalError, match="run run is no longer executing; await each call in the body"):
        ledger.add(note())
    with pytest.raises(JournalError, match="no longer executing"):
        await ledger.commit(start_item())
    await asyncio.sleep(FLUSH_DELAY * 1.5)
    assert [position.item for position in await store.read("run")] == [header_item()]


async def test_a_closed_ledger_refuses_items_from_callbacks_too(clock: Clock) -> None:
    ledger, _ = await closed_ledger(clock)
    answer = asyncio.get_running_loop().create_future()

    def write() -> None:
        with pytest.raises(JournalError, match="no longer executing"):
            ledger.add(note())
        answer.set_result(None)

    asyncio.get_running_loop().call_soon(write)
    await answer


async def test_in_a_task_that_is_being_cancelled_a_closed_ledger_lets_the_cancellation_go_on(clock: Clock) -> None:
    ledger, store = await closed_ledger(clock)

    async def straggle() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ledger.add(note())

    task = asyncio.create_task(straggle())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [position.item for position in await store.read("run")] == [header_item()]


async def test_a_closed_ledger_stores_the_end_of_an_attempt_that_outlives_its_run(clock: Clock) -> None:
    ledger, store = await closed_ledger(clock)
    ended = AttemptEnded(call="call", attempt=1, outcome="ok", content="done")
    await ledger.commit(ended)
    assert [position.item for position in await store.read("run")] == [header_item(), ended]
