"""An open run in several event loops of one process, and with several versions of its application."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from remit import App, Effect, tool
from tests.runtime.open_desk import ADA, Desk


def test_a_loop_that_stands_still_holds_a_run_no_longer_than_its_lease() -> None:
    now = [time.time()]
    desk = Desk(clock=lambda: now[0])
    client = desk.client()

    async def enter() -> str:
        run = await client.open_run().__aenter__()
        await run.call("write", {"page": "a"})
        return run.id

    async def call(ident: str) -> str:
        async with client.open_run(run_id=ident) as run:
            return (await asyncio.wait_for(run.call("write", {"page": "b"}), 5)).value()

    still = asyncio.new_event_loop()
    try:
        ident = still.run_until_complete(enter())
        now[0] += 60
        assert asyncio.run(call(ident)) == "wrote b"
        assert asyncio.run(call(ident)) == "wrote b"
    finally:
        left = asyncio.all_tasks(still)
        for each in left:
            each.cancel()
        still.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        still.close()


def test_threads_with_an_event_loop_each_take_turns_in_a_run() -> None:
    desk = Desk()
    client = desk.client()
    found: list[str] = []

    async def session(number: int) -> None:
        async with client.open_run(idempotency_key="session") as run:
            for page in range(3):
                result = await run.call("read", {"page": f"{number}.{page}"})
                found.append(result.value())

    threads = [threading.Thread(target=asyncio.run, args=[session(number)], daemon=True) for number in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(20)
    assert sorted(found) == [f"text of {number}.{page}" for number in range(2) for page in range(3)]


@pytest.mark.looptime
async def test_a_block_of_the_next_version_makes_calls_with_it_in_a_run_that_is_executed_with_the_last() -> None:
    desk = Desk()

    @tool(effect=Effect.PURE)
    async def new() -> str:
        """Come with the next version."""
        return "new"

    runtime = desk.process()
    client = runtime.client(ADA)
    async with client.open_run(idle_seconds=60) as run:
        await run.call("read", {"page": "a"})
        lingering = asyncio.create_task(run.call("linger", {"seconds": 5}))
        await asyncio.sleep(1)
        runtime.update(App(name="test", tools=[*desk.tools(), new]))
        async with client.open_run(run_id=run.id) as next_run:
            called = asyncio.create_task(next_run.call("new", {}))
            assert (await lingering).value() == "done"
            assert (await called).value() == "new"
            assert (await run.call("read", {"page": "b"})).value() == "text of b"
        assert (await run.close()).value() == {"calls": 4, "failed": 0, "denied": 0}
