"""An attempt drives a run on if there is something to do, and says when to look again."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from remit.engine.executor import ExecutionOutcome
from remit.engine.scheduling import (
    FAILURE_RETRY_FIRST_SECONDS,
    FAILURE_RETRY_MAX_SECONDS,
    LEASE_RETRY_FIRST_SECONDS,
    LEASE_RETRY_MAX_SECONDS,
    MAX_DELAY_SECONDS,
    Next,
    RunScheduler,
)
from remit.errors import DivergedError, JournalError, JournalFormatError, LeaseError, NoModelError
from remit.record.items import AttemptEnded, RunSuspended
from remit.record.question import Question
from remit.testing.store_suite.samples import Clock, begin, question, question_item, yes
from tests.engine.roots import Stage


@dataclass(slots=True)
class Bench:
    """An attempt whose drive gives, or raises, what a test says."""

    stage: Stage
    comes: ExecutionOutcome | Exception
    driven: list[str] = field(default_factory=list[str])
    reported: list[tuple[str, BaseException]] = field(default_factory=list[tuple[str, BaseException]])

    async def drive(self, run: str, _leave: asyncio.Event, /) -> ExecutionOutcome:
        self.driven.append(run)
        if isinstance(self.comes, Exception):
            raise self.comes
        return self.comes

    async def attempt(self, tries: int = 0, run: str = "run") -> Next:
        attempts = RunScheduler(
            store=self.stage.store,
            execute=self.drive,
            clock=self.stage.clock,
            on_error=lambda name, error: self.reported.append((name, error)),
        )
        return await attempts.attempt_run(run, tries, asyncio.Event())


async def waiting(stage: Stage, *questions: Question) -> None:
    """A run that waits for these questions, and one of whose attempts has ended since."""
    run = await begin(stage.store)
    asked = [question_item(each, call=f"call {each.id}") for each in questions]
    await run.append(*asked, RunSuspended(call="run", questions=tuple(each.id for each in questions)))
    await run.append(AttemptEnded(call="late", attempt=1, outcome="ok", content=""))


DONE = ExecutionOutcome(status="done")


async def test_an_open_run_is_driven_and_looked_at_no_more_when_it_has_ended(stage: Stage) -> None:
    await begin(stage.store)
    bench = Bench(stage, DONE)
    assert await bench.attempt() == Next()
    assert bench.driven == ["run"]


async def test_a_run_that_nobody_knows_is_left_alone(stage: Stage) -> None:
    bench = Bench(stage, DONE)
    assert await bench.attempt(run="nobody's") == Next()
    assert bench.driven == []


async def test_a_run_that_waits_is_looked_at_when_the_first_of_its_questions_expires(
    stage: Stage, clock: Clock
) -> None:
    await waiting(stage, question("q1", expires=clock.now + 50), question("q2", expires=clock.now + 20))
    bench = Bench(stage, DONE)
    assert await bench.attempt() == Next(20.0)
    clock.pass_by(20)
    assert await bench.attempt() == Next()
    assert bench.driven == ["run"]


async def test_one_decision_of_two_has_a_run_driven(stage: Stage) -> None:
    await waiting(stage, question("q1"), question("q2"))
    await stage.store.decide(yes("q2"))
    bench = Bench(stage, DONE)
    await bench.attempt()
    assert bench.driven == ["run"]


async def test_a_run_that_waits_and_is_to_be_cancelled_is_driven(stage: Stage) -> None:
    await waiting(stage, question("q1"))
    await stage.store.request_cancel("run", "ada")
    bench = Bench(stage, ExecutionOutcome(status="cancelled"))
    assert await bench.attempt() == Next()
    assert bench.driven == ["run"]


async def test_a_deadline_in_a_hundred_years_needs_no_timer(stage: Stage, clock: Clock) -> None:
    await waiting(stage, question("q1", expires=clock.now + MAX_DELAY_SECONDS))
    assert await Bench(stage, DONE).attempt() == Next()


async def test_a_run_that_waits_for_what_the_store_does_not_know_waits_to_be_woken(stage: Stage) -> None:
    await begin(stage.store)
    bench = Bench(stage, ExecutionOutcome(status="waiting", questions=("elsewhere",)))
    assert await bench.attempt() == Next()


async def test_what_was_decided_while_a_run_came_to_rest_has_it_looked_at_soon(stage: Stage) -> None:
    await waiting(stage, question("q1"))
    await stage.store.decide(yes("q1"))
    bench = Bench(stage, ExecutionOutcome(status="waiting", questions=("q1",)))
    assert await bench.attempt() == Next(LEASE_RETRY_FIRST_SECONDS, 1)


async def test_a_run_that_somebody_else_drives_is_looked_at_ever_more_rarely(stage: Stage) -> None:
    await begin(stage.store)
    bench = Bench(stage, LeaseError("somebody else drives it"))
    assert [await bench.attempt(tries) for tries in (0, 1, 2)] == [
        Next(LEASE_RETRY_FIRST_SECONDS, 1),
        Next(LEASE_RETRY_FIRST_SECONDS * 2, 2),
        Next(LEASE_RETRY_FIRST_SECONDS * 4, 3),
    ]
    assert (await bench.attempt(10_000)).delay == LEASE_RETRY_MAX_SECONDS
    assert bench.reported == []


@pytest.mark.parametrize(
    "error", [DivergedError("other code"), JournalFormatError("too new"), ZeroDivisionError()], ids=repr
)
async def test_a_run_that_cannot_be_driven_is_reported_and_tried_again_much_later(
    stage: Stage, error: Exception
) -> None:
    await begin(stage.store)
    bench = Bench(stage, error)
    assert await bench.attempt() == Next(FAILURE_RETRY_FIRST_SECONDS, 1)
    assert bench.reported == [("run", error)]
    assert (await bench.attempt(1000)).delay == FAILURE_RETRY_MAX_SECONDS


async def test_a_journal_that_fails_is_reported_and_tried_again(stage: Stage) -> None:
    await begin(stage.store)
    error = JournalError("the disk is full")
    bench = Bench(stage, error)
    assert await bench.attempt() == Next(LEASE_RETRY_FIRST_SECONDS, 1)
    assert bench.reported == [("run", error)]


async def test_a_run_that_cannot_be_executed_is_due_for_no_process_until_its_delay_has_passed(
    stage: Stage, clock: Clock
) -> None:
    run = await begin(stage.store)
    await stage.store.release(run.run, run.epoch)
    await Bench(stage, DivergedError("other code")).attempt()
    assert await stage.store.list_due_runs("app") == []
    clock.pass_by(FAILURE_RETRY_FIRST_SECONDS)
    assert await stage.store.list_due_runs("app") == ["run"]


async def test_a_run_whose_model_a_process_lacks_is_left_to_others_at_once(stage: Stage) -> None:
    run = await begin(stage.store)
    await stage.store.release("run", run.epoch)
    bench = Bench(stage, NoModelError("there is no model"))
    assert await bench.attempt() == Next(FAILURE_RETRY_FIRST_SECONDS, 1)
    assert [str(error) for _, error in bench.reported] == ["there is no model"]
    assert await stage.store.list_due_runs("app") == ["run"]
