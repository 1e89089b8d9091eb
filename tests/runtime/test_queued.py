"""Messages to a busy conversation wait for their turn: none is lost, doubled or out of order."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from remit import Effect, Principal, Risk, Runtime
from remit.engines import LocalEngine
from remit.errors import IdempotencyError, RequestError
from remit.runtime import RunResult
from remit.stores import InMemoryStore, Store
from remit.testing import Scripted, calls, history_errors
from tests.runtime.kit import Clock, Crash, Mortal, World, runtime_of

ADA = Principal("ada", permissions=frozenset({"approvals:decide"}))
ERASE = calls(("erase", {"text": "about"}))


def runtime_for(store: Store, *script: Any) -> Runtime:
    erase = World().write("erase", Effect.KEYED, Risk.HIGH)
    runtime = runtime_of(Scripted(list(script) or ["done"] * 99), erase, store=store, directory=None)
    runtime.add_principals(ADA)
    return runtime


async def prompts(runtime: Runtime, conversation: str = "talk") -> list[str]:
    """What was said in a conversation, in order; its history must be valid."""
    row = await runtime.client(ADA).conversation(conversation)
    history = await runtime.history(row.latest)
    assert not history_errors(history)
    return [text.partition('"content":"')[2].rstrip('"}') for text in history if '"role":"user"' in text[:20]]


async def test_a_queued_message_waits_for_a_decision_on_the_run_before(store: Store) -> None:
    runtime = runtime_for(store, ERASE, "erased", "second", "third")
    ada = runtime.client(ADA)
    waiting = await ada.run("one", conversation="talk")
    with pytest.raises(RequestError, match="conversation talk is busy"):
        await ada.run("refused", conversation="talk")
    second = await ada.run("two", conversation="talk", when_busy="queue")
    third = await ada.submit("three", conversation="talk", when_busy="queue")
    assert (second.status, second.reason) == ("queued", f"it waits for run {waiting.run}")
    with pytest.raises(RequestError, match=r"has no result: it is queued \(it waits for run"):
        second.value()
    assert (await ada.details(second.run)).row.status == (await ada.resume(third)).status == "queued"
    await ada.decide(waiting.questions[0], approved=True)
    await ada.resume(waiting.run)
    assert (await ada.resume(third)).status == "queued"
    assert (await ada.resume(second.run)).value() == "second"
    assert (await ada.resume(third)).value() == "third"
    assert await prompts(runtime) == ["one", "two", "three"]
    for run in (waiting.run, second.run, third):
        assert (await runtime.replay(run)).is_identical


async def test_a_conversation_stays_busy_when_its_newest_queued_message_is_cancelled(store: Store) -> None:
    runtime = runtime_for(store, ERASE, "erased", "third")
    ada = runtime.client(ADA)
    waiting = await ada.run("one", conversation="talk")
    await ada.cancel(await ada.submit("two", conversation="talk", when_busy="queue"))
    with pytest.raises(RequestError, match=f"conversation talk is busy: run {waiting.run} has not ended"):
        await ada.run("refused", conversation="talk")
    third = await ada.submit("three", conversation="talk", when_busy="queue")
    assert (await ada.resume(third)).status == "queued"
    await ada.decide(waiting.questions[0], approved=True)
    await ada.resume(waiting.run)
    assert (await ada.resume(third)).value() == "third"


async def test_a_stream_of_a_queued_message_yields_its_events(store: Store) -> None:
    stream = runtime_for(store).stream("one", by=ADA, conversation="talk", when_busy="queue")
    events = [event async for event in stream]
    assert isinstance(events[-1], RunResult)
    assert events[-1].value() == "done"
    assert len(events) > 3


async def test_a_queued_message_to_a_free_conversation_runs_at_once(store: Store) -> None:
    runtime = runtime_for(store)
    for prompt in ("one", "two"):
        assert (await runtime.run(prompt, by=ADA, conversation="talk", when_busy="queue")).value() == "done"
    assert (await runtime.run("alone", by=ADA, when_busy="queue")).value() == "done"
    assert await prompts(runtime) == ["one", "two"]


async def test_a_cancelled_queued_message_leaves_its_place_to_the_next(store: Store) -> None:
    runtime = runtime_for(store, ERASE, "erased", "third")
    ada = runtime.client(ADA)
    waiting = await ada.run("one", conversation="talk")
    second, third = [await ada.submit(each, conversation="talk", when_busy="queue") for each in ("two", "three")]
    assert await ada.cancel(second) == "cancelled"
    assert (await ada.resume(third)).status == "queued"
    await ada.decide(waiting.questions[0], approved=True)
    await ada.resume(waiting.run)
    assert (await ada.resume(third)).value() == "third"
    assert await prompts(runtime) == ["one", "three"]
    assert (await runtime.replay(second)).is_identical


async def test_deleting_a_conversation_cancels_what_is_queued_in_it(store: Store) -> None:
    ada = runtime_for(store, ERASE).client(ADA)
    await ada.run("one", conversation="talk")
    queued = [await ada.submit(each, conversation="talk", when_busy="queue") for each in ("two", "three")]
    await ada.delete_conversation("talk")
    assert {position.body for run in queued for position in await store.read(run)} == {""}


@pytest.mark.every_store
async def test_a_queued_message_is_stored_once_for_its_key(store: Store) -> None:
    runtime = runtime_for(store, ERASE)
    await runtime.run("one", by=ADA, conversation="talk")
    options: dict[str, Any] = {"by": ADA, "conversation": "talk", "when_busy": "queue", "idempotency_key": "key"}
    first, again = [await runtime.run("two", **options) for _ in range(2)]
    assert (first.run, first.status) == (again.run, again.status)
    with pytest.raises(IdempotencyError):
        await runtime.run("else", **options)
    assert len(await store.list_runs(conversation="talk")) == 2


@pytest.mark.looptime
async def test_messages_of_one_process_at_once_all_run_one_after_another() -> None:
    runtime = runtime_for(InMemoryStore())
    said = [str(each) for each in range(12)]
    results = await asyncio.gather(
        *(runtime.run(each, by=ADA, conversation="talk", when_busy="queue") for each in said)
    )
    assert [result.status for result in results] == ["done"] * 12
    assert sorted(await prompts(runtime)) == sorted(said)


@pytest.mark.looptime
@pytest.mark.parametrize("seed", range(3))
async def test_engines_run_queued_messages_in_order_whatever_dies_between(seed: int) -> None:
    """Each append of a run may be the last one of its process, before it is stored or after."""
    chance = random.Random(seed)  # noqa: S311
    clock = Clock()
    store = Mortal(clock)
    said = [str(each) for each in range(6)]
    for each in said:
        await runtime_for(store).submit(each, by=ADA, conversation="talk", when_busy="queue")
    for _ in range(40):
        store.revive()
        store.die_at(chance.randint(1, 9), after=chance.random() < 0.5)
        due = await store.list_due_runs("test")
        if not due:
            break
        assert len(due) == 1
        try:
            await runtime_for(store).resume(due[0])
        except Crash:
            clock.now += 60
    store.revive()
    assert await prompts(runtime_for(store)) == said


@pytest.mark.looptime
async def test_an_engine_runs_what_is_queued_when_the_run_before_has_ended() -> None:
    clock = Clock()
    store = InMemoryStore(clock)
    runtime = runtime_for(store, ERASE, "erased", "second", "third")
    ada = runtime.client(ADA)
    errors = list[object]()
    engine = LocalEngine(
        store, runtime.resume, applications=["test"], clock=clock, on_error=lambda run, error: errors.append(error)
    )
    async with engine:
        first = await ada.submit("one", conversation="talk")
        queued = [await ada.submit(each, conversation="talk", when_busy="queue") for each in ("two", "three")]
        for run in (first, *queued):
            await engine.start(run)
        await asyncio.sleep(10)
        assert [(await ada.status(run)).status for run in (first, *queued)] == ["waiting", "queued", "queued"]
        (question,) = (await ada.questions()).items
        await ada.decide(question.question.id, approved=True)
        await asyncio.sleep(60)
    assert await prompts(runtime) == ["one", "two", "three"]
    assert not errors


@pytest.mark.looptime
async def test_a_caller_does_not_wait_for_a_run_that_nobody_continues() -> None:
    runtime = runtime_for(InMemoryStore())
    first = await runtime.submit("one", by=ADA, conversation="talk")
    second = await runtime.run("two", by=ADA, conversation="talk", when_busy="queue")
    assert second.status == "queued"
    assert (await runtime.resume(first)).status == "done"
    assert (await runtime.resume(second.run)).status == "done"


@pytest.mark.looptime
async def test_a_caller_does_not_wait_for_a_run_that_an_executor_has_postponed() -> None:
    store = InMemoryStore(Clock())
    runtime = runtime_for(store)
    first = await runtime.submit("one", by=ADA, conversation="talk")
    await store.postpone(first, 3600)
    second = await asyncio.wait_for(runtime.run("two", by=ADA, conversation="talk", when_busy="queue"), 10)
    assert second.status == "queued"
    assert f"it waits for run {first}, which no executor continues now" in second.reason


@pytest.mark.looptime
async def test_a_caller_does_not_wait_for_a_queued_run_that_nobody_begins() -> None:
    runtime = runtime_for(InMemoryStore())
    first = await runtime.submit("one", by=ADA, conversation="talk")
    second = await runtime.submit("two", by=ADA, conversation="talk", when_busy="queue")
    await runtime.resume(first)
    third = await runtime.run("three", by=ADA, conversation="talk", when_busy="queue")
    assert third.status == "queued"
    assert third.reason.startswith(f"it waits for run {second}, which no executor continues now; resume that run")
    running = asyncio.create_task(runtime.run("four", by=ADA, conversation="talk", when_busy="queue"))
    await asyncio.sleep(1)
    for run in (second, third.run):
        assert (await runtime.resume(run)).status == "done"
    assert (await running).status == "done"


@pytest.mark.looptime
async def test_a_queued_message_whose_predecessor_is_missing_waits_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    store = InMemoryStore()
    runtime = runtime_for(store)
    first = await runtime.submit("one", by=ADA, conversation="talk")
    second = await runtime.submit("two", by=ADA, conversation="talk", when_busy="queue")
    third = await runtime.submit("three", by=ADA, conversation="talk", when_busy="queue")
    find_run = store.find_run

    async def find_all_but_first(run: str) -> Any:
        return None if run == first else await find_run(run)

    monkeypatch.setattr(store, "find_run", find_all_but_first)
    await runtime.cancel(second, by=ADA)
    assert (await asyncio.wait_for(runtime.resume(third), 1)).status == "done"


@pytest.mark.looptime
async def test_a_caller_follows_its_run_while_another_executor_has_it() -> None:
    store = InMemoryStore(Clock())
    runtime = runtime_for(store)
    first = await runtime.submit("one", by=ADA, conversation="talk")
    running = asyncio.create_task(runtime.run("two", by=ADA, conversation="talk", when_busy="queue"))
    await asyncio.sleep(1)
    row = await store.find_latest_run("talk", tenant="default", application="test")
    assert row is not None
    held = await store.acquire(row.run, "another", 60)
    await runtime.resume(first)
    await asyncio.sleep(1)
    assert not running.done()
    await store.release(row.run, held.epoch)
    assert (await running).status == "done"
