"""A request that carries an idempotency key is done once, however often it is sent."""

from __future__ import annotations

import asyncio
import random
import sys
from collections import Counter
from datetime import date
from types import CodeType, FrameType
from typing import Any

import pytest

from remit import Agent, App, Context, Effect, LeafContext, Risk, Runtime, tool
from remit.engine.loosening import pin_terms
from remit.engine.request import RunRequest
from remit.errors import ExternalError, IdempotencyError, LeaseError, RemitError, RequestError, SetupError
from remit.journal.ports import Store
from remit.record.arguments import Arguments, parse_arguments
from remit.record.items import RunOpened
from remit.testing import Scripted, calls, superuser
from remit.tools import Limits
from tests.runtime.kit import World, items_of, runtime_of


def prompt_arguments(text: str) -> Arguments:
    return parse_arguments(text, Limits())


def writer(world: World, store: Store | None = None, *, app: str = "test", risk: Risk = Risk.SAFE) -> Runtime:
    return runtime_of(Scripted([]), world.write(risk=risk), store=store, app=app)


ONE = prompt_arguments('{"text":"one"}')


@pytest.mark.parametrize("kind", ["submitted", "attached", "run", "called"])
async def test_a_request_is_checked_once_and_its_header_is_made_once(kind: str) -> None:
    world = World()
    write = world.write()
    clerk = Agent("clerk", instructions="Work.", tools=[write], model=Scripted(["done"]))
    client = Runtime(App(name="test", agents=(clerk,))).client(superuser())
    requests: dict[str, Any] = {
        "submitted": lambda: client.submit("go", idempotency_key="k"),
        "attached": lambda: client.call("write", {"text": "one"}, attach=True),
        "run": lambda: client.run("go"),
        "called": lambda: client.call("write", {"text": "one"}),
    }
    entered = Counter[CodeType]()

    def count(frame: FrameType, event: str, _argument: object) -> None:
        entered[frame.f_code] += event == "call"

    sys.setprofile(count)
    try:
        await requests[kind]()
    finally:
        sys.setprofile(None)
    assert (entered[RunRequest.check.__code__], entered[pin_terms.__code__]) == (1, 1)


async def test_a_request_that_is_sent_again_gives_what_came_of_it_and_does_nothing(store: Store) -> None:
    world = World()
    runtime = writer(world, store)
    results = [await runtime.call_by_name("write", ONE, by=superuser(), idempotency_key="r1") for _ in range(3)]
    assert [(result.run, result.value()) for result in results] == [(results[0].run, "wrote one")] * 3
    assert world.ran == ["one"]


async def test_a_failure_is_given_again_too(store: Store) -> None:
    tried: list[str] = []

    @tool(effect=Effect.UNSAFE)
    async def pay(to: str) -> str:
        """Pay."""
        tried.append(to)
        raise ExternalError("the bank is closed")

    runtime = runtime_of(Scripted([]), pay, store=store)
    for _ in range(2):
        result = await runtime.call_by_name(
            "pay", prompt_arguments('{"to":"ada"}'), by=superuser(), idempotency_key="r1"
        )
        with pytest.raises(ExternalError, match="the bank is closed"):
            result.value()
    assert tried == ["ada"]


async def test_arguments_that_say_the_same_are_the_same() -> None:
    world = World()
    runtime = writer(world)
    await runtime.call_by_name("write", ONE, by=superuser(), idempotency_key="r1")
    await runtime.call_by_name(
        "write", prompt_arguments('{ "text" : "\\u006fne" }'), by=superuser(), idempotency_key="r1"
    )
    assert world.ran == ["one"]


async def test_a_key_that_was_used_for_something_else_is_refused(store: Store) -> None:
    world = World()
    runtime = writer(world, store)
    await runtime.call_by_name("write", ONE, by=superuser(), idempotency_key="r1")
    with pytest.raises(IdempotencyError, match="the idempotency key 'r1' was used for another"):
        await runtime.call_by_name("write", prompt_arguments('{"text":"two"}'), by=superuser(), idempotency_key="r1")
    assert world.ran == ["one"]


