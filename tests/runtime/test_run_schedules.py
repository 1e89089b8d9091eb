"""A tool schedules calls for the principal of the run that makes the call."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from remit import App, Effect, LeafContext, Principal, Runtime, tool
from remit.engine.local import LocalEngine
from remit.engines import RunSchedules
from remit.errors import ContractError, InternalError
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.tools import Limits, parse_arguments

pytestmark = pytest.mark.looptime
START = datetime(2026, 11, 23, 9, tzinfo=UTC)


class Office:
    """Letters that tools post later, each on a clock that is that of the event loop."""

    def __init__(self) -> None:
        self.posted: list[tuple[float, str]] = []
        self.errors: list[str] = []
        self.store = InMemoryStore(self.now)
        self.permissions = {"letters:post", "letters:plan"}
        self.runtime = self.make_runtime()

    @staticmethod
    def now() -> float:
        return START.timestamp() + asyncio.get_running_loop().time()

    def make_runtime(self) -> Runtime:
        schedules = RunSchedules()

        @tool(effect=Effect.KEYED, permissions={"letters:post"})
        async def post(ctx: LeafContext, to: str) -> str:
            """Post a letter."""
            self.posted.append((self.now() - START.timestamp(), f"{ctx.caller.principal.name} to {to}"))
            return ctx.caller.target

        @tool(effect=Effect.KEYED, permissions={"letters:plan"})
        async def plan(ctx: LeafContext, hours: float, name: str = "post") -> str:
            """Post a letter later."""
            at = START + timedelta(hours=hours)
            await schedules.add(ctx.key, name, {"to": "bob"}, at=at)
            return await schedules.add(ctx.key, name, {"to": "bob"}, at=at)  # as a second attempt of the call does

        @tool(effect=Effect.KEYED)
        async def withdraw(ctx: LeafContext, run: str) -> str:
            """Withdraw a letter."""
            await schedules.cancel(run)
            return ctx.key

        return Runtime(
            App(name="office", tools=(post, plan, withdraw)),
            store=self.store,
            clock=self.now,
            directory=lambda name, tenant: Principal(name, tenant, permissions=frozenset(self.permissions)),
        )

    async def call(self, name: str, arguments: str, target: str = "") -> RunResult[str]:
        by = Principal("ada", permissions=frozenset(self.permissions))
        return await self.runtime.call_by_name(name, parse_arguments(arguments, Limits()), by=by, target=target)

    async def plan(self, hours: float, target: str = "") -> str:
        return (await self.call("plan", f'{{"hours": {hours}}}', target)).value()

    async def execute_for(self, hours: float) -> None:
        """Let an executor of another process run for some hours."""
        async with LocalEngine(
            self.store,
            self.make_runtime().resume,
            applications=["office"],
            poll_seconds=30.0,
            clock=self.now,
            on_error=lambda run, error: self.errors.append(f"{run}: {error}"),
        ):
            await asyncio.sleep(hours * 3600)


async def test_a_call_that_a_tool_schedules_is_made_once_at_its_time_for_its_principal_and_target() -> None:
    office = Office()
    run = await office.plan(2, "bakery/main")
    await office.execute_for(1)
    assert (office.posted, (await office.runtime.resume(run)).status) == ([], "scheduled")
    await office.execute_for(4)
    assert office.posted == [(7200.0, "ada to bob")]
    assert (await office.runtime.resume(run)).value() == "bakery/main"
    assert (await office.runtime.replay(run)).is_identical
    assert office.errors == []


async def test_a_time_that_passed_while_no_executor_ran_is_made_up_for_once() -> None:
    office = Office()
    await office.plan(2)
    await asyncio.sleep(5 * 3600)
    await office.execute_for(1)
    assert office.posted == [(5 * 3600.0, "ada to bob")]


async def test_a_principal_who_has_lost_the_permission_by_then_is_refused() -> None:
    office = Office()
    run = await office.plan(2)
    office.permissions.discard("letters:post")
    await office.execute_for(3)
    result = await office.runtime.resume(run)
    assert (result.status, office.posted) == ("failed", [])
    assert "letters:post" in result.text


async def test_a_withdrawn_call_is_not_made_and_withdrawing_it_again_changes_nothing() -> None:
    office = Office()
    run = await office.plan(2)
    for _ in range(2):
        await office.call("withdraw", f'{{"run": "{run}"}}')
        await office.execute_for(3)
    row = await office.store.find_run(run)
    assert row is not None
    assert (row.status, office.posted) == ("cancelled", [])


async def test_a_tool_that_is_not_listed_and_a_call_outside_of_runs_are_refused() -> None:
    office = Office()
    result = await office.call("plan", '{"hours": 2, "name": "burn"}')
    assert result.status == "failed"
    with pytest.raises(InternalError, match="'burn' cannot be scheduled: the application does not list it"):
        result.value()
    with pytest.raises(ContractError, match=r"outside of runs, use Client\.schedule"):
        RunSchedules().find_run("key")
    assert repr(RunSchedules()) == "RunSchedules()"


class Desk:
    """A tool that plans under a key, and with arguments, that a test chooses."""

    def __init__(self) -> None:
        self.arguments: dict[str, object] = {"to": "bob"}
        schedules = RunSchedules()

        @tool(effect=Effect.KEYED)
        async def post(ctx: LeafContext, to: str) -> str:
            """Post a letter."""
            return f"{ctx.key} to {to}"

        @tool(effect=Effect.IDEMPOTENT)
        async def plan(_ctx: LeafContext) -> str:
            """Plan a letter."""
            return await schedules.add("monday", "post", self.arguments, at=START)

        self.store = InMemoryStore(lambda: START.timestamp() - 3600)
        self.runtime = Runtime(App(name="desk", tools=(post, plan)), store=self.store)

    async def plan(self, by: str, target: str = "") -> RunResult[str]:
        arguments = parse_arguments("{}", Limits())
        return await self.runtime.call_by_name("plan", arguments, by=Principal(by), target=target)


async def test_a_key_is_that_of_one_person_and_target() -> None:
    desk = Desk()
    mine = (await desk.plan("ada", "bakery/main")).value()
    assert (await desk.plan("ada", "bakery/main")).value() == mine
    assert (await desk.plan("eve", "dairy/main")).value() != mine
    taken = await desk.plan("eve", "bakery/main")
    assert "another person has scheduled a call under the key 'monday'; use another key" in taken.text
    row = await desk.store.find_run(mine)
    assert row is not None
    assert row.principal == "ada"


@pytest.mark.parametrize(
    ("to", "refusal"),
    [
        ("a\0b", "the arguments contain the character NUL"),
        ("\ud800", "JSON cannot hold the arguments: a text contains lone surrogates"),
        ("a" * 2_000_000, "the arguments"),
        (object(), "JSON cannot hold the arguments"),
        (float("nan"), "JSON cannot hold the arguments: NaN is not a JSON number"),
    ],
    ids=["NUL", "half a character", "too long", "no JSON", "no number"],
)
async def test_arguments_that_cannot_be_journaled_are_refused_when_the_call_is_scheduled(
    to: object, refusal: str
) -> None:
    desk = Desk()
    desk.arguments = {"to": to}
    result = await desk.plan("ada")
    assert f"post: {refusal}" in result.text
    assert len(await desk.store.list_runs()) == 1
