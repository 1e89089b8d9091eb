"""One thread does jobs in batches: what a loop submits in one turn together, in order, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from sqlalchemy import Connection

from remit.errors import JournalError
from remit.journal.sql import worker_thread
from remit.journal.sql.worker_thread import MAX_BATCH_SIZE, Job, WorkerThread


class Done:
    """Settles each job with its place in its batch, and remembers how large the batches were."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def __call__(self, batch: list[Job]) -> None:
        self.sizes.append(len(batch))
        for place, job in enumerate(batch):
            job.result = place


@pytest.fixture
def done() -> Done:
    return Done()


@pytest.fixture
def batches(done: Done) -> Iterator[WorkerThread]:
    batches = WorkerThread("remit-test", done)
    yield batches
    batches.close()


def work(_connection: Connection) -> int:
    """Nothing: the place in the batch is what comes of it."""
    raise AssertionError("not run here")


async def test_what_is_submitted_in_one_turn_of_the_loop_is_one_batch(batches: WorkerThread, done: Done) -> None:
    places = await asyncio.gather(*(batches.submit(work) for _ in range(20)))
    assert (places, done.sizes) == (list(range(20)), [20])


async def test_each_turn_is_a_batch_when_the_one_before_is_done(batches: WorkerThread, done: Done) -> None:
    for _ in range(3):
        assert await batches.submit(work) == 0
    assert done.sizes == [1, 1, 1]


async def test_a_batch_has_256_jobs_at_most(batches: WorkerThread, done: Done) -> None:
    await asyncio.gather(*(batches.submit(work) for _ in range(2 * MAX_BATCH_SIZE + 1)))
    assert done.sizes == [MAX_BATCH_SIZE, MAX_BATCH_SIZE, 1]


async def test_whoever_stopped_waiting_is_told_nothing(batches: WorkerThread, done: Done) -> None:
    gone, waiting = batches.submit(work), batches.submit(work)
    gone.cancel()
    assert await waiting == 1
    assert gone.cancelled()


async def test_a_job_that_failed_raises_where_it_is_awaited() -> None:
    def refuse(batch: list[Job]) -> None:
        for job in batch:
            job.error = JournalError("refused")

    batches = WorkerThread("remit-test", refuse)
    with pytest.raises(JournalError, match="refused"):
        await batches.submit(work)
    batches.close()


async def test_closing_finishes_what_was_submitted_in_the_same_turn(batches: WorkerThread, done: Done) -> None:
    waiting = [batches.submit(work) for _ in range(3)]
    batches.close()
    assert await asyncio.gather(*waiting) == [0, 1, 2]
    with pytest.raises(JournalError, match="the journal is closed"):
        batches.submit(work)


def test_jobs_of_a_loop_that_ended_before_it_woke_the_thread_are_done_with_the_next_ones(
    batches: WorkerThread, done: Done
) -> None:
    loop = asyncio.new_event_loop()

    async def leave() -> None:
        batches.submit(work)
        loop.stop()

    leaving = loop.create_task(leave())
    loop.run_forever()
    loop.close()
    assert leaving.done()

    async def stay() -> int:
        return await batches.submit(work)

    assert asyncio.run(stay()) == 1
    assert done.sizes == [2]


async def test_a_thread_of_another_process_is_neither_given_jobs_nor_waited_for(
    batches: WorkerThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    await batches.submit(work)
    process = os.getpid()
    monkeypatch.setattr(worker_thread, "os", SimpleNamespace(getpid=lambda: process + 1))
    with pytest.raises(JournalError, match="the journal was opened by the process that this one was forked from"):
        batches.submit(work)
    fresh = WorkerThread("remit-test", lambda batch: None)
    assert (batches.is_own, fresh.is_own) == (False, True)
    batches.close()
    monkeypatch.undo()
    assert batches.is_own
    assert any(each.name == "remit-test" for each in threading.enumerate())
