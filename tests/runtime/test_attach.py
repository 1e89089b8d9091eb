"""A call that attaches is the run that waits, or whose result was not read, if the same call was made before."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any
from uuid import UUID, uuid4

import pytest
from pydantic import Field

from remit import App, Effect, LeafContext, Principal, Risk, Runtime, tool
from remit.engine.local import LocalEngine
from remit.errors import JournalError, RequestError, RequestNotFoundError
from remit.record.items import Position, RunOpened
from remit.stores import AcquiredLease, InMemoryStore, Store
from remit.testing import Scripted
from tests.runtime.kit import Clock, Crash, Mortal, World, items_of, runtime_of

ADA = Principal("ada", "bakery", frozenset({"approvals:decide"}))
BOB = Principal("bob", "bakery", frozenset({"approvals:decide"}))


class Desk:
    """A tool about which a person is asked, and the texts with which it has run."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time, *, risk: Risk = Risk.HIGH) -> None:
        self.ran: list[str] = []
        self.store, self.clock, self.risk = store, clock, risk

    def process(self) -> Runtime:
        @tool(effect=Effect.KEYED, risk=self.risk)
        async def erase(ctx: LeafContext, text: str, twice: bool = False) -> str:
            """Erase a text."""
            assert ctx.key
            self.ran.append(text)
            await asyncio.sleep(0)
            return f"erased {text}{twice * ' twice'}"

        return runtime_of(Scripted([]), erase, store=self.store, clock=self.clock)

    async def call(self, by: Principal = ADA, text: str = "about", **options: Any) -> Any:
        return await self.process().client(by).call("erase", {"text": text}, attach=True, **options)

    async def decide(self, question: str, *, approved: bool = True) -> None:
        await self.process().client(BOB).decide(question, approved=approved)


async def test_the_same_call_again_asks_the_same_question_and_then_has_its_result_once(store: Store) -> None:
    desk = Desk(store)
    first, again = await desk.call(), await desk.call()
    assert (again.run, again.status, again.questions) == (first.run, "waiting", first.questions)
    assert again.items == first.items
    await desk.decide(first.questions[0])
    done = await desk.call()
    assert (done.run, done.value()) == (first.run, "erased about")
    anew = await desk.call()
    assert (anew.status, anew.run != first.run, desk.ran) == ("waiting", True, ["about"])


async def test_the_result_of_a_run_that_an_executor_has_continued_meanwhile_waits_for_the_call(store: Store) -> None:
    desk = Desk(store)
    first = await desk.call()
    await desk.decide(first.questions[0])
    await desk.process().resume(first.run)
    assert ((await desk.call()).value(), desk.ran) == ("erased about", ["about"])
    denied = await desk.call()
    await desk.decide(denied.questions[0], approved=False)
    refused = [await desk.call() for _ in range(2)]
    assert [each.run == denied.run for each in refused] == [True, False]
    assert (refused[0].status, refused[1].status, desk.ran) == ("failed", "waiting", ["about"])


async def test_calls_differ_by_arguments_target_conversation_principal_tenant_and_application(store: Store) -> None:
    desk = Desk(store)
    other = runtime_of(Scripted([]), World().write("erase", risk=Risk.HIGH), store=store, app="other")
    runs = [
        (await desk.call()).run,
        (await desk.call(text="home")).run,
        (await desk.call(target="a/b")).run,
        (await desk.call(conversation="talk")).run,
        (await desk.call(by=BOB)).run,
        (await desk.call(by=Principal("ada", "elsewhere"))).run,
        (await other.client(ADA).call("erase", {"text": "about"}, attach=True)).run,
        (await desk.process().client(ADA).call("erase", {"text": "about"})).run,
    ]
    assert len({*runs}) == len(runs)
    spelled = await desk.process().client(ADA).call("erase", '{ "twice": false, "text": "\\u0061bout" }', attach=True)
    assert spelled.run == runs[0]


@pytest.mark.every_store
async def test_of_the_same_calls_at_once_one_asks_and_one_runs(store: Store) -> None:
    desk = Desk(store)
    asked = await asyncio.gather(*(desk.call() for _ in range(8)))
    assert len({(each.run, each.questions) for each in asked}) == 1
    await desk.decide(asked[0].questions[0])
    done = await asyncio.gather(*(desk.call() for _ in range(8)))
    assert {(each.run, each.value()) for each in done if each.status == "done"} == {(asked[0].run, "erased about")}
    assert desk.ran == ["about"]
    waiting = {each.run for each in done if each.status == "waiting"}  # those that began after a result was read
    assert len(waiting) <= 1


