"""A call of an open run that attaches is the same call, until somebody has got its result."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit import App, Effect, LeafContext, Principal, Risk, Runtime, tool
from remit.errors import RequestError
from remit.runtime import CallResult
from remit.stores import InMemoryStore

ADA = Principal("ada")
GRACE = Principal("grace", permissions=frozenset({"approvals:decide"}))
_THREE = {"amount": 3}


class Bank:
    """A bank whose payments are asked about, and whose transfers and looks are not, and end when they may."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.may_end = asyncio.Event()
        self.store = InMemoryStore()

    def process(self) -> Runtime:
        """One more process."""

        @tool(effect=Effect.KEYED, risk=Risk.HIGH)
        async def pay(ctx: LeafContext, amount: int) -> str:
            """Pay."""
            assert ctx.key
            self.done.append(f"pay {amount}")
            return f"paid {amount}"

        @tool(effect=Effect.UNSAFE, risk=Risk.SAFE)
        async def transfer(amount: int) -> str:
            """Transfer."""
            await self.may_end.wait()
            self.done.append(f"transfer {amount}")
            return f"transferred {amount}"

        @tool(effect=Effect.PURE)
        async def look(amount: int) -> str:
            """Look."""
            try:
                await self.may_end.wait()
            except asyncio.CancelledError:
                self.done.append("stopped looking")
                raise
            self.done.append("looked")
            return f"{amount} is there"

        runtime = Runtime(App(name="bank", tools=[pay, transfer, look]), store=self.store)
        runtime.add_principals(ADA, GRACE)
        return runtime

    async def call(self, tool: str, *, process: Runtime | None = None, times: int = 1) -> list[CallResult[Any]]:
        """Make a call some times in the open run of Ada, in a process of its own."""
        client = (process or self.process()).client(ADA)
        async with client.open_run(idempotency_key="till") as run:
            return [await run.call(tool, _THREE, attach=True) for _ in range(times)]

    async def decide(self) -> None:
        """Say yes to what is open."""
        client = self.process().client(GRACE)
        for row in await client.questions():
            await client.decide(row.question.id, approved=True)

    async def questions(self) -> int:
        """How many questions were asked."""
        return len((await self.process().client(GRACE).questions(status="all")).items)


@pytest.mark.looptime
@pytest.mark.parametrize("waits", [0, 100])
async def test_the_same_call_waits_for_the_same_question_and_gets_the_result_once(waits: float) -> None:
    bank = Bank()
    asked = await bank.call("pay", times=2)
    assert {each.questions for each in asked} == {asked[0].questions}
    await bank.decide()
    await asyncio.sleep(waits)
    done, again = await bank.call("pay", times=2)
    assert (done.status, done.text, bank.done, done.call) == ("done", "paid 3", ["pay 3"], asked[0].call)
    assert (again.status, again.call != done.call, await bank.questions()) == ("waiting", True, 2)


@pytest.mark.looptime
async def test_a_result_that_an_executor_made_waits_for_the_same_call_and_one_that_was_returned_does_not() -> None:
    bank = Bank()
    (asked,) = await bank.call("pay")
    await bank.decide()
    await bank.process().resume(asked.run)
    assert bank.done == ["pay 3"]
    (done,) = await bank.call("pay")
    assert (done.status, done.call) == ("done", asked.call)
    (again,) = await bank.call("pay")
    assert (again.status, await bank.questions(), bank.done) == ("waiting", 2, ["pay 3"])


@pytest.mark.looptime
async def test_calls_that_ended_at_once_are_made_again() -> None:
    bank = Bank()
    bank.may_end.set()
    results = [*await bank.call("transfer", times=2), *await bank.call("transfer")]
    assert len({each.call for each in results}) == 3
    assert bank.done == ["transfer 3"] * 3


@pytest.mark.looptime
async def test_a_caller_that_leaves_ends_no_effect_and_the_same_call_gets_its_result_once() -> None:
    bank = Bank()
    process = bank.process()
    leaving = asyncio.create_task(bank.call("transfer", process=process))
    await asyncio.sleep(1)
    leaving.cancel()
    bank.may_end.set()
    await asyncio.gather(leaving, return_exceptions=True)
    assert bank.done == ["transfer 3"]
    (done,) = await bank.call("transfer")
    assert (done.text, bank.done) == ("transferred 3", ["transfer 3"])
    (again,) = await bank.call("transfer")
    assert (again.call != done.call, bank.done) == (True, ["transfer 3"] * 2)


@pytest.mark.looptime
async def test_a_caller_that_leaves_ends_a_call_without_effect() -> None:
    bank = Bank()
    leaving = asyncio.create_task(bank.call("look"))
    await asyncio.sleep(1)
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    assert bank.done == ["stopped looking"]


@pytest.mark.looptime
async def test_callers_at_once_share_one_call_and_others_are_separate() -> None:
    bank = Bank()
    async with bank.process().client(ADA).open_run(idempotency_key="till") as run:
        same = [run.call("transfer", _THREE, attach=True) for _ in range(3)]
        other = run.call("transfer", {"amount": 4}, attach=True)
        plain = run.call("transfer", _THREE)
        calls = asyncio.gather(*same, other, plain)
        await asyncio.sleep(0.1)
        bank.may_end.set()
        found = await calls
    assert [each.call == found[0].call for each in found] == [True, True, True, False, False]
    assert sorted(bank.done) == ["transfer 3", "transfer 3", "transfer 4"]


@pytest.mark.looptime
async def test_a_replay_of_a_run_with_attached_calls_is_identical() -> None:
    bank = Bank()
    (asked,) = await bank.call("pay")
    await bank.decide()
    await bank.call("pay")
    assert (await bank.process().replay(asked.run)).is_identical


@pytest.mark.looptime
async def test_a_key_and_attach_are_refused() -> None:
    async with Bank().process().client(ADA).open_run() as run:
        with pytest.raises(RequestError, match="a key or attach=True, not both"):
            await run.call("pay", _THREE, key="1", attach=True)
