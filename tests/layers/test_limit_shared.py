"""A rate limit holds for all processes that share a journal, by the journal's clock."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from remit import App, Runtime, tool
from remit.errors import RateLimitedError
from remit.journal.ledger import RunLedger
from remit.journal.memory import InMemoryStore
from remit.journal.ports import Store
from remit.journal.sql.store import SqlStore
from remit.layers import Call, RateLimit, Reply
from remit.testing import call_through, make_call, superuser
from remit.testing.store_suite.samples import Clock


@tool(effect="pure", rate="3/minute")
async def look() -> str:
    """Look."""
    return "seen"


OpenStore = Callable[[], Store]
TOO_EARLY = "look may be called 3 times in 60 seconds; try again in 60 seconds"


@pytest.fixture
def clock() -> Clock:
    """The clock that the journal of all processes has."""
    return Clock()


@pytest.fixture
async def open_store(tmp_path: Path, clock: Clock) -> AsyncIterator[OpenStore]:
    """Opens the journal of one file as one more process would."""
    async with AsyncExitStack() as stack:

        def open_one() -> Store:
            store = SqlStore.at(tmp_path / "journal.db", clock)
            stack.push_async_callback(store.close)
            return store

        yield open_one


async def call_once(store: Store, tenant: str = "default", app: str = "looking") -> str:
    """The reply of a call in a process of its own, which has counted no other call."""
    runtime = Runtime(App(name=app, tools=[look]), store=store)
    reply = (await runtime.call(look, superuser(tenant=tenant))).reply
    assert reply is not None
    return reply.error.message if reply.error is not None else reply.content


async def test_a_declared_rate_counts_the_calls_of_all_processes(open_store: OpenStore, clock: Clock) -> None:
    assert [await call_once(open_store()) for _ in range(5)] == ["seen"] * 3 + [TOO_EARLY] * 2
    clock.pass_by(60)
    assert [await call_once(open_store()) for _ in range(4)] == ["seen"] * 3 + [TOO_EARLY]


async def test_tenants_and_applications_count_apart(open_store: OpenStore) -> None:
    one, another = open_store(), open_store()
    assert [await call_once(one) for _ in range(4)][-1] == TOO_EARLY
    assert await call_once(another, tenant="north") == "seen"
    assert await call_once(another, app="peering") == "seen"
    assert await call_once(another) == TOO_EARLY


def loop_time() -> float:
    return asyncio.get_running_loop().time()


def ledger_over(store: Store) -> RunLedger:
    return RunLedger(store, "run", 1, clock=loop_time, on_stored=lambda _: None)


@pytest.mark.looptime
async def test_a_call_waits_for_its_turn_behind_those_of_other_processes() -> None:
    starts, store = list[float](), InMemoryStore(loop_time)

    async def note_start(_call: Call, /) -> Reply:
        starts.append(loop_time())
        return Reply.from_value("inner")

    for _ in range(5):
        call = await make_call(look, ledger=ledger_over(store))
        await call_through(RateLimit(calls=2, seconds=5), call, note_start)
    assert starts == [0, 0, 5, 5, 10]


async def test_equal_limits_around_one_attempt_take_one_turn(open_store: OpenStore) -> None:
    outer, inner, another = (RateLimit(calls=1, seconds=60, max_wait=0) for _ in range(3))
    first = await make_call(look, ledger=ledger_over(open_store()))

    async def call_inner(call: Call, /) -> Reply:
        return await call_through(inner, call)

    assert (await call_through(outer, first, call_inner)).value == "inner"
    for each in (first.replace(attempt=2), first.replace(id="second")):
        with pytest.raises(RateLimitedError, match="look may be called 1 times in 60 seconds"):
            await call_through(another, each)