@pytest.mark.every_store
@pytest.mark.parametrize("processes", [1, 2])
async def test_callers_that_join_an_unsafe_call_while_it_executes_all_have_its_result(
    store: Store, processes: int
) -> None:
    attach_call, joined, made, all_joined = store.attach_call, list[str](), list[str](), asyncio.Event()

    async def attach_counted(call: str, run: str) -> str:
        joined.append(await attach_call(call, run))
        if len(joined) >= 10:
            all_joined.set()
        return joined[-1]

    @tool(effect=Effect.UNSAFE)
    async def pay(account: str) -> str:
        """Pay."""
        made.append(account)
        await all_joined.wait()
        return f"receipt {len(made)}"

    store.attach_call = attach_counted
    clients = [runtime_of(Scripted([]), pay, store=store).client(ADA) for _ in range(processes)]
    calls = [clients[n % processes].call("pay", {"account": "a"}, attach=True) for n in range(10)]
    results = await asyncio.gather(*calls)
    assert {(each.run, each.value()) for each in results} == {(joined[0], "receipt 1")}
    assert made == ["a"]
    anew = await clients[0].call("pay", {"account": "a"}, attach=True)
    assert (anew.run != joined[0], anew.value(), made) == (True, "receipt 2", ["a", "a"])


@pytest.mark.every_store
async def test_a_call_is_made_once_while_an_engine_executes_its_run_as_well(store: Store) -> None:
    desk = Desk(store)
    asked = await desk.call()
    runtime, errors = desk.process(), list[BaseException]()
    engine = LocalEngine(
        store,
        runtime.resume,
        applications=["test"],
        poll_seconds=0.01,
        on_error=lambda _run, error: errors.append(error),
    )
    async with engine:
        await desk.decide(asked.questions[0])
        await engine.wake(asked.run)
        done = await desk.call()
    assert (done.run, done.value(), desk.ran, errors) == (asked.run, "erased about", ["about"], [])


async def test_a_caller_that_is_cancelled_at_any_step_loses_no_result_and_repeats_no_effect() -> None:
    for steps in range(60):
        desk = Desk(InMemoryStore(), risk=Risk.SAFE)
        calling = asyncio.create_task(desk.call())
        for _ in range(steps):
            await asyncio.sleep(0)
        calling.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await calling
            assert steps > 5
            return
        assert ((await desk.call()).value(), desk.ran) == ("erased about", ["about"])
    raise AssertionError("the call never came to its end")


@pytest.mark.parametrize("after", [False, True], ids=["before it is stored", "after it is stored"])
async def test_a_process_that_dies_at_any_append_leaves_one_question_and_one_result(after: bool) -> None:
    for append in range(1, 20):
        clock = Clock()
        store = Mortal(clock)
        desk = Desk(store, clock)
        store.die_at(append, after=after)
        result = await _call_or_crash(desk)
        if result is not None:
            with contextlib.suppress(Crash):
                await desk.decide(result.questions[0])
                result = await _call_or_crash(desk)
        has_died = store.dead
        store.revive()
        clock.now += 60
        if result is None or result.status != "done":
            result = await desk.call()
        if result.status == "waiting":
            await desk.decide(result.questions[0])
            result = await desk.call()
        assert (result.value(), len(await store.list_questions(only_open=False))) == ("erased about", 1)
        assert len([row for row in await store.list_runs() if row.status == "done"]) == 1
        if not has_died:
            return
    raise AssertionError("the process never came to its end")


async def _call_or_crash(desk: Desk) -> Any:
    with contextlib.suppress(Crash):
        return await desk.call()


async def test_a_row_that_names_the_run_of_another_principal_is_not_followed(store: Store) -> None:
    desk = Desk(store)
    others = await desk.call(by=BOB)
    elsewhere = runtime_of(Scripted([]), World().write("erase", risk=Risk.HIGH), store=store, app="other")
    foreign = await elsewhere.client(ADA).call("erase", {"text": "about"}, attach=True)
    attach_call, forged = store.attach_call, [others.run, foreign.run]

    async def attach_forged(call: str, run: str) -> str:
        return forged.pop() if forged else await attach_call(call, run)

    store.attach_call = attach_forged
    own = await desk.call()
    assert own.run not in (others.run, foreign.run)
    header = (await items_of(store, own.run))[0]
    assert (isinstance(header, RunOpened) and header.principal, forged) == ("ada", [])


async def test_an_erased_run_is_not_attached_to(store: Store) -> None:
    desk = Desk(store)
    first = await desk.call()
    await store.erase(first.run, range(len(first.items)))
    assert (await desk.call()).run != first.run


