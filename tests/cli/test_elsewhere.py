"""A run that another process executes is followed: its result is reported as if it had been executed here."""

from __future__ import annotations

import os
import signal
from collections.abc import Awaitable, Callable, Generator
from io import StringIO

import pytest
from rich.console import Console

from remit.cli.client import LocalClient, open_client
from remit.cli.resume_when_free import ResumeWhenFree
from remit.cli.terminal import Terminal
from remit.errors import LeaseError
from remit.runtime import RunResult
from remit.testing import calls
from tests.cli.kit import APP, Cli
from tests.cli.shop import app

EXECUTOR = f"{os.getpid()}-bj0skha9qsff"
BURN = calls(("burn", {"name": "bread"}))


class Time:
    """A clock that goes on when it is slept by; ``works`` happen in other processes during the first sleeps."""

    def __init__(self, *works: Callable[[], Awaitable[object]]) -> None:
        self.now = 100.0
        self.slept = 0
        self._works = list(works)

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += 1
        if self._works:
            await self._works.pop(0)()


class Place:
    """A command that resumes a run which another process has, in a terminal that is a text."""

    def __init__(self, client: LocalClient, run: str) -> None:
        self.client = client
        self.run = run
        self.epoch = client.wait(self._acquire())
        self._out = StringIO()
        self._console = Console(file=self._out, width=200)

    @property
    def shown(self) -> str:
        return self._out.getvalue()

    async def _acquire(self) -> int:
        return (await self.client.store.acquire(self.run, EXECUTOR, 600)).epoch

    async def execute(self) -> None:
        """What the other process does with the run."""
        await self.client.store.release(self.run, self.epoch)
        await self.client.runtime(app).resume(self.run)

    def resume(self, time: Time, *, patience: float = 20.0) -> RunResult[object]:
        terminal = Terminal(self._console, app)
        resume = ResumeWhenFree(
            client=self.client,
            runtime=self.client.runtime(app, terminal),
            terminal=terminal,
            patience=patience,
            monotonic=time.monotonic,
            sleep=time.sleep,
        )
        return resume(self.run, lambda: self.client.find_run(self.run))


@pytest.fixture
def client(cli: Cli) -> Generator[LocalClient]:
    cli.script(BURN, calls(("burn", {"name": "cake"})), "All is burnt.")
    assert cli("run", APP, "--ask", "burn it").status == 3
    with open_client() as opened:
        yield opened


@pytest.fixture
def place(client: LocalClient) -> Place:
    """A place where the first question of the run was approved."""
    (question,) = client.list_questions(only_open=True)
    client.wait(client.client_of(app).decide(question.question.id, approved=True))
    return Place(client, question.question.run)


async def nothing() -> None:
    """What a process does that is busy."""


def test_what_the_other_process_does_is_shown_until_it_asks_the_next_question(place: Place) -> None:
    result = place.resume(Time(nothing, place.execute))
    assert (result.status, len(result.questions)) == ("waiting", 1)
    assert "✓ Burned in " in place.shown
    assert place.shown.count("? Burn: name cake?") == 1
    assert "Waiting at most" not in place.shown


def test_a_run_that_ended_there_returns_its_result_and_is_not_executed_again(place: Place) -> None:
    async def approve_and_execute() -> None:
        await place.execute()
        (row,) = await place.client.store.list_questions(run=place.run, only_open=True)
        await place.client.client_of(app).decide(row.question.id, approved=True)
        await place.client.runtime(app).resume(place.run)

    result = place.resume(Time(approve_and_execute))
    assert (result.status, result.text) == ("done", "All is burnt.")


def test_a_person_is_told_after_a_moment_what_is_waited_for_and_once_only(place: Place) -> None:
    place.resume(Time(*[nothing] * 8, place.execute))
    assert place.shown.count("Waiting at most") == 1
    assert f"for executor {os.getpid()}, which continues the run. Ctrl-C ends the wait, not the run." in place.shown


@pytest.mark.parametrize(("patience", "sleeps"), [(20.0, 40), (0.0, 0)], ids=["20 s", "0 s"])
def test_a_process_that_takes_too_long_is_left_to_it(place: Place, patience: float, sleeps: int) -> None:
    time = Time()
    with pytest.raises(LeaseError, match="is alive on this machine"):
        place.resume(time, patience=patience)
    assert time.slept == sleeps


def test_ctrl_c_ends_the_wait_and_not_the_run(place: Place) -> None:
    async def interrupt() -> None:
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(LeaseError, match="is alive on this machine"):
        place.resume(Time(nothing, interrupt))
    assert not place.client.wait(place.client.store.cancel_requested_by(place.run))
