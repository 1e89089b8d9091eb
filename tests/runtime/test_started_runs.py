"""A run that the body of a call starts has no more than that call: principal, target, scope, permissions, layers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from remit import Agent, App, Context, Effect, LeafContext, Principal, Runtime, tool
from remit.app import Env
from remit.engines import RunSchedules
from remit.errors import ContractError, RemitError, RequestDeniedError
from remit.items import RunOpened
from remit.layers import Approve, Call, CallService, Reply, layer_fn
from remit.messages import ChatRequest
from remit.policies import Block, Policy, When
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls
from remit.tools import Limits, parse_arguments

NO_ARGUMENTS = parse_arguments("{}", Limits())
ADA = Principal("ada", permissions=frozenset({"*"}))
START = datetime(2026, 11, 23, 9, tzinfo=UTC)
Start = Callable[["Office", LeafContext, str], Awaitable[str]]


async def schedule(office: Office, ctx: LeafContext, name: str) -> str:
    return await RunSchedules().add(ctx.key, name, {}, at=START + timedelta(hours=1))


async def call(office: Office, ctx: LeafContext, name: str) -> str:
    by = Principal("ada", permissions=frozenset({"*"}))
    return (await office.runtime.call_by_name(name, NO_ARGUMENTS, by=by)).run


async def call_as_client(office: Office, ctx: LeafContext, name: str) -> str:
    return (await office.runtime.client(ctx.caller.principal).call(name, {})).run


async def submit(office: Office, ctx: LeafContext, name: str) -> str:
    """Submit a run of an agent without a scope of its own, whose model calls the tool."""
    return await office.runtime.submit(name, by=ctx.caller.principal, agent="helper")


WAYS = pytest.mark.parametrize("start", [schedule, call, call_as_client, submit], ids=lambda way: way.__name__)


class Office:
    """An agent, perhaps in a cage, with a tool that starts a run which calls a tool of its name."""

    def __init__(self, start: Start, wanted: str = "wipe", **cage: Any) -> None:
        self.ran: list[str] = []
        self.time = START.timestamp()
        self.permissions = {"*"}
        self.store = InMemoryStore(self.now)

        @tool(effect=Effect.IDEMPOTENT, permissions={"wipe:do"})
        async def wipe(ctx: LeafContext) -> str:
            """Wipe."""
            self.ran.append(ctx.caller.target)
            return "wiped"

        @tool(effect=Effect.COMPOSED)
        async def indirect(ctx: Context) -> str:
            """Wipe through another tool."""
            return await ctx.call("wipe", {})

        @tool(effect=Effect.KEYED)
        async def begin(ctx: LeafContext, name: str) -> str:
            """Start a run."""
            return await start(self, ctx, name)

        self.clerk = Agent(
            "clerk",
            instructions="x",
            tools=[begin, *cage.pop("tools", ())],
            model=Scripted([calls(("begin", {"name": wanted})), "done"]),
            **cage,
        )
        helper_model = Scripted([_call_as_told, "done"] * 9)
        helper = Agent("helper", instructions="x", tools=[wipe, indirect], model=helper_model)
        boss_calls = [calls(("clerk", {"prompt": "go"})), "done"]
        boss = Agent("boss", instructions="x", tools=[self.clerk], model=Scripted(boss_calls))
        app = App(name="office", tools=(wipe, indirect), agents=(self.clerk, boss, helper))
        self.runtime = self.make(app)
        self.other_process = self.make(app)

    def now(self) -> float:
        return self.time

    def make(self, app: App) -> Runtime:
        return Runtime(
            app,
            store=self.store,
            clock=self.now,
            directory=lambda name, tenant: Principal(name, tenant, permissions=frozenset(self.permissions)),
        )

    async def run(self, agent: str = "clerk", target: str = "") -> list[RunResult[Any]]:
        """Let the agent start a run, and execute that in another process when its time has come, twice."""
        await self.runtime.run("go", by=ADA, agent=agent, target=target)
        self.time += 7200
        started = [run for run, header in await self.headers() if header.started_by]
        for run in started:
            await self.other_process.resume(run)
        return [await self.other_process.resume(run) for run in started]

    async def headers(self) -> list[tuple[str, RunOpened]]:
        """The headers of all runs."""
        rows = await self.store.list_runs()
        items = [(await self.store.read(row.run))[0].item for row in rows]
        return [(item.call, item) for item in items if isinstance(item, RunOpened)]


def _call_as_told(request: ChatRequest) -> dict[str, Any]:
    return calls((request.history[-1].rpartition('"content":"')[2].rstrip('"}'), {}))


@WAYS
async def test_a_run_that_an_unrestricted_call_starts_is_unrestricted(start: Start) -> None:
    office = Office(start)
    results = await office.run(target="bakery/main")
    assert (office.ran, [each.status for each in results]) == (["bakery/main"], ["done"])


@WAYS
@pytest.mark.parametrize("wanted", ["wipe", "indirect"])
@pytest.mark.parametrize("agent", ["clerk", "boss"])
async def test_a_run_cannot_reach_what_the_call_that_started_it_cannot_reach(
    start: Start, wanted: str, agent: str
) -> None:
    office = Office(start, wanted, tool_scope=["begin", "helper", "indirect"])
    await office.run(agent)
    assert office.ran == []


async def test_a_call_outside_of_the_scope_is_refused_when_it_is_scheduled() -> None:
    office = Office(schedule, tool_scope=["begin"])
    result = await office.runtime.run("go", by=ADA, agent="clerk")
    history = await office.runtime.history(result.run)
    assert any("wipe cannot be scheduled: an agent above does not let its calls reach it" in text for text in history)
    assert [run for run, _ in await office.headers()] == [result.run]


async def test_a_run_within_a_scope_says_so_when_it_is_denied() -> None:
    office = Office(schedule, "indirect", tool_scope=["begin", "indirect"])
    [result] = await office.run()
    assert (result.status, office.ran) == ("failed", [])
    assert "the call that started this run could not reach wipe, so its runs cannot either" in result.text


@WAYS
@pytest.mark.parametrize("agent", ["clerk", "boss"])
async def test_a_run_has_only_the_permissions_that_the_agents_above_its_starter_pass_on(
    start: Start, agent: str
) -> None:
    office = Office(start, permissions=["letters:*"])
    await office.run(agent)
    assert office.ran == []
    assert {header.permissions for _, header in await office.headers() if header.started_by} == {("letters:*",)}


@WAYS
async def test_a_run_has_those_of_the_passed_on_permissions_that_its_principal_has_today(start: Start) -> None:
    office = Office(start, permissions=["wipe:*"])
    await office.runtime.run("go", by=ADA)
    office.permissions = {"letters:post"}
    office.time += 7200
    for run, header in await office.headers():
        if header.started_by:
            await office.other_process.resume(run)
    assert office.ran == [] if start in (schedule, submit) else [""]


async def test_the_layers_of_the_agent_that_schedules_a_call_stand_around_it() -> None:
    policy = Policy(When("no wiping", lambda call: call.callee.name == "wipe", Block(reason="never")))
    office = Office(schedule)
    caged = office.clerk.layer(Approve(Env(), policy=policy))
    office.runtime = office.make(App(name="office", tools=office.runtime.app.tools, agents=(caged,)))
    office.other_process = office.make(office.runtime.app)
    [result] = await office.run()
    assert (result.status, office.ran) == ("failed", [])
    assert "blocked by the rule 'no wiping'" in result.text


async def test_a_run_for_another_principal_or_target_is_refused() -> None:
    refusals: list[str] = []

    async def start_others(office: Office, ctx: LeafContext, name: str) -> str:
        eve, of_tenant = Principal("eve", permissions=frozenset({"*"})), Principal("ada", "other")
        for options in ({"by": eve}, {"by": of_tenant}, {"by": ADA, "target": "cafe/main"}):
            try:
                await office.runtime.call_by_name(name, NO_ARGUMENTS, **options)  # pyright: ignore[reportArgumentType]
            except RequestDeniedError as error:
                refusals.append(error.message.partition(" ")[2].partition(" ")[2])
        return "tried"

    office = Office(start_others)
    await office.run()
    await Office(start_others).run(target="bakery/main")
    assert refusals == [
        "of 'ada' may not start a run for 'eve'; pass ctx.caller.principal",
        "of 'ada' may not start a run for 'ada'; pass ctx.caller.principal",
        "has no target, so it may not start a run for 'cafe/main'",
        *refusals[:2],
        "has the target 'bakery/main', so it may not start a run for 'cafe/main'",
    ]
    assert office.ran == []


async def test_what_a_body_leaves_behind_starts_no_run_after_its_call_has_ended() -> None:
    left, ended = list[asyncio.Task[str]](), asyncio.Event()

    async def start_later(office: Office, ctx: LeafContext, name: str) -> str:
        async def wait_and_start() -> str:
            await ended.wait()
            return await submit(office, ctx, name)

        left.append(asyncio.create_task(wait_and_start()))
        return "later"

    office = Office(start_later)
    await office.runtime.run("go", by=ADA)
    ended.set()
    with pytest.raises(RemitError, match="its call has ended"):
        await left[0]


@pytest.mark.parametrize(
    ("by", "target", "is_held"),
    [
        (ADA, "bakery/main", False),
        (Principal("ada"), "bakery/main", False),
        (Principal("eve", permissions=frozenset({"runs:cancel"})), "bakery/main", False),
        (Principal("eve", permissions=frozenset({"runs:cancel@bakery/*"})), "bakery/main", False),
        (Principal("eve", permissions=frozenset({"runs:cancel", "*"})), "cafe/main", True),
        (Principal("eve", permissions=frozenset({"runs:read"})), "bakery/main", True),
        (Principal("eve"), "bakery/main", True),
        (Principal("ada", "other", permissions=frozenset({"*"})), "bakery/main", True),
        (Principal("anonymous"), "bakery/main", True),
    ],
    ids=["all", "own", "canceller", "at-target", "other-target", "reader", "stranger", "other-tenant", "anonymous"],
)
async def test_a_tool_withdraws_only_runs_of_its_target_that_its_principal_may_cancel(
    by: Principal, target: str, is_held: bool
) -> None:
    office, told = Office(schedule), list[str]()

    @tool(effect=Effect.IDEMPOTENT)
    async def withdraw(run: str) -> str:
        """Withdraw a run."""
        await RunSchedules().cancel(run)
        return run

    await office.runtime.run("go", by=ADA, target="bakery/main")
    [run] = [run for run, header in await office.headers() if header.started_by]
    runtime = office.make(App(name="office", tools=(withdraw,)))
    for each in (run, "unknown"):
        arguments = parse_arguments(f'{{"run": "{each}"}}', Limits())
        result = await runtime.call_by_name("withdraw", arguments, by=by, target=target)
        told.append(result.text.replace(each, "RUN"))
    assert ((await office.store.cancel_requested_by(run)) == "") is is_held
    assert (told[0] == told[1]) is is_held


async def test_a_layer_schedules_nothing() -> None:
    @tool(effect=Effect.PURE)
    async def look() -> str:
        """Look."""
        return "seen"

    @layer_fn
    async def schedules(call: Call, inner: CallService, /) -> Reply:
        await RunSchedules().cancel("run")
        return await inner(call)

    runtime = Runtime(App(name="office", tools=(look,))).layer(schedules())
    with pytest.raises(ContractError, match="works within the bodies of calls, not in layers, gates and previews"):
        await runtime.call(look, ADA)
