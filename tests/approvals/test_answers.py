"""What counts as the answer to a question: each decision is checked when it is given, and again when it is used."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from remit import Agent, App, Ask, Effect, Policy, Principal, Runtime, When, tool
from remit.app import Env
from remit.record.question import Decision, DecisionKind, Question
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import Clock

ADA, BOB = superuser(name="ada"), superuser(name="bob")
FOUR_EYES = Policy.only(When("pay", verdict=Ask(reason="it is much", four_eyes=True, expires_in=100), tools=["pay"]))


class Desk:
    """A tool under a policy, an approver of the process who may answer, and people who may lose their rights."""

    def __init__(self, answer: Callable[[Question], Decision | None] = lambda _question: None) -> None:
        self.clock = Clock()
        self.store = InMemoryStore(self.clock)
        self.people: dict[str, Principal | None] = {"ada": ADA, "bob": BOB}
        self.paid = 0
        self.asked = 0
        self.answer = answer

        @tool(effect=Effect.IDEMPOTENT)
        async def pay(euros: int) -> int:
            """Pay."""
            self.paid += euros
            return euros

        model = Scripted([calls(("pay", {"euros": 5})), "done"])
        clerk = Agent("clerk", instructions="Work.", tools=[pay], model=model)
        self.runtime = Runtime(
            App(name="desk", agents=[clerk], env=Env(approver=self), policy=FOUR_EYES),
            store=self.store,
            clock=self.clock,
            directory=lambda name, _tenant: self.people[name],
        )

    async def decide(self, question: Question, /) -> Decision | None:
        self.asked += 1
        return self.answer(question)


def yes(by: str, *, kind: DecisionKind = "approve", question: str = "") -> Callable[[Question], Decision]:
    return lambda asked: Decision(question=question or asked.id, approved=True, by=by, kind=kind)


@pytest.mark.parametrize(
    ("decide", "reason"),
    [
        (yes("ada"), "ada requested pay, so another approver must decide"),
        (yes("bob", kind="confirm"), "needs an approval"),
        (yes("bob", question="another"), "did not return a decision"),
        (yes("b\u200bob"), "in which U+200B cannot be seen as itself"),
    ],
    ids=["the requester", "a confirmation", "another question", "a name that hides a character"],
)
async def test_an_answer_of_the_process_that_does_not_count_is_never_stored(
    decide: Callable[[Question], Decision], reason: str
) -> None:
    desk = Desk(decide)
    result = await desk.runtime.run("go", by=ADA)
    assert (desk.paid, desk.asked) == (0, 1)
    (row,) = await desk.store.list_questions(only_open=False)
    assert row.decision is None
    assert (result.status, reason in "".join(await desk.runtime.history(result.run))) == ("done", True)


async def test_a_denial_of_the_process_counts_although_it_only_confirms() -> None:
    desk = Desk(lambda asked: Decision(question=asked.id, approved=False, by="bob", kind="confirm", reason="too much"))
    await desk.runtime.run("go", by=ADA)
    (row,) = await desk.store.list_questions(only_open=False)
    assert row.decision is not None
    assert (desk.paid, row.decision.approved, row.decision.reason) == (0, False, "too much")


async def test_an_approver_of_the_process_who_has_lost_the_right_does_not_decide() -> None:
    desk = Desk(yes("bob"))
    desk.people["bob"] = Principal("bob")
    await desk.runtime.run("go", by=ADA)
    (row,) = await desk.store.list_questions(only_open=False)
    assert (desk.paid, row.decision) == (0, None)


@pytest.mark.parametrize("kind", ["approve", "confirm"])
async def test_a_decision_that_reached_the_store_another_way_is_checked_when_it_is_used(kind: str) -> None:
    desk = Desk()
    waiting = await desk.runtime.run("go", by=ADA)
    by = "ada" if kind == "approve" else "bob"
    (question,) = waiting.questions
    forged = Decision(question=question, approved=True, by=by, kind="confirm" if kind == "confirm" else "approve")
    await desk.store.decide(forged)
    await desk.runtime.resume(waiting.run)
    assert desk.paid == 0


async def test_no_approver_is_asked_about_a_question_that_has_expired() -> None:
    desk = Desk()
    waiting = await desk.runtime.run("go", by=ADA)
    desk.clock.now += 101
    desk.answer = yes("bob")
    await desk.runtime.resume(waiting.run)
    assert (desk.asked, desk.paid) == (1, 0)
