"""What every engine does: one suite over the local one and over DBOS on a real Postgres."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from remit.errors import RequestConflictError
from remit.record.items import AttemptStarted, DecisionItem, ToolOutput
from tests.engine.engines import Making
from tests.engine.office import ADA, PATIENCE, STRANGER, Office

pytestmark = pytest.mark.slow


async def test_a_run_that_was_opened_is_driven_to_its_end(office: Office, making: Making) -> None:
    engine = making()
    async with engine:
        run = await office.open("write")
        await engine.start(run)
        await office.until(run)
    assert len(office.written) == 1


async def test_telling_it_of_a_run_twice_drives_it_once(office: Office, making: Making) -> None:
    engine = making()
    run = await office.open("write")
    for _ in range(3):
        await engine.start(run)
        await engine.wake(run)
    async with engine:
        await office.until(run)
        other = await office.open("write")
        await engine.start(other)
        await office.until(other)
    assert len(office.written) == 2
    assert await office.resumed(run) == 1


async def test_so_many_runs_are_driven_at_once_and_no_more(office: Office, making: Making) -> None:
    engine = making(concurrency=2)
    runs = [await office.open("hold") for _ in range(5)]
    async with engine:
        for run in runs:
            await engine.start(run)
        await office.until_true(lambda: office.here == 2)
        office.gate.set()
        await office.until(*runs)
    assert office.most == 2
    assert len(set(office.written)) == 5


async def test_a_run_that_waits_holds_no_place(office: Office, making: Making) -> None:
    engine = making(concurrency=1)
    async with engine:
        waiting, run = await office.open("erase"), await office.open("write")
        await engine.start(waiting)
        await office.until(waiting, status="waiting")
        await engine.start(run)
        await office.until(run)
    assert await office.status(waiting) == "waiting"


@pytest.mark.parametrize("approved", [True, False], ids=["yes", "no"])
async def test_a_decision_wakes_the_run_that_waits_for_it(office: Office, making: Making, approved: bool) -> None:
    engine = making()
    async with engine:
        run = await office.open("erase")
        await engine.start(run)
        await office.until(run, status="waiting")
        await office.decide(run, approved=approved)
        await engine.wake(run)
        await office.until(run)
    assert len(office.written) == approved
    assert sum(isinstance(item, DecisionItem) for item in await office.items(run)) == 1


async def test_a_decision_of_which_nobody_told_it_is_found_in_the_journal(office: Office, making: Making) -> None:
    async with making():
        run = await office.wait("erase")
        await office.decide(run)
        await office.until(run)
    assert len(office.written) == 1


async def test_a_run_that_is_woken_with_nothing_decided_is_left_alone(office: Office, making: Making) -> None:
    engine = making(concurrency=1)
    run = await office.wait("erase")
    before = await office.items(run)
    async with engine:
        await engine.wake(run)
        after = await office.open("write")
        await engine.wake(after)
        await office.until(after)
    assert await office.items(run) == before


async def test_a_run_that_has_ended_is_left_alone(office: Office, making: Making) -> None:
    engine = making(concurrency=1)
    run = await office.wait("write")
    before = await office.items(run)
    async with engine:
        await engine.start(run)
        await engine.wake(run)
        after = await office.open("write")
        await engine.start(after)
        await office.until(after)
    assert await office.items(run) == before


async def test_a_run_that_waits_ends_denied_when_its_deadline_has_come(office: Office, making: Making) -> None:
    engine = making()
    async with engine:
        run = await office.open("hurry")
        await engine.start(run)
        await office.until(run)
    assert office.written == []
    outcomes = [item.outcome for item in await office.items(run) if isinstance(item, ToolOutput)]
    assert outcomes == ["denied", "ok"]


async def test_a_run_is_woken_after_the_time_that_was_said(office: Office, making: Making) -> None:
    engine = making()
    async with engine:
        run = await office.wait("erase")
        await office.decide(run)
        await engine.wake_later(run, 0.3)
        await office.until(run)


@pytest.mark.parametrize("agent", ["write", "erase", "hurry"], ids=["cut off", "decided", "past its deadline"])
async def test_a_run_that_has_not_ended_is_found_at_the_start(office: Office, making: Making, agent: str) -> None:
    if agent == "write":
        run = await office.open(agent)
    else:
        run = await office.wait(agent)
        if agent == "erase":
            await office.decide(run)
    async with making():
        await office.until(run)
    assert len(office.written) == (agent != "hurry")


async def test_a_run_that_somebody_else_drives_is_taken_up_once_they_let_go(office: Office, making: Making) -> None:
    engine = making()
    run = await office.open("write")
    epoch = (await office.store.acquire(run, "somebody else", 60.0)).epoch
    async with engine:
        await engine.start(run)
        after = await office.open("write")
        await engine.start(after)
        await office.until(after)
        assert await office.resumed(run) == 0
        await office.store.release(run, epoch)
        await office.until(run)
    assert len(office.written) == 2


async def test_a_run_whose_driver_died_is_taken_up_when_its_lease_has_ended(office: Office, making: Making) -> None:
    engine = making()
    run = await office.open("write")
    await office.store.acquire(run, "a process that died", 1.0)
    async with engine:
        await engine.start(run)
        await office.until(run)
    assert len(office.written) == 1


async def test_a_run_that_cannot_be_driven_is_reported_and_holds_up_nobody(office: Office, making: Making) -> None:
    engine = making(concurrency=1)
    async with engine:
        lost = await office.open("write", by=STRANGER)
        await engine.start(lost)
        await office.until_true(lambda: bool(office.reported))
        run = await office.open("write")
        await engine.start(run)
        await office.until(run)
    assert {(name, type(error)) for name, error in office.reported} == {(lost, RequestConflictError)}
    assert await office.status(lost) == "running"


async def test_at_its_end_it_waits_for_the_runs_it_drives(office: Office, making: Making) -> None:
    engine = making(grace=PATIENCE)
    async with engine:
        run = await office.open("hold")
        await engine.start(run)
        await office.until_true(lambda: office.here == 1)
        asyncio.get_running_loop().call_later(0.1, office.gate.set)
    assert await office.status(run) == "done"
    assert len(office.written) == 1


async def test_a_run_that_does_not_come_to_rest_in_time_is_let_go_for_others(office: Office, making: Making) -> None:
    engine = making(grace=0.1)
    async with engine:
        run = await office.open("hold")
        await engine.start(run)
        await office.until_true(lambda: office.here == 1)
    assert (await office.status(run), office.here, office.written) == ("running", 0, [])
    office.gate.set()
    async with making():
        await office.until(run)
    assert len(office.written) == 1
    assert not any(isinstance(item, ToolOutput) and item.outcome != "ok" for item in await office.items(run))


async def test_what_belongs_to_another_application_is_left_to_it(office: Office, making: Making) -> None:
    async with making():
        foreign = await Office(office.store, "another").open("write")
        run = await office.open("write")
        await office.until(run)
    assert await office.status(foreign) == "running"
    assert await office.resumed(foreign) == 0


async def test_a_run_that_stalls_is_tried_again_until_its_model_answers_and_repeats_nothing(
    office: Office, making: Making
) -> None:
    async with making(concurrency=1) as engine:
        run = await office.open("busy")
        await engine.start(run)
        await office.until(run, status="stalled")
        other = await office.open("write")
        await engine.start(other)
        await office.until(other)
        await office.until_true(lambda: office.refusals > 1)
        office.is_busy = False
        await office.until(run)
    assert len(set(office.written)) == len(office.written) == 2


async def test_a_stalled_run_of_which_nobody_told_it_is_found_in_the_journal(office: Office, making: Making) -> None:
    run = await office.wait("busy")
    assert await office.status(run) == "stalled"
    office.is_busy = False
    async with making():
        await office.until(run)
    assert len(office.written) == 1


@pytest.mark.parametrize(
    ("callee", "arguments"), [("write", {}), ("write_it", {"prompt": "go"})], ids=["tool", "agent"]
)
async def test_a_call_for_later_is_made_once_when_its_time_has_come(
    office: Office, making: Making, callee: str, arguments: dict[str, object]
) -> None:
    at = datetime.now(UTC) + timedelta(seconds=1)
    async with making():
        run = (await office.runtime().client(ADA).schedule(callee, arguments, at=at)).run
        await office.until(run)
    starts = [each.at for each in await office.store.read(run) if isinstance(each.item, AttemptStarted)]
    assert min(starts) >= at.timestamp()
    assert len(office.written) == 1


async def test_a_recurring_call_is_made_for_each_of_its_times(office: Office, making: Making) -> None:
    began = datetime.now(UTC) - timedelta(minutes=3, seconds=30)
    client = office.runtime().client(ADA)
    await client.schedule("write", {}, at=began, every="FREQ=MINUTELY;COUNT=3", missed="all")
    async with making():
        await office.until_true(lambda: len(office.written) == 3)
    assert len(set(office.written)) == 3
    assert len((await client.runs()).items) == 3
