"""A principal watches what changes: the rows that their lists have, each change once, wherever the stream goes on."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterable
from typing import Any

import pytest

from remit import Client, Effect, Principal, Risk, Runtime
from remit.client import updates
from remit.errors import RequestError
from remit.runtime import ConversationUpdate, QuestionUpdate, RunUpdate, WatchEvent, WatchStart
from remit.stores import InMemoryStore, Store
from remit.testing import Scripted, calls
from tests.runtime.kit import World, runtime_of

ERASE = calls(("erase", {"text": "about"}))
ADA = Principal("ada", "bakery")
BOB = Principal("bob", "bakery")
BOSS = Principal("boss", "bakery", frozenset({"runs:read", "approvals:decide"}))
ELSEWHERE = Principal("ada", "elsewhere", frozenset({"*"}))


def runtime_for(store: Store, *script: Any, clock: Any = None) -> Runtime:
    tools = World().write("erase", Effect.KEYED, Risk.HIGH)
    model = Scripted([*script, *["done"] * 9])
    return runtime_of(model, tools, store=store, directory=None, **({"clock": clock} if clock else {}))


def described(event: WatchEvent) -> tuple[str, str]:
    """What an event is about, and its state."""
    match event:
        case RunUpdate(row=row):
            return "run", row.status
        case QuestionUpdate(row=row):
            return "question", row.status
        case ConversationUpdate(row=row):
            return row.conversation, row.title
        case WatchStart():
            return "start", ""


async def started(client: Client) -> AsyncGenerator[WatchEvent]:
    """A stream that has begun."""
    events = client.watch()
    assert isinstance(await anext(events), WatchStart)
    return events


async def some(events: AsyncGenerator[WatchEvent], count: int) -> list[tuple[str, str]]:
    async with asyncio.timeout(30):
        return [described(await anext(events)) for _ in range(count)]


async def rest_of(events: AsyncGenerator[WatchEvent]) -> list[WatchEvent]:
    """All events until none comes for a while."""
    found = list[WatchEvent]()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(100):
            async for event in events:
                found.append(event)
    return found


async def test_runs_and_questions_come_when_they_are_opened_settled_and_ended(store: Store) -> None:
    runtime = runtime_for(store, ERASE)
    ada, boss = runtime.client(ADA), runtime.client(BOSS)
    events = await started(ada)
    run = await ada.submit("go")
    assert await some(events, 1) == [("run", "running")]
    await ada.resume(run)
    assert sorted(await some(events, 2)) == [("question", "open"), ("run", "waiting")]
    (row,) = await boss.questions()
    await boss.decide(row.question.id, approved=True)
    assert await some(events, 1) == [("question", "approved")]
    await ada.resume(run)
    assert sorted(await some(events, 2)) == [("question", "taken"), ("run", "done")]
    await events.aclose()


@pytest.mark.looptime
async def test_a_conversation_comes_when_it_is_begun_renamed_and_shared_with_the_principal() -> None:
    runtime = runtime_for(InMemoryStore())
    ada, bob = runtime.client(ADA), runtime.client(BOB)
    own, shared = await started(ada), await started(bob)
    await ada.run("Bread?", conversation="talk")
    assert await some(own, 2) == [("talk", "Bread?"), ("run", "done")]
    await ada.rename_conversation("talk", "Cakes")
    assert await some(own, 1) == [("talk", "Cakes")]
    await ada.share_conversation("talk", "bob")
    assert await some(shared, 1) == [("talk", "Cakes")]
    assert await some(own, 1) == [("talk", "Cakes")]
    for events in (own, shared):
        await events.aclose()


@pytest.mark.looptime
async def test_a_stream_has_what_the_lists_of_its_principal_have() -> None:
    runtime = runtime_for(InMemoryStore(), ERASE, ERASE)
    streams = {each: await started(runtime.client(each)) for each in (ADA, BOB, BOSS, ELSEWHERE)}
    await runtime.client(ADA).run("go", conversation="talk", target="bread/main")
    await runtime.client(BOB).run("go")
    for principal, events in streams.items():
        client = runtime.client(principal)
        rows = [each.row for each in await rest_of(events) if not isinstance(each, WatchStart)]
        listed = [*(each.row for each in await client.runs()), *await client.questions(), *await client.conversations()]
        assert sorted(map(repr, rows)) == sorted(map(repr, listed))
    assert [len(await client.runs()) for client in map(runtime.client, streams)] == [1, 1, 2, 0]


@pytest.mark.looptime
async def test_a_question_comes_when_it_expires_without_a_look_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updates, "_MAX_SECONDS", 1e9)
    store = InMemoryStore(lambda: 1e9 + asyncio.get_event_loop().time())
    runtime = runtime_for(store, ERASE, clock=lambda: 1e9 + asyncio.get_event_loop().time())
    ada = runtime.client(ADA)
    await ada.run("go")
    (row,) = await ada.questions()
    events, loop = await started(ada), asyncio.get_running_loop()
    event = await anext(events)
    assert (described(event), round(loop.time() + 1e9)) == (("question", "expired"), round(row.question.expires))
    await events.aclose()


@pytest.mark.looptime
async def test_a_stream_that_starts_after_any_event_misses_nothing_and_repeats_nothing() -> None:
    runtime = runtime_for(InMemoryStore(), ERASE)
    ada = runtime.client(ADA)
    events = ada.watch()
    seen = [await anext(events)]
    await ada.run("go", conversation="talk")
    seen += [await anext(events) for _ in range(3)]
    await ada.rename_conversation("talk", "Cakes")
    seen.append(await anext(events))
    assert await rest_of(events) == []
    for number, event in enumerate(seen, start=1):
        rest = await rest_of(ada.watch(after=event.after))
        told, repeated = map(rows_by_id, (seen[:number], rest))
        assert told | repeated == rows_by_id(seen)
        assert all(told.get(each) != row for each, row in repeated.items())


def rows_by_id(events: Iterable[WatchEvent]) -> dict[object, object]:
    """The last row of each run, question and conversation."""
    rows = dict[object, object]()
    for event in events:
        match event:
            case RunUpdate(row=row):
                rows[row.run] = row
            case QuestionUpdate(row=row):
                rows[row.question.id] = row
            case ConversationUpdate(row=row):
                rows[row.key] = row
            case WatchStart():
                pass
    return rows


@pytest.mark.looptime
async def test_all_who_wait_at_one_place_share_one_read() -> None:
    class Counting(InMemoryStore):
        reads = 0

        async def read_changes(self, tenant: str, place: Any, limit: int) -> Any:
            self.reads += 1
            return await super().read_changes(tenant, place, limit)

    store = Counting(asyncio.get_running_loop().time)
    runtime = runtime_for(store)
    streams = [await started(runtime.client(ADA)) for _ in range(10)]
    waiting = [asyncio.create_task(some(each, 1)) for each in streams]
    await asyncio.sleep(1)
    before = store.reads
    await runtime.client(ADA).submit("go")
    assert await asyncio.gather(*waiting) == [[("run", "running")]] * 10
    assert store.reads == before + 1
    for each in streams:
        await each.aclose()
    assert vars(updates)["_READINGS"] == {}


@pytest.mark.looptime
async def test_a_read_that_fails_after_its_stream_was_left_is_not_reported(caplog: pytest.LogCaptureFixture) -> None:
    class Failing(InMemoryStore):
        async def read_changes(self, tenant: str, place: Any, limit: int) -> Any:
            if place is not None:
                raise RequestError("gone")
            return await super().read_changes(tenant, place, limit)

    events = await started(runtime_for(Failing()).client(ADA))
    reading = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)
    reading.cancel()
    await asyncio.wait({reading})
    await asyncio.sleep(1)
    assert (reading.cancelled(), caplog.text) == (True, "")


def test_a_place_that_no_event_has_is_refused_at_the_call() -> None:
    client = runtime_for(InMemoryStore()).client(ADA)
    for after in ("0", "~", "1:1:", "a\ud800"):
        with pytest.raises(RequestError, match=r"^after is '"):
            client.watch(after=after)
