"""A question is about a definition and a policy: under others it is asked anew. And it has an end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from remit import Ask, Effect, LeafContext, Policy, Risk, When, tool
from remit.approvals.from_journal import questions_since_start, read_approvals, read_questions
from remit.errors import SetupError
from remit.journal.ports import Store
from remit.policies import Decision
from remit.record.items import AttemptEnded, DecisionItem, Item
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.testing.store_suite.samples import no, question, question_item, start_item, yes
from tests.runtime.kit import AnyTool, Clock, World, last_reply, runtime_of

ERASE = calls(("erase", {"text": "about"}))

OUTCOME = replace(question("o1"), kind="outcome")
DID_IT_HAPPEN = question_item(OUTCOME)


def answer(decision: Decision) -> DecisionItem:
    return DecisionItem(call="call", question=decision.question, body=decision.to_json())


def end(*, void: bool) -> AttemptEnded:
    return AttemptEnded(call="call", attempt=1, outcome="error", content="", void=void)


APPROVED_AND_STARTED = (question_item(question()), answer(yes()), start_item(question="q1"))


@pytest.mark.parametrize(
    ("items", "standing", "refuted"),
    [
        ((DID_IT_HAPPEN, answer(no("o1")), end(void=True)), [], "o1"),
        ((DID_IT_HAPPEN, answer(no("o1"))), ["q1"], ""),
        ((DID_IT_HAPPEN, answer(no("o1")), end(void=False)), ["q1"], ""),
        ((DID_IT_HAPPEN, answer(yes("o1")), end(void=True)), ["q1"], ""),
        ((end(void=True),), ["q1"], ""),
    ],
    ids=[
        "a person says so",
        "nothing came of it yet",
        "it ended after all",
        "a person says it did",
        "its body says so",
    ],
)
def test_all_is_asked_anew_after_an_attempt_that_did_not_happen_as_a_person_said(
    items: Sequence[Item], standing: list[str], refuted: str
) -> None:
    approvals = read_approvals([*APPROVED_AND_STARTED, *items])
    assert ([each.question.id for each in approvals.standing.values()], approvals.refuted) == (standing, refuted)


def test_a_question_whether_a_call_happened_is_none_about_its_approval() -> None:
    items = [*APPROVED_AND_STARTED, DID_IT_HAPPEN, answer(yes("o1"))]
    assert [each.question.id for each in read_questions(items)] == ["q1"]
    assert questions_since_start(items) == set()
    assert questions_since_start([*items, question_item(question("q2"))]) == {"q2"}


def eraser(world: World) -> AnyTool:
    return world.write("erase", Effect.KEYED, Risk.HIGH)


def changed(world: World) -> AnyTool:
    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def erase(_ctx: LeafContext, text: str) -> str:
        """Erase a text, for good."""
        world.ran.append(text)
        return "erased"

    return erase


@pytest.mark.parametrize("what", ["definition", "policy"])
@pytest.mark.parametrize("decided", [True, False], ids=["approved before", "open"])
async def test_what_changed_since_the_question_is_asked_about_anew(store: Store, what: str, decided: bool) -> None:
    world, model = World(), Scripted([ERASE, "done"])
    before = runtime_of(model, eraser(world), store=store)
    waiting = await before.run("go", by=superuser())
    if decided:
        await before.decide(waiting.questions[0], approved=True, by=superuser())
    made = changed(world) if what == "definition" else eraser(world)
    never = When("never", lambda call: call.callee.name == "x", Ask(reason="x"))
    after = runtime_of(model, made, store=store, policy=Policy(never) if what == "policy" else None)
    again = await after.resume(waiting.run)
    assert (again.status, world.ran) == ("waiting", [])
    assert set(again.questions).isdisjoint(waiting.questions)
    await after.decide(again.questions[0], approved=True, by=superuser())
    assert (await after.resume(waiting.run)).value() == "done"
    assert world.ran == ["about"]


@pytest.mark.parametrize("seconds", [math.inf, math.nan, 0, -1, 1e300])
def test_a_question_that_could_not_be_written_down_or_answered_is_refused_when_it_is_built(seconds: float) -> None:
    with pytest.raises(SetupError, match=r"expires_in is .* seconds; give a positive number, at most 3153600000"):
        Ask(reason="why", expires_in=seconds)


async def test_a_run_tells_when_it_goes_on_without_a_person_and_then_does() -> None:
    clock, world, model = (
        Clock(),
        World(),
        Scripted([calls(("erase", {"text": "a"}), ("erase", {"text": "b"})), "done"]),
    )
    rules = [
        When("a", lambda call: '"a"' in call.canonical_arguments, Ask(reason="a", expires_in=60)),
        When("b", lambda call: '"b"' in call.canonical_arguments, Ask(reason="b", expires_in=30)),
    ]
    runtime = runtime_of(model, eraser(world), store=InMemoryStore(clock), clock=clock, policy=Policy.only(*rules))
    waiting = await runtime.run("go", by=superuser())
    asked = clock.now
    assert await runtime.earliest_expiry(waiting.run) == asked + 30
    clock.now = asked + 30
    again = await runtime.resume(waiting.run)
    assert (again.status, await runtime.earliest_expiry(waiting.run)) == ("waiting", asked + 60)
    clock.now = asked + 60
    assert (await runtime.resume(waiting.run)).value() == "done"
    assert (last_reply(model)["errorCode"], world.ran) == ("APPROVAL_DENIED", [])
    assert await runtime.earliest_expiry(waiting.run) is None


async def test_a_run_that_waits_for_nobody_has_no_expiry(store: Store) -> None:
    runtime = runtime_of(Scripted([ERASE, "done"]), eraser(World()), store=store)
    assert await runtime.earliest_expiry("nothing") is None
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=superuser())
    assert await runtime.earliest_expiry(waiting.run) is None
