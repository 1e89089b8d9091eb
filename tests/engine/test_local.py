"""What the engine of one process does besides what every engine does."""

from __future__ import annotations

import asyncio
import re
from typing import Any, cast

import pytest

from remit.engine.executor import ExecutionOutcome
from remit.engine.local import LocalEngine
from remit.engine.scheduling import LEASE_RETRY_MAX_SECONDS
from remit.errors import LeaseError, SetupError
from remit.journal.memory import InMemoryStore
from remit.record.items import RunFinished, RunSuspended
from remit.testing.store_suite.samples import begin, question, question_item, yes

pytestmark = pytest.mark.looptime


class HeldUp(InMemoryStore):
    """Takes an hour to list its runs, the first ``polls`` times."""

    polls = 1

    async def list_due_runs(self, application: str, limit: int = 1000) -> list[str]:
        self.polls -= 1
        await asyncio.sleep(3600 if self.polls >= 0 else 0)
        return await super().list_due_runs(application, limit)


@pytest.mark.parametrize(("polls", "longest_pause"), [(1, 1.0), (2, LEASE_RETRY_MAX_SECONDS)])
async def test_one_slow_poll_such_as_the_first_one_delays_no_run_and_two_delay_it_for_a_short_time(
    polls: int, longest_pause: float
) -> None:
    store = HeldUp(asyncio.get_running_loop().time)
    store.polls = polls
    driven = asyncio.Event()

    async def drive(run: str, leave: asyncio.Event) -> ExecutionOutcome:
        driven.set()
        return ExecutionOutcome(status="done")

    def report(run: str, error: BaseException) -> None:
        raise AssertionError(f"nothing goes wrong with {run!r}") from error

    async with LocalEngine(store, drive, applications=["app"], on_error=report):
        await asyncio.sleep(polls * 3601 - 0.5)
        run = await begin(store)
        await store.release(run.run, run.epoch)
        await driven.wait()
    assert asyncio.get_running_loop().time() <= polls * 3601 + longest_pause


class Unreadable(InMemoryStore):
    """Tells of its runs, but for once when it raises what no journal should."""

    looks = 0

    async def list_due_runs(self, application: str, limit: int = 1000) -> list[str]:
        self.looks += 1
        if self.looks == 1:
            raise ValueError("a body of question q1 that no version wrote")
        return await super().list_due_runs(application, limit)


async def test_whatever_a_look_raises_is_reported_and_the_next_one_finds_runs() -> None:
    store = Unreadable(asyncio.get_running_loop().time)
    driven = asyncio.Event()
    reported: list[str] = []

    async def drive(run: str, leave: asyncio.Event) -> ExecutionOutcome:
        driven.set()
        return ExecutionOutcome(status="done")

    def report(run: str, error: BaseException) -> None:
        reported.append(str(error))

    async with LocalEngine(store, drive, applications=["app"], on_error=report):
        run = await begin(store)
        await store.release(run.run, run.epoch)
        await driven.wait()
    assert reported == ["a body of question q1 that no version wrote"]


async def test_runs_that_other_executors_have_ended_leave_nothing_behind() -> None:
    store = InMemoryStore(asyncio.get_running_loop().time)
    runs = [await begin(store, f"run{number}") for number in range(5)]
    for run in runs:
        await store.release(run.run, run.epoch)

    async def lose(run: str, leave: asyncio.Event) -> ExecutionOutcome:
        (other,) = (each for each in runs if each.run == run)
        await other.append(RunFinished(call=run, status="done"))
        raise LeaseError("another executor was faster")

    def report(run: str, error: BaseException) -> None:
        raise AssertionError(f"nothing goes wrong with {run!r}") from error

    engine = LocalEngine(store, lose, applications=["app"], on_error=report)
    async with engine:
        await asyncio.sleep(60)
        assert not vars(engine)["_failures"]


async def test_a_run_that_another_executor_has_is_attempted_ever_more_rarely_though_each_poll_lists_it() -> None:
    store, attempts = InMemoryStore(asyncio.get_running_loop().time), 0
    run = await begin(store)
    await store.release(run.run, run.epoch)

    async def lose(run: str, leave: asyncio.Event) -> ExecutionOutcome:
        nonlocal attempts
        attempts += 1
        raise LeaseError("another executor was faster")

    async with LocalEngine(store, lose, applications=["app"], on_error=print):
        await asyncio.sleep(60)
    assert 5 <= attempts <= 8


async def test_a_run_that_fails_after_polls_have_listed_it_is_not_attempted_again_at_once() -> None:
    store, reported = InMemoryStore(asyncio.get_running_loop().time), list[BaseException]()
    run = await begin(store)
    await store.release(run.run, run.epoch)

    async def fail(run: str, leave: asyncio.Event) -> ExecutionOutcome:
        await asyncio.sleep(10)
        raise ZeroDivisionError

    def report(run: str, error: BaseException) -> None:
        reported.append(error)

    async with LocalEngine(store, fail, applications=["app"], on_error=report):
        await asyncio.sleep(60)
    assert len(reported) == 1


async def test_a_decision_of_another_process_continues_a_run_long_before_its_question_expires() -> None:
    clock, driven = asyncio.get_running_loop().time, asyncio.Event()
    store = InMemoryStore(clock)
    run = await begin(store)
    await run.append(question_item(question(conversation="")), RunSuspended(call="run", questions=("q1",)))

    async def drive(run: str, leave: asyncio.Event) -> ExecutionOutcome:
        driven.set()
        return ExecutionOutcome(status="done")

    engine = LocalEngine(store, drive, applications=["app"], clock=clock, on_error=print)
    async with engine, asyncio.timeout(10):
        await engine.start("run")
        await asyncio.sleep(5)
        assert not driven.is_set()
        await store.decide(yes())
        await driven.wait()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"concurrency": 1.5}, "LocalEngine: concurrency is 1.5; give a whole number"),
        ({"concurrency": 0}, "LocalEngine: concurrency is 0; give a whole number of at least 1"),
        ({"poll_seconds": 0}, "LocalEngine: poll_seconds is 0; give a positive number"),
        ({"grace_seconds": "10"}, "LocalEngine: grace_seconds is '10'; give a number"),
        ({"clock": 3}, "LocalEngine: clock is 3; give a function"),
    ],
)
def test_an_engine_refuses_wrong_values_in_one_line(changed: dict[str, Any], message: str) -> None:
    values: dict[str, Any] = {"applications": ["app"], "on_error": print, **changed}
    with pytest.raises(SetupError, match=f"^{re.escape(message)}"):
        LocalEngine(InMemoryStore(), cast("Any", print), **values)
