"""A question about an outcome is decided under the rules of the approval that it concerns."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from remit import App, Ask, Effect, Policy, Principal, Runtime, When, preset, tool
from remit.app import Env
from remit.errors import RequestError
from remit.policies import Question
from remit.stores import InMemoryStore
from tests.runtime.kit import Clock, Crash

ADA = Principal("ada", permissions=frozenset({"*"}))
BEA = Principal("bea", permissions=frozenset({"*"}))
CLEO = Principal("cleo", permissions=frozenset({"approvals:decide"}))
STRICT = Ask(reason="money", who="money:approve", four_eyes=True)


class Bank:
    """A bank, and processes that die while they pay."""

    def __init__(self, *, asks: Ask | None = STRICT, dies: int = 1) -> None:
        self.clock = Clock()
        self.store = InMemoryStore(self.clock)
        self.paid: list[int] = []
        self._dies = dies
        self._rules = [When("money", lambda _call: True, asks)] if asks else []

        @tool(effect=Effect.UNSAFE)
        async def pay(amount: int) -> str:
            """Pay an amount."""
            self.paid.append(amount)
            if len(self.paid) <= self._dies:
                raise Crash
            return f"paid {amount}"

        self.pay = pay

    def process(self) -> Runtime:
        """A new process, after the lease of the one before has ended."""
        self.clock.now += 60.0
        layers = preset(Env(), policy=Policy(*self._rules))
        people = {each.name: each for each in (ADA, BEA, CLEO)}
        return Runtime(
            App(name="bank", tools=(self.pay,)),
            store=self.store,
            clock=self.clock,
            layers=layers,
            directory=lambda name, _tenant: people[name],
        )

    async def open_questions(self) -> Sequence[Question]:
        return [row.question for row in await self.store.list_questions()]

    async def crash(self) -> tuple[str, Question]:
        """Pay, with an approval where one is needed, and die: the run, and the question about the outcome."""
        result_run = ""
        try:
            result_run = (await self.process().call(self.pay, ADA, 7)).run
            for question in await self.open_questions():
                await self.process().decide(question.id, approved=True, by=BEA)
            await self.process().resume(result_run)
        except Crash:
            pass
        (row,) = await self.store.list_runs()
        result = await self.process().resume(row.run)
        assert result.status == "waiting"
        (question,) = await self.open_questions()
        assert question.kind == "outcome"
        return row.run, question


async def test_it_needs_the_permission_of_the_approval() -> None:
    bank = Bank()
    _, question = await bank.crash()
    assert (question.who, question.four_eyes, question.asker, question.tenant) == (
        "money:approve",
        True,
        "ada",
        "default",
    )
    with pytest.raises(RequestError, match="cleo may not decide"):
        await bank.process().decide(question.id, approved=False, by=CLEO)


async def test_the_requester_does_not_decide_where_four_eyes_are_required() -> None:
    bank = Bank()
    run, question = await bank.crash()
    with pytest.raises(RequestError, match="ada requested the call"):
        await bank.process().decide(question.id, approved=False, by=ADA)
    await bank.process().decide(question.id, approved=True, by=BEA, result='"paid 7"')
    result = await bank.process().resume(run)
    assert (result.status, bank.paid) == ("done", [7])


async def test_without_an_approval_the_default_permission_decides() -> None:
    bank = Bank(asks=None)
    run, question = await bank.crash()
    assert (question.who, question.four_eyes) == ("approvals:decide", False)
    await bank.process().decide(question.id, approved=False, by=CLEO)
    result = await bank.process().resume(run)
    assert (result.status, result.value(), bank.paid) == ("done", "paid 7", [7, 7])
