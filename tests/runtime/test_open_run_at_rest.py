"""An open run rests between its calls, and is taken up again: by the next call, in any process, and after a crash."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections.abc import Sequence
from typing import Any

import pytest

from remit import Principal
from remit.engine.local import LocalEngine
from remit.errors import (
    IdempotencyError,
    LeaseError,
    RequestConflictError,
    RequestDeniedError,
    RequestError,
    RequestNotFoundError,
)
from remit.journal.ports import AppendFuture
from remit.record.items import CallReceived, Position, RunFinished, ToolOutput
from remit.record.ledger import Consumption
from remit.stores import InMemoryStore, Store
from tests.runtime.kit import items_of
from tests.runtime.open_desk import ADA, BOB, Desk

pytestmark = pytest.mark.looptime


async def status_of(store: Store, run: str) -> str:
    row = await store.find_run(run)
    assert row is not None
    return row.status


async def decide(desk: Desk, question: str, *, approved: bool = True, **options: Any) -> None:
    await desk.client(BOB).decide(question, approved=approved, **options)


async def test_a_run_without_calls_rests_after_a_second_and_gives_its_lease_back() -> None:
    desk = Desk()
    async with desk.client().open_run() as run:
        await run.call("write", {"page": "home"})
        assert await status_of(desk.store, run.id) == "running"
        await asyncio.sleep(1.5)
        assert await status_of(desk.store, run.id) == "open"
        await desk.store.acquire(run.id, "another", 0.0)
        await run.call("write", {"page": "home"})
        assert await status_of(desk.store, run.id) == "running"
    assert await status_of(desk.store, run.id) == "open"
    assert desk.ran == ["write home", "write home"]


async def test_any_process_takes_a_run_up_again_by_its_id() -> None:
    desk = Desk()
    async with desk.client().open_run() as run:
        await run.call("write", {"page": "home"})
    async with desk.client().open_run(run_id=run.id) as again:
        assert again.id == run.id
        await again.call("write", {"page": "home"})
        result = await again.close()
    assert result.value()["calls"] == 2
    calls = {each.call for each in await items_of(desk.store, run.id) if isinstance(each, CallReceived)}
    assert len(calls) == 2
    assert (await desk.process().replay(run.id)).is_identical


async def test_a_request_with_the_same_key_takes_up_the_run_that_it_opened() -> None:
    desk = Desk()
    async with desk.client().open_run(idempotency_key="session") as run:
        pass
    async with desk.client().open_run(idempotency_key="session") as again:
        assert again.id == run.id
    with pytest.raises(IdempotencyError):
        async with desk.client().open_run(idempotency_key="session", target="other/site"):
            pass


async def test_the_key_of_a_run_that_has_ended_is_refused_on_entering() -> None:
    desk = Desk()
    async with desk.client().open_run(idempotency_key="session") as run:
        await run.call("write", {"page": "home"}, key="1")
        await run.close()
    with pytest.raises(RequestConflictError, match=f"has ended .done.; give open_run a new key, or run_id='{run.id}'"):
        async with desk.client().open_run(idempotency_key="session"):
            pytest.fail("entered")
    async with desk.client().open_run(run_id=run.id) as ended:
        assert (await ended.call("write", {"page": "home"}, key="1")).value() == "wrote home"
    assert desk.ran == ["write home"]


async def test_only_its_principal_calls_in_a_run_and_only_an_open_run_takes_calls() -> None:
    desk = Desk()
    client = desk.client()
    async with client.open_run() as run:
        pass
    stranger = Principal("eve", "bakery")
    cases: Sequence[tuple[Principal, str, type[RequestError]]] = [
        (BOB, run.id, RequestDeniedError),
        (stranger, run.id, RequestNotFoundError),
        (ADA, (await client.call("read", {"page": "home"})).run, RequestError),
        (ADA, "unknown", RequestNotFoundError),
    ]
    for by, ident, error in cases:
        with pytest.raises(error):
            async with desk.client(by).open_run(run_id=ident):
                pass
    with pytest.raises(RequestError, match="takes no target"):
        client.open_run(run_id=run.id, target="a/b")


async def test_a_call_waits_for_another_process_that_executes_the_run() -> None:
    desk = Desk()
    async with desk.client().open_run() as run, desk.client().open_run(run_id=run.id) as other:
        await run.call("read", {"page": "home"})
        assert (await other.call("read", {"page": "about"})).value() == "text of about"


async def test_a_call_does_not_wait_for_ever_for_another_process() -> None:
    desk = Desk()
    async with desk.client().open_run() as run, desk.client().open_run(run_id=run.id) as other:
        lingering = asyncio.create_task(run.call("linger", {"seconds": 60}))
        await asyncio.sleep(0.1)
        with pytest.raises(LeaseError):
            await other.call("read", {"page": "about"})
        with pytest.raises(LeaseError):
            await other.close()
        assert (await lingering).value() == "done"


async def test_the_same_call_with_the_same_key_is_one_call_at_once_later_and_after_the_end() -> None:
    desk = Desk()
    async with desk.client().open_run() as run:
        both = await asyncio.gather(*(run.call("write", {"page": "a"}, key="1") for _ in range(2)))
        both.append(await run.call("write", '{"page":"a"}', key="1"))
        await asyncio.sleep(2)
        both.append(await run.call("write", {"page": "a"}, key="1"))
        assert {(each.value(), each.call) for each in both} == {("wrote a", both[0].call)}
        with pytest.raises(IdempotencyError, match="another call"):
            await run.call("write", {"page": "b"}, key="1")
        await run.call("write", {"page": "a"}, key="2")
        await run.close()
        assert (await run.call("write", {"page": "a"}, key="1")).value() == "wrote a"
        with pytest.raises(RequestConflictError, match="has ended"):
            await run.call("write", {"page": "b"}, key="1")
        with pytest.raises(RequestConflictError, match="has ended"):
            await run.call("write", {"page": "a"})
        assert (await run.close()).status == "done"
    assert desk.ran == ["write a", "write a"]


async def test_a_call_that_waits_for_a_person_leaves_the_run_to_the_others() -> None:
    desk = Desk()
    async with desk.client().open_run() as run:
        asked = await run.call("erase", {"page": "home"}, key="1")
        assert (asked.status, len(asked.questions)) == ("waiting", 1)
        with pytest.raises(RequestConflictError, match="has no result"):
            asked.value()
        assert (await run.call("write", {"page": "a"})).status == "done"
        again = await run.call("erase", {"page": "home"}, key="1")
        assert (again.status, again.questions) == ("waiting", asked.questions)
        with pytest.raises(RequestConflictError, match=asked.questions[0]):
            await run.close()
        await decide(desk, asked.questions[0])
        assert (await run.call("erase", {"page": "home"}, key="1")).value() == "erased home"
        assert (await run.close()).value() == {"calls": 2, "failed": 0, "denied": 0}
    assert desk.ran == ["write a", "erase home"]
    assert (await desk.process().replay(run.id)).is_identical


async def test_a_run_that_is_taken_up_to_be_closed_says_what_it_waits_for() -> None:
    desk = Desk()
    async with desk.client().open_run() as run:
        asked = await run.call("erase", {"page": "home"})
    async with desk.client().open_run(run_id=run.id, idle_seconds=0.001) as again:
        with pytest.raises(RequestConflictError, match=asked.questions[0]):
            await again.close()
        await decide(desk, asked.questions[0])
        assert (await again.close()).status == "done"
    assert desk.ran == ["erase home"]


async def test_a_call_that_a_person_denies_is_denied() -> None:
    desk = Desk()
    async with desk.client().open_run() as run:
        asked = await run.call("erase", {"page": "home"}, key="1")
        await decide(desk, asked.questions[0], approved=False, reason="keep it")
        denied = await run.call("erase", {"page": "home"}, key="1")
        assert denied.reply is not None
        assert (denied.status, denied.reply.outcome) == ("failed", "denied")
        assert (await run.close()).value() == {"calls": 1, "failed": 0, "denied": 1}


async def test_a_run_at_rest_waits_for_its_questions_and_an_engine_continues_it() -> None:
    desk = Desk()
    async with desk.client().open_run() as run:
        first = await run.call("erase", {"page": "a"}, key="1")
        await run.call("erase", {"page": "b"}, key="2")
    assert await status_of(desk.store, run.id) == "waiting"
    runtime = desk.process()
    async with LocalEngine(desk.store, runtime.resume, applications=["test"], on_error=_raise):
        await decide(desk, first.questions[0])
        await asyncio.sleep(3)
        assert desk.ran == ["erase a"]
        assert await status_of(desk.store, run.id) == "waiting"
    async with desk.client().open_run(run_id=run.id) as again:
        assert (await again.call("erase", {"page": "a"}, key="1")).value() == "erased a"
    assert desk.ran == ["erase a"]


async def test_an_engine_leaves_an_open_run_that_rests_alone() -> None:
    desk = Desk()
    async with desk.client().open_run() as run:
        await run.call("read", {"page": "home"})
    runtime, before = desk.process(), len(await items_of(desk.store, run.id))
    async with LocalEngine(desk.store, runtime.resume, applications=["test"], on_error=_raise):
        await asyncio.sleep(30)
    assert len(await items_of(desk.store, run.id)) == before
    assert (await runtime.resume(run.id)).status == "open"


async def test_a_decision_is_noticed_while_other_calls_come_one_after_another() -> None:
    desk = Desk()
    async with desk.client().open_run() as run:
        asked = await run.call("erase", {"page": "home"}, key="1")
        await decide(desk, asked.questions[0])
        for _ in range(10):
            await run.call("linger", {"seconds": 0.4})
        assert "erase home" in desk.ran


async def test_a_decision_is_noticed_within_a_second_however_long_the_run_waits_for_calls() -> None:
    for runs in (False, True):
        desk = Desk()
        async with desk.client().open_run(idle_seconds=60) as run:
            asked = await run.call("erase", {"page": "home"})
            lingering = asyncio.create_task(run.call("linger", {"seconds": 5 if runs else 0}))
            await asyncio.sleep(3)
            await decide(desk, asked.questions[0])
            await asyncio.sleep(4)
            assert "erase home" in desk.ran
            assert (await lingering).value() == "done"


async def test_a_run_that_waits_for_a_decision_rests_when_no_call_has_come_for_its_time() -> None:
    desk = Desk()
    async with desk.client().open_run(idle_seconds=5) as run:
        await run.call("erase", {"page": "home"})
        await asyncio.sleep(4.5)
        assert await status_of(desk.store, run.id) == "running"
        await asyncio.sleep(1)
        assert await status_of(desk.store, run.id) == "waiting"


async def test_a_cancelled_call_ends_itself_and_not_the_run() -> None:
    desk = Desk()
    async with desk.client().open_run() as run:
        for tool in ("linger", "copy_slowly"):
            call = asyncio.create_task(run.call(tool, {"seconds": 60}, key=tool))
            await asyncio.sleep(0.1)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            repeated = await run.call(tool, {"seconds": 60}, key=tool)
            assert (repeated.status, "the caller cancelled this call" in repeated.text) == ("cancelled", True)
        assert (await run.call("read", {"page": "home"})).value() == "text of home"
        assert (await run.close()).value() == {"calls": 3, "failed": 2, "denied": 0}
    assert desk.ran == ["linger 60.0", "linger 60.0", "read home"]
    assert (await desk.process().replay(run.id)).difference == ""


async def test_cancelling_a_run_ends_all_its_calls() -> None:
    desk = Desk()
    client = desk.client()
    async with client.open_run() as run:
        asked = await run.call("erase", {"page": "home"})
        call = asyncio.create_task(run.call("linger", {"seconds": 60}))
        await asyncio.sleep(0.1)
        assert await client.cancel(run.id) == "running"
        cancelled = await call
        assert (cancelled.status, "the run was cancelled" in cancelled.text) == ("cancelled", True)
        with pytest.raises(RequestConflictError, match="has ended"):
            await run.call("read", {"page": "home"})
    outputs = [each for each in await items_of(desk.store, run.id) if isinstance(each, ToolOutput)]
    assert len(outputs) == 3
    (row,) = await desk.store.list_questions(only_open=False)
    assert (row.question.id, row.status) == (asked.questions[0], "cancelled")
    assert (await desk.process().replay(run.id)).difference == ""


async def test_a_run_at_rest_is_cancelled_with_the_calls_that_wait() -> None:
    desk = Desk()
    client = desk.client()
    async with client.open_run() as run:
        await run.call("erase", {"page": "home"})
    assert await client.cancel(run.id) == "cancelled"
    items = await items_of(desk.store, run.id)
    assert [each.status for each in items if isinstance(each, RunFinished)] == ["cancelled"]
    assert len([each for each in items if isinstance(each, ToolOutput)]) == 2
    assert (await desk.process().replay(run.id)).difference == ""


def _raise(run: str, error: BaseException) -> None:
    raise AssertionError(run) from error


class Counting(InMemoryStore):
    """Counts the transactions of appends and leases."""

    commits = 0

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        self.commits += 1
        return super().append(run, epoch, items, consumption)


async def test_an_unsafe_call_takes_two_commits_and_a_pure_one_none_of_its_own() -> None:
    store = Counting()
    desk = Desk(store)
    async with desk.client().open_run() as run:
        await run.call("write", {"page": "first"})
        before = store.commits
        for number in range(20):
            await run.call("write", {"page": str(number)})
        assert store.commits - before <= 2 * 20
        before = store.commits
        for number in range(20):
            await run.call("read", {"page": str(number)})
        assert store.commits - before <= 1


async def test_runs_at_rest_have_no_task_and_take_less_than_a_kilobyte_each() -> None:
    desk = Desk()
    client = desk.client()
    async with client.open_run() as run:
        await run.call("write", {"page": "first"})
    tasks = len(asyncio.all_tasks())
    ids = [run.id]
    for _ in range(49):
        async with client.open_run() as run:
            ids.append(run.id)
    gc.collect()
    tracemalloc.start()
    try:
        handles = [client.open_run(run_id=each) for each in ids]
        for each in handles:
            await each.__aenter__()
        for each in handles:
            await each.call("read", {"page": "home"})
        await asyncio.sleep(5)
        gc.collect()
        own = tracemalloc.Filter(inclusive=False, filename_pattern="*/journal/*")
        kept = tracemalloc.take_snapshot().filter_traces([own]).statistics("filename")
    finally:
        tracemalloc.stop()
    assert len(asyncio.all_tasks()) == tasks
    remit = sum(each.size for each in kept if "/remit/" in each.traceback[0].filename)
    assert remit / len(ids) <= 1024, [str(each) for each in kept[:12]]


async def test_a_call_that_comes_while_an_engine_executes_the_run_is_made_in_that_execution_or_the_next() -> None:
    for turns in range(0, 30, 6):
        desk = Desk()
        runtime = desk.process()
        async with runtime.client(ADA).open_run() as run:
            asked = await run.call("erase", {"page": "home"}, key="1")
        await decide(desk, asked.questions[0])
        async with runtime.client(ADA).open_run(run_id=run.id) as again:
            resumed = asyncio.create_task(runtime.resume(run.id))
            for _ in range(turns):
                await asyncio.sleep(0)
            assert (await again.call("read", {"page": "home"})).value() == "text of home"
            assert (await again.call("erase", {"page": "home"}, key="1")).value() == "erased home"
            await asyncio.wait([resumed])
            assert resumed.exception() is None or isinstance(resumed.exception(), LeaseError)
        assert await status_of(desk.store, run.id) == "open"
        assert sorted(desk.ran) == ["erase home", "read home"]