async def test_a_key_that_another_principal_uses_is_free(store: Store) -> None:
    world = World()
    runtime = writer(world, store)
    runs = [
        (await runtime.call_by_name("write", ONE, by=superuser(name=name), idempotency_key="r1")).run
        for name in ("ada", "bob", "ada")
    ]
    assert runs[0] == runs[2] != runs[1]
    assert world.ran == ["one", "one"]


async def test_keys_are_apart_by_tenant_and_application(store: Store) -> None:
    world = World()
    for app, tenant in (("test", "acme"), ("test", "zeta"), ("other", "acme")):
        await writer(world, store, app=app).call_by_name(
            "write", ONE, by=superuser(tenant=tenant), idempotency_key="r1"
        )
    assert world.ran == ["one"] * 3


async def test_a_request_to_an_agent_asks_the_model_once(store: Store) -> None:
    runtime = runtime_of(Scripted(["hello"]), store=store)
    answers = [(await runtime.run("hi", by=superuser(), idempotency_key="r1")).value() for _ in range(2)]
    assert answers == ["hello", "hello"]


async def test_a_request_that_waits_for_a_person_still_waits_when_it_is_sent_again(store: Store) -> None:
    runtime = writer(World(), store, risk=Risk.HIGH)
    results = [await runtime.call_by_name("write", ONE, by=superuser(), idempotency_key="r1") for _ in range(2)]
    assert [result.status for result in results] == ["waiting", "waiting"]
    assert results[0].questions == results[1].questions


async def test_of_many_that_are_sent_at_once_one_runs_whatever_the_order() -> None:
    for seed in range(200):
        chance = random.Random(seed)  # noqa: S311 - the order of steps is no secret
        world = World()
        runtime = writer(world)

        async def send(wait: int, runtime: Runtime = runtime) -> object:
            for _ in range(wait):
                await asyncio.sleep(0)
            return (await runtime.call_by_name("write", ONE, by=superuser(), idempotency_key="r1")).value()

        outcomes = await asyncio.gather(*(send(chance.randrange(12)) for _ in range(5)), return_exceptions=True)
        assert world.ran == ["one"]
        assert "wrote one" in outcomes
        assert {type(each) for each in outcomes if isinstance(each, RemitError)} <= {LeaseError}


@pytest.mark.parametrize("junk", [5, None, "", "x" * 201, "a\nb", "\ud800"])
async def test_an_id_of_a_run_that_cannot_be_used_is_refused(junk: Any) -> None:
    greet = World().write()
    runtime = Runtime(App(name="test", tools=(greet,)), make_run_id=lambda: junk)
    with pytest.raises(SetupError, match=r"Runtime: make_run_id returned .*; return a printable string of at most 200"):
        await runtime.call(greet, superuser(), "one")


@pytest.mark.parametrize("junk", ["noon", None, float("nan"), -1])
async def test_a_clock_that_tells_no_time_is_refused(junk: Any) -> None:
    greet = World().write()
    runtime = Runtime(App(name="test", tools=(greet,)), clock=lambda: junk)
    with pytest.raises(SetupError, match=r"Runtime: the clock says .*; return seconds since the epoch"):
        await runtime.call(greet, superuser(), "one")


async def test_a_program_writes_the_arguments_of_each_call_by_name_in_one_way() -> None:
    seen: list[date] = []

    @tool(effect="pure")
    async def book(day: date) -> str:
        """Book a day."""
        seen.append(day)
        return "booked"

    @tool(effect="composed")
    async def plan(ctx: Context) -> str:
        """Plan a day."""
        return await ctx.call("book", day=date(2026, 1, 2))

    runtime = Runtime(App(name="test", tools=[book, plan]))
    for name, arguments in (("plan", {}), ("book", {"day": date(2026, 1, 2)}), ("book", {"day": "2026-01-02"})):
        await runtime.call_by_name(name, arguments, by=superuser())
    assert seen == [date(2026, 1, 2)] * 3


