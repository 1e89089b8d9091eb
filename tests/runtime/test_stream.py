"""A stream of a run gets the items of this process at once, and looks for those of others."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from remit import App, Effect, Principal, Runtime, tool
from remit.client.following import follow_run
from remit.engine import watching
from remit.engine.watching import wake_streams
from remit.items import ItemEvent
from remit.journal.ledger import RunLedger
from remit.record.items import RunFinished
from remit.runtime import Client
from remit.stores import InMemoryStore
from remit.testing.store_suite.samples import header_item, positions

ADA = Principal("ada", "default", frozenset({"*"}))
HOUR = 3600.0


class Office:
    """A tool that works until the gate is open; each client has a runtime of its own."""

    def __init__(self) -> None:
        self.store = InMemoryStore()
        self.gate = asyncio.Event()
        self.has_begun = asyncio.Event()

    def client(self) -> Client:
        @tool(effect=Effect.PURE)
        async def work() -> str:
            """Work for a while."""
            self.has_begun.set()
            await self.gate.wait()
            return "done"

        app = App(name="app", tools=(work,))
        return Runtime(app, store=self.store, make_run_id=lambda: "run").client(ADA)


async def follow(client: Client, poll_seconds: float) -> list[tuple[str, float]]:
    """The kinds of the items that a stream yields, and when."""
    now = asyncio.get_running_loop().time
    events = client.stream("run", poll_seconds=poll_seconds)
    return [(each.item.kind, round(now())) async for each in events if isinstance(each, ItemEvent)]


@pytest.mark.looptime
async def test_items_that_another_runtime_of_this_process_stores_come_at_once() -> None:
    office = Office()
    execution = asyncio.create_task(office.client().call("work", {}))
    await asyncio.sleep(1)
    following = asyncio.create_task(follow(office.client(), HOUR))
    await asyncio.sleep(59)
    office.gate.set()
    streamed = await following
    await execution
    assert (streamed[0], streamed[-1]) == (("opened", 1), ("finished", 60))


@pytest.mark.looptime
async def test_items_of_other_processes_are_looked_for() -> None:
    office = Office()
    epoch = (await office.store.acquire("run", "another process", HOUR)).epoch
    other = RunLedger(office.store, "run", epoch, clock=lambda: 1.0, on_stored=lambda _positions: None)
    await other.commit(header_item())
    following = asyncio.create_task(follow(office.client(), 10.0))
    await asyncio.sleep(25)
    await other.commit(RunFinished(call="run", status="done"))
    assert await following == [("opened", 0), ("finished", 30)]


async def test_a_stream_in_another_thread_is_woken_too() -> None:
    office, is_followed = Office(), threading.Event()

    async def follow_elsewhere() -> list[str]:
        kinds: list[str] = []
        async for each in office.client().stream("run", poll_seconds=HOUR):
            kinds += [each.item.kind] if isinstance(each, ItemEvent) else []
            is_followed.set()
        return kinds

    execution = asyncio.create_task(office.client().call("work", {}))
    await office.has_begun.wait()
    following = asyncio.create_task(asyncio.to_thread(asyncio.run, follow_elsewhere()))
    await asyncio.to_thread(is_followed.wait)
    office.gate.set()
    await execution
    assert (await following)[-1] == "finished"


@pytest.mark.looptime
async def test_a_stream_that_is_left_is_forgotten() -> None:
    office = Office()
    execution = asyncio.create_task(office.client().call("work", {}))
    await asyncio.sleep(1)
    stream = office.client().stream("run")
    await anext(stream)
    assert list(vars(watching)["_WATCHERS"]) == ["run"]
    await stream.aclose()
    assert vars(watching)["_WATCHERS"] == {}
    office.gate.set()
    await execution


async def test_a_stream_in_another_thread_ends_while_one_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    others: list[threading.Thread] = []

    async def come_and_go() -> None:
        with watching.watch_run("run"):
            pass

    class Watchers(dict[str, Any]):
        """Lets another thread go on in the middle of a change, as far as it may."""

        def setdefault(self, key: str, default: Any = None) -> Any:
            found = super().setdefault(key, default)
            if not others:
                others.append(threading.Thread(target=asyncio.run, args=(come_and_go(),)))
                others[0].start()
                others[0].join(0.2)
            return found

    monkeypatch.setattr(watching, "_WATCHERS", Watchers())
    with watching.watch_run("run") as changed:
        await asyncio.to_thread(others[0].join)
        watching.wake_streams_and(None)(positions("run", [header_item()]))
        await asyncio.wait_for(changed.wait(), 5)
    assert vars(watching)["_WATCHERS"] == {}


@pytest.mark.looptime
async def test_a_reader_that_is_cancelled_while_something_comes_ends() -> None:
    async def never() -> bool:
        return False

    async def follow() -> None:
        async for _ in follow_run(InMemoryStore(), "run", -1, HOUR, never):
            pass

    for moment in range(6):
        reading = asyncio.create_task(follow())
        await asyncio.wait({reading}, timeout=1)
        wake_streams("run")
        for _ in range(moment):
            await asyncio.sleep(0)
        reading.cancel()
        await asyncio.wait({reading}, timeout=1)
        assert reading.cancelled()