class Full(InMemoryStore):
    """A store whose disk is full when the first run is opened."""

    is_full = True

    def acquire(
        self, run: str, executor: str, seconds: float, after: int = -1, opening: Sequence[Position] = ()
    ) -> Awaitable[AcquiredLease]:
        if self.is_full:
            self.is_full = False
            raise JournalError("the disk is full")
        return super().acquire(run, executor, seconds, after, opening)


async def test_a_call_whose_run_could_not_be_opened_is_made_by_the_next_one() -> None:
    store = Full()
    desk = Desk(store, risk=Risk.SAFE)
    with pytest.raises(JournalError, match="the disk is full"):
        await desk.call()
    assert await store.list_runs() == []
    assert (await desk.call()).value() == "erased about"


class Turns(InMemoryStore):
    """A store of which the first two openings wait: the first fails, and the second is stored after that."""

    def __init__(self) -> None:
        super().__init__()
        self.openings = 0
        self.both_open, self.has_failed = asyncio.Event(), asyncio.Event()

    async def acquire(
        self, run: str, executor: str, seconds: float, after: int = -1, opening: Sequence[Position] = ()
    ) -> AcquiredLease:
        self.openings += bool(opening)
        if opening and self.openings == 1:
            await self.both_open.wait()
            raise JournalError("the disk is full")
        if opening and self.openings == 2:
            self.both_open.set()
            await self.has_failed.wait()
        return await super().acquire(run, executor, seconds, after, opening)


async def test_a_call_joins_the_run_that_one_caller_could_not_open_and_another_executes() -> None:
    store, made, may_end, is_made = Turns(), list[str](), asyncio.Event(), asyncio.Event()

    @tool(effect=Effect.UNSAFE)
    async def pay(account: str) -> str:
        """Pay."""
        made.append(account)
        is_made.set()
        await may_end.wait()
        return f"receipt {len(made)}"

    client = runtime_of(Scripted([]), pay, store=store).client(ADA)
    first, second = [asyncio.create_task(client.call("pay", {"account": "a"}, attach=True)) for _ in range(2)]
    with pytest.raises(JournalError, match="the disk is full"):
        await first
    store.has_failed.set()
    await is_made.wait()
    attach_call, has_attached = store.attach_call, asyncio.Event()

    async def attach_noticed(call: str, run: str) -> str:
        has_attached.set()
        return await attach_call(call, run)

    store.attach_call = attach_noticed
    third = asyncio.create_task(client.call("pay", {"account": "a"}, attach=True))
    await has_attached.wait()
    may_end.set()
    results = await asyncio.gather(second, third)
    assert {each.value() for each in results} == {"receipt 1"}
    assert made == ["a"]


@pytest.mark.parametrize("looks_before", [True, False])
async def test_a_caller_whose_run_is_erased_while_it_waits_does_not_make_the_call_again(
    store: Store, looks_before: bool
) -> None:
    desk = Desk(store, risk=Risk.SAFE)
    find_run, looks = store.find_run, list[str]()

    async def find_late(run: str) -> Any:
        looks.append(run)
        if len(looks) == 1:  # another caller opens the run, reads its result, and it is erased
            assert await find_run(run) is None
            others = await desk.call()
            assert others.run == run
            await store.erase(run, range(len(others.items)))
            if looks_before:
                return None
        return await find_run(run)

    store.find_run = find_late
    with pytest.raises(RequestNotFoundError, match="was erased while the call waited for its result"):
        await desk.call()
    assert desk.ran == ["about"]


async def test_attach_is_a_flag_and_takes_no_key(store: Store) -> None:
    desk = Desk(store)
    with pytest.raises(RequestError, match="an idempotency_key or attach=True, not both; leave out one of them"):
        await desk.call(idempotency_key="r1")
    with pytest.raises(RequestError, match=r"^attach is 'no'; give True or False$"):
        await desk.process().client(ADA).call("erase", {"text": "x"}, attach="no")  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="has no tool or agent 'nothing'"):
        await desk.process().client(ADA).call("nothing", {}, attach=True)


async def test_a_call_attaches_although_a_default_of_it_is_computed() -> None:
    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
    async def order(title: str, number: Annotated[UUID, Field(default_factory=uuid4)], copies: int = 1) -> str:
        """Order a book."""
        return title

    client = Runtime(App(name="shop", tools=[order])).client(ADA)
    same = ({"title": "Dune"}, {"title": "Dune", "copies": 1.0})
    first, again = [await client.call("order", each, attach=True) for each in same]
    other = await client.call("order", {"title": "Dune", "number": str(UUID(int=1))}, attach=True)
    assert (first.run, first.status) == (again.run, "waiting")
    assert other.run != first.run
