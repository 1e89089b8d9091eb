"""A question about an outcome is decided under the rules of the approval that it concerns."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import pytest

from remit import App, Ask, Effect, Policy, Principal, Runtime, Tool, When, tool
from remit.app import Env
from remit.errors import RequestError
from remit.layers import Approve
from remit.policies import Question
from remit.stores import InMemoryStore
from tests.runtime.kit import Clock, Crash

ADA = Principal("ada", permissions=frozenset({"*"}))
BEA = Principal("bea", permissions=frozenset({"*"}))
CLEO = Principal("cleo", permissions=frozenset({"approvals:decide"}))
STRICT = Ask(reason="money", who="money:approve", four_eyes=True)


class Bank:
    """A bank, and processes that die while they pay."""

    def __init__(self, *, asks: Ask | None = STRICT, dies: int = 1, tool_asks: Ask | None = None) -> None:
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

        tool_policy = Policy.only(When("tool", lambda _call: True, tool_asks)) if tool_asks else Policy.only()
        self.pay: Tool[[int], str] = pay.layer(Approve(Env(), policy=tool_policy))

    def process(self) -> Runtime:
        """A new process, after the lease of the one before has ended."""
        self.clock.now += 60.0
        people = {each.name: each for each in (ADA, BEA, CLEO)}
        return Runtime(
            App(name="bank", tools=(self.pay,), policy=Policy.only(*self._rules)),
            store=self.store,
            clock=self.clock,
            directory=lambda name, _tenant: people[name],
        )

    async def open_questions(self) -> Sequence[Question]:
        return [row.question for row in await self.store.list_questions()]

    async def crash(self, edit: str = "") -> tuple[str, Question]:
        """Pay, with an approval where one is needed, and die: the run, and the question about the outcome."""
        with contextlib.suppress(Crash):
            run = (await self.process().call(self.pay, ADA, 7)).run
            while True:
                for question in await self.open_questions():
                    await self.process().decide(question.id, approved=True, by=BEA, arguments=edit)
                await self.process().resume(run)
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


LENIENT = Ask(reason="any payment", who="tool:approve")


@pytest.mark.parametrize(("run_asks", "tool_asks"), [(STRICT, LENIENT), (LENIENT, STRICT)])
async def test_it_needs_the_permissions_of_all_approvals(run_asks: Ask, tool_asks: Ask) -> None:
    bank = Bank(asks=run_asks, tool_asks=tool_asks)
    run, question = await bank.crash()
    assert ({question.who, *question.further_permissions}, question.four_eyes) == (
        {"money:approve", "tool:approve"},
        True,
    )
    for missing in ("money:approve", "tool:approve"):
        dora = Principal("dora", permissions=frozenset({"money:approve", "tool:approve"} - {missing}))
        with pytest.raises(RequestError, match=f"dora may not decide .* missing permission {missing}"):
            await bank.process().decide(question.id, approved=False, by=dora)
    with pytest.raises(RequestError, match="ada requested the call"):
        await bank.process().decide(question.id, approved=False, by=ADA)
    await bank.process().decide(question.id, approved=True, by=BEA, result='"paid 7"')
    assert (await bank.process().resume(run)).status == "done"


async def test_without_an_approval_the_default_permission_decides() -> None:
    bank = Bank(asks=None)
    run, question = await bank.crash()
    assert (question.who, question.four_eyes) == ("approvals:decide", False)
    await bank.process().decide(question.id, approved=False, by=CLEO)
    result = await bank.process().resume(run)
    assert (result.status, result.value(), bank.paid) == ("done", "paid 7", [7, 7])


async def test_an_approved_call_that_did_not_happen_needs_a_new_approval() -> None:
    bank = Bank()
    run, question = await bank.crash()
    await bank.process().decide(question.id, approved=False, by=BEA)
    result = await bank.process().resume(run)
    assert (result.status, bank.paid) == ("waiting", [7])
    (again,) = await bank.open_questions()
    assert (again.kind, again.who, again.replaces) == ("approval", "money:approve", question.id)
    assert again.why == "money; asked again, because it was started and did not happen"
    await bank.process().decide(again.id, approved=True, by=BEA)
    result = await bank.process().resume(run)
    assert (result.status, result.value(), bank.paid) == ("done", "paid 7", [7, 7])


async def test_a_new_approval_that_is_denied_ends_the_call() -> None:
    bank = Bank()
    run, question = await bank.crash()
    await bank.process().decide(question.id, approved=False, by=BEA)
    await bank.process().resume(run)
    (again,) = await bank.open_questions()
    await bank.process().decide(again.id, approved=False, by=BEA)
    result = await bank.process().resume(run)
    assert (result.status, bank.paid) == ("failed", [7])


async def test_each_attempt_that_did_not_happen_needs_an_approval_of_its_own() -> None:
    bank = Bank(dies=2)
    run, question = await bank.crash()
    await bank.process().decide(question.id, approved=False, by=BEA)
    await bank.process().resume(run)
    (again,) = await bank.open_questions()
    await bank.process().decide(again.id, approved=True, by=BEA)
    with pytest.raises(Crash):
        await bank.process().resume(run)
    await bank.process().resume(run)
    (second,) = await bank.open_questions()
    await bank.process().decide(second.id, approved=False, by=BEA)
    await bank.process().resume(run)
    (last,) = await bank.open_questions()
    assert len({question.id, again.id, second.id, last.id}) == 4
    assert (last.kind, bank.paid) == ("approval", [7, 7])
    await bank.process().decide(last.id, approved=True, by=BEA)
    result = await bank.process().resume(run)
    assert (result.status, bank.paid) == ("done", [7, 7, 7])


async def test_edited_arguments_are_approved_anew_as_the_model_sent_them() -> None:
    bank = Bank(asks=Ask(reason="money"))
    run, question = await bank.crash(edit='{"amount":5}')
    assert bank.paid == [5]
    await bank.process().decide(question.id, approved=False, by=BEA)
    await bank.process().resume(run)
    (again,) = await bank.open_questions()
    assert again.arguments == '{"amount":7}'
    await bank.process().decide(again.id, approved=True, by=BEA)
    result = await bank.process().resume(run)
    assert (result.status, bank.paid) == ("done", [5, 7])
