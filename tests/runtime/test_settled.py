"""A client waits until a run rests or has ended, and is told so at once."""

from __future__ import annotations

import asyncio

import pytest

from remit import Agent, App, Effect, Principal, Risk, Runtime, tool
from remit.engine.watching import is_watched
from remit.errors import ModelBusyError, RequestError
from remit.stores import InMemoryStore, Store
from remit.testing import Scripted, calls
from tests.runtime.kit import Clock, World, runtime_of

ADA = Principal("ada", "bakery", frozenset({"approvals:decide"}))
ERASE = calls(("erase", {"text": "about"}))


def erasing(store: Store) -> Runtime:
    erase = World().write("erase", Effect.KEYED, Risk.HIGH)
    return runtime_of(Scripted([ERASE, "done"]), erase, store=store, directory=None)


async def test_the_wait_ends_when_a_run_rests_and_when_it_has_ended(store: Store) -> None:
    runtime = erasing(store)
    client = runtime.client(ADA)
    run = await client.submit("go")
    waiting = asyncio.create_task(client.settled(run, 60, poll_seconds=60))
    await runtime.resume(run)
    details = await waiting
    assert details.row.status == "waiting"
    assert (await client.settled(run, 60)).questions == details.questions
    await client.decide(details.questions[0].question.id, approved=True)
    waiting = asyncio.create_task(client.settled(run, 60, poll_seconds=60))
    await runtime.resume(run)
    assert ((await waiting).row.status, (await waiting).text) == ("done", "done")
    assert (await client.settled(run, 60)).text == "done"


@pytest.mark.looptime
async def test_a_run_that_can_continue_does_not_rest_and_the_time_ends_the_wait() -> None:
    client = erasing(InMemoryStore()).client(ADA)
    loop = asyncio.get_running_loop()
    run = (await client.run("go")).run
    await client.settled(run, 30)
    assert loop.time() == 0
    (question,) = (await client.details(run)).questions
    await client.decide(question.question.id, approved=True)
    assert (await client.settled(run, 30)).row.status == "waiting"
    assert loop.time() == 30
    submitted = await client.submit("go")
    assert (await client.settled(submitted, 0.2)).row.status == "running"
    assert loop.time() == pytest.approx(30.2)
    assert (await client.settled(submitted, -1)).row.status == "running"


@pytest.mark.looptime
async def test_what_another_process_stores_is_found_at_the_next_look() -> None:
    store, client = InMemoryStore(), None
    runtime = erasing(store)
    client = runtime.client(ADA)
    run = (await client.run("go")).run
    (question,) = (await client.details(run)).questions
    await client.decide(question.question.id, approved=True)
    loop = asyncio.get_running_loop()

    async def cancel_later() -> None:
        await asyncio.sleep(10.1)
        await client.cancel(run)

    cancelling = asyncio.create_task(cancel_later())
    assert (await client.settled(run, 30)).row.status == "cancelled"
    assert loop.time() == pytest.approx(10.1)
    await cancelling


async def test_a_run_whose_time_has_come_does_not_rest(store: Store) -> None:
    clock = Clock()
    runtime = runtime_of(Scripted([ModelBusyError("busy")]), store=store, clock=clock, directory=None)
    client = runtime.client(ADA)
    run = (await client.run("go")).run
    details = await client.settled(run, 0.01, poll_seconds=0.01)
    assert (details.row.status, details.retry_at > clock.now) == ("stalled", True)
    clock.now = details.retry_at
    looked = asyncio.create_task(client.settled(run, 0.05, poll_seconds=0.01))
    await asyncio.sleep(0)
    assert not looked.done()
    assert (await looked).row.status == "stalled"


async def test_a_run_that_is_to_be_cancelled_does_not_rest(store: Store) -> None:
    client = erasing(store).client(ADA)
    run = (await client.run("go")).run
    await store.request_cancel(run, "ada")
    waiting = asyncio.create_task(client.settled(run, 60, poll_seconds=60))
    await asyncio.sleep(0)
    assert await client.cancel(run) == "cancelled"
    assert (await waiting).row.status == "cancelled"


async def test_waiting_is_no_reason_for_a_model_to_stream() -> None:
    asked = list[bool]()

    @tool(effect=Effect.PURE)
    async def look() -> str:
        """Look."""
        asked.append(is_watched(run))
        return "seen"

    agent = Agent("agent", instructions="Work.", tools=[look])
    runtime = Runtime(App(name="test", agents=[agent]), model=Scripted([calls(("look", {})), "done"]))
    client = runtime.client(ADA)
    run = await client.submit("go")
    waiting = asyncio.create_task(client.settled(run, 60, poll_seconds=60))
    await asyncio.sleep(0)
    await runtime.resume(run)
    assert ((await waiting).text, asked) == ("done", [False])


async def test_a_run_of_others_cannot_be_waited_for(store: Store) -> None:
    runtime = erasing(store)
    run = await runtime.client(ADA).submit("go")
    for other in (Principal("bob", "bakery"), Principal("ada", "elsewhere", frozenset({"*"}))):
        with pytest.raises(RequestError, match=f"^run {run} does not exist$"):
            await runtime.client(other).settled(run, 1)
    with pytest.raises(RequestError, match="poll_seconds is 0; give a positive number"):
        await runtime.client(ADA).settled(run, 1, poll_seconds=0)