async def test_a_run_of_an_agent_keeps_the_metadata_of_its_request() -> None:
    seen: list[str] = []

    @tool(effect="pure")
    async def look(ctx: LeafContext) -> str:
        """Look."""
        seen.append(ctx.caller.metadata)
        return "seen"

    agent = Agent("clerk", instructions="Help.", tools=[look], model=Scripted([calls(("look", {})), "Yes."] * 2))
    runtime = Runtime(App(name="test", agents=[agent]))
    client = runtime.client(superuser())
    first = await client.run("go", metadata={"ticket": 7})
    (header, *_) = await items_of(runtime.store, first.run)
    assert isinstance(header, RunOpened)
    assert header.metadata == '{"ticket":7}'
    await runtime.resume(await client.submit("go", metadata={"ticket": 8}))
    assert seen == ['{"ticket":7}', '{"ticket":8}']
    wrong: Any = 5
    with pytest.raises(RequestError, match="metadata is 5; give a JSON object"):
        await client.run("go", metadata=wrong)


async def test_a_run_that_is_submitted_again_is_the_same_run_and_executes_once(store: Store) -> None:
    world = World()
    runtime = runtime_of(Scripted([calls(("write", {"text": "one"})), "done"]), world.write(), store=store)
    client = runtime.client(superuser())
    runs = [await client.submit("go", idempotency_key="r1", conversation="talk", target="a/b") for _ in range(2)]
    assert (await runtime.resume(runs[0])).value() == "done"
    runs.append(await client.submit("go", idempotency_key="r1", conversation="talk", target="a/b"))
    assert set(runs) == {runs[0]}
    assert (await client.run("go", idempotency_key="r1", conversation="talk", target="a/b")).value() == "done"
    assert (world.ran, len(await store.list_runs())) == (["one"], 1)


async def test_a_key_with_which_another_run_was_submitted_is_refused(store: Store) -> None:
    runtime = runtime_of(Scripted([]), store=store)
    await runtime.client(superuser()).submit("go", idempotency_key="r1")
    for attempt in (
        runtime.client(superuser()).submit("stop", idempotency_key="r1"),
        runtime.client(superuser()).submit("go", idempotency_key="r1", target="a/b"),
        runtime.run("stop", by=superuser(), idempotency_key="r1"),
    ):
        with pytest.raises(IdempotencyError, match="the idempotency key 'r1' was used for another request"):
            await attempt
    assert len(await store.list_runs()) == 1


async def test_keys_of_submitted_runs_are_apart_by_principal_and_tenant(store: Store) -> None:
    runtime = runtime_of(Scripted([]), store=store)
    people = (superuser(), superuser(name="bob"), superuser(tenant="elsewhere"))
    assert len({await runtime.client(each).submit("go", idempotency_key="r1") for each in people}) == 3


@pytest.mark.every_store
@pytest.mark.parametrize("options", [{}, {"conversation": "talk"}, {"conversation": "talk", "when_busy": "queue"}])
async def test_of_many_that_are_submitted_at_once_one_run_is_opened(store: Store, options: Any) -> None:
    runtimes = [runtime_of(Scripted([]), store=store) for _ in range(4)]
    submitting = [each.client(superuser()).submit("go", idempotency_key="r1", **options) for each in runtimes * 3]
    runs = await asyncio.gather(*submitting)
    assert [row.run for row in await store.list_runs()] == [runs[0]]
    assert set(runs) == {runs[0]}
    assert [type(item) for item in await items_of(store, runs[0])] == [RunOpened]


async def test_a_run_that_executes_elsewhere_is_submitted_again_without_disturbing_it(store: Store) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    @tool(effect=Effect.PURE)
    async def wait() -> str:
        """Wait."""
        begun.set()
        await go_on.wait()
        return "waited"

    runtime = runtime_of(Scripted([calls(("wait", {})), "done"]), wait, store=store)
    run = await runtime.submit("go", by=superuser(), idempotency_key="r1")
    executing = asyncio.create_task(runtime.resume(run))
    await begun.wait()
    assert await runtime_of(Scripted([]), wait, store=store).submit("go", by=superuser(), idempotency_key="r1") == run
    go_on.set()
    assert (await executing).value() == "done"
