"""A run that would ask more often than a limit pauses with one summary."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from remit import Ask, Effect, LeafContext, Policy, Principal, Risk, Runtime, Stack, tool
from remit.app import Env
from remit.approvals.question_limit import find_due_summary
from remit.errors import RequestError, SetupError
from remit.journal.ports import Store
from remit.layers import Approve, CallLayer, Validate
from remit.policies import Approver, Decision, HighRisk, InboxApprover, Question
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, make_call, superuser
from remit.testing.store_suite import samples
from tests.runtime.kit import Clock, World, find_superuser, runtime_of, tool_messages

ADA, BOB = superuser(name="ada"), superuser(name="bob")


def erasing(*texts: str) -> Any:
    return calls(*[("erase", {"text": text}) for text in texts])


class Desk:
    """A run that erases texts, and may ask twice before it asks whether it may go on."""

    def __init__(
        self, store: Store, *script: Any, approver: Approver | None = None, clock: Clock | None = None
    ) -> None:
        self.store = store
        self.world = World()
        erase = self.world.write("erase", Effect.KEYED, Risk.HIGH)
        approve = Approve(Env(approver=approver or InboxApprover()), policy=Policy.only(HighRisk()), max_questions=2)
        self.runtime: Runtime = runtime_of(
            Scripted([*script, "done"]),
            erase,
            store=store,
            layers=Stack[CallLayer](Validate(), approve),
            directory=find_superuser,
            clock=clock or time.time,
        )

    async def open(self) -> Sequence[Question]:
        return [row.question for row in await self.store.list_questions()]

    async def answer(self, run: str, *, approved: bool = True, by: Principal = BOB) -> RunResult[Any]:
        """Answer every open question, and resume."""
        for question in await self.open():
            await self.runtime.decide(question.id, approved=approved, by=by)
        return await self.runtime.resume(run)

    async def reach_limit(self) -> RunResult[Any]:
        """Answer two questions: one yes, one no."""
        waiting = await self.runtime.run("go", by=ADA)
        waiting = await self.answer(waiting.run)
        return await self.answer(waiting.run, approved=False)


def one_by_one(*texts: str) -> list[Any]:
    return [erasing(text) for text in texts]


async def test_at_the_limit_one_summary_says_what_was_asked_and_what_comes_next(store: Store) -> None:
    desk = Desk(store, *one_by_one("a", "b", "c", "d", "e"))
    waiting = await desk.reach_limit()
    (summary,) = await desk.open()
    assert (waiting.status, waiting.questions, summary.is_about_run) == ("waiting", (summary.id,), True)
    assert summary.shown == "asked so far: erase: 1 yes, erase: 1 no"
    assert summary.reason == "the run has asked 2 questions; yes lets it ask 2 more, no denies what it would ask"
    assert (summary.tool, summary.arguments, summary.rule) == ("erase", '{"text":"c"}', "question limit")


async def test_a_yes_lets_it_ask_as_often_again(store: Store) -> None:
    desk = Desk(store, *one_by_one("a", "b", "c", "d", "e"))
    waiting = await desk.reach_limit()
    asked = list[tuple[bool, str]]()
    while waiting.status == "waiting":
        (question,) = await desk.open()
        asked.append((question.is_about_run, question.arguments[9:10]))
        waiting = await desk.answer(waiting.run)
    assert asked == [(True, "c"), (False, "c"), (False, "d"), (True, "e"), (False, "e")]
    assert (waiting.status, desk.world.texts) == ("done", ["a", "c", "d", "e"])
    assert (await desk.runtime.replay(waiting.run)).is_identical


async def test_a_no_denies_everything_that_it_would_ask(store: Store) -> None:
    desk = Desk(store, *one_by_one("a", "b", "c", "d"))
    waiting = await desk.reach_limit()
    (summary,) = await desk.open()
    await desk.runtime.decide(summary.id, approved=False, by=BOB, reason="that is enough")
    result = await desk.runtime.resume(waiting.run)
    assert (result.status, desk.world.texts, await desk.open()) == ("done", ["a"], [])
    messages = await tool_messages(desk.runtime, result.run)
    assert ["that is enough" in message for message in messages] == [False, False, True, True]
    assert (await desk.runtime.replay(result.run)).is_identical


async def test_silence_denies_at_the_expiry() -> None:
    clock = Clock()
    desk = Desk(InMemoryStore(clock), *one_by_one("a", "b", "c", "d"), clock=clock)
    waiting = await desk.reach_limit()
    (summary,) = await desk.open()
    clock.now = summary.expires
    result = await desk.runtime.resume(waiting.run)
    assert (result.status, desk.world.texts) == ("done", ["a"])


async def test_calls_made_at_once_share_the_summary(store: Store) -> None:
    desk = Desk(store, erasing("a", "b", "c", "d"))
    waiting = await desk.runtime.run("go", by=ADA)
    assert [question.is_about_run for question in await desk.open()] == [False, False, True]
    waiting = await desk.answer(waiting.run)
    assert [question.is_about_run for question in await desk.open()] == [False, False]
    result = await desk.answer(waiting.run)
    assert (result.status, sorted(desk.world.texts)) == ("done", ["a", "b", "c", "d"])


async def test_an_approver_in_this_process_answers_the_summary_too(store: Store) -> None:
    seen = list[bool]()

    class Yes:
        async def decide(self, question: Question, /) -> Decision | None:
            seen.append(question.is_about_run)
            return Decision(question=question.id, approved=True, by="bob")

    desk = Desk(store, *one_by_one("a", "b", "c"), approver=Yes())
    result = await desk.runtime.run("go", by=ADA)
    assert (result.status, seen, desk.world.texts) == ("done", [False, False, True, False], ["a", "b", "c"])
    assert (await desk.runtime.replay(result.run)).is_identical


async def test_calls_by_a_grant_do_not_count(store: Store) -> None:
    desk = Desk(store, *one_by_one("a", "b", "c", "d"))
    await desk.runtime.grants.create("erase", by=BOB, principal="ada", expires_in=60.0, count=3)
    waiting = await desk.runtime.run("go", by=ADA)
    assert ([question.is_about_run for question in await desk.open()], len(desk.world.texts)) == ([False], 3)
    assert (await desk.answer(waiting.run)).status == "done"


async def test_a_summary_has_no_arguments_to_edit(store: Store) -> None:
    desk = Desk(store, *one_by_one("a", "b", "c"))
    await desk.reach_limit()
    (summary,) = await desk.open()
    with pytest.raises(RequestError, match="arguments can be edited only when approving a call"):
        await desk.runtime.decide(summary.id, approved=True, by=BOB, arguments='{"text":"d"}')


@pytest.mark.parametrize(
    ("changed", "is_due"),
    [({}, True), ({"run": "another"}, False), ({"within": "q0"}, False)],
    ids=["asked by this run", "shared with another run", "answered with that about its caller"],
)
async def test_only_what_a_run_has_asked_counts_towards_its_limit(changed: dict[str, str], is_due: bool) -> None:
    erase = World().write("erase", Effect.KEYED, Risk.HIGH)
    call = await make_call(erase, '{"text":"a"}')
    call.ledger.add(samples.question_item(replace(samples.question(run=call.caller.run), **changed)))
    call = call.with_payload(erase.schema_in.bind(call.arguments))
    assert (find_due_summary(call, Ask(reason="why"), 1) is not None) == is_due


def test_a_limit_without_any_question_is_refused() -> None:
    with pytest.raises(SetupError, match="max_questions is 0; give a whole number of at least 1"):
        Approve(Env(), max_questions=0)


async def test_at_the_limit_an_announced_call_opens_no_question(store: Store) -> None:
    @tool(effect=Effect.KEYED, risk=Risk.HIGH, confirm="confirmed")
    async def drop(_ctx: LeafContext, page: str, *, confirmed: bool = False) -> str:
        """Drop a page."""
        return f"{page}: {confirmed}"

    approve = Approve(Env(), policy=Policy.only(HighRisk()), max_questions=1)
    script = Scripted([calls(("drop", {"page": "a"}), ("drop", {"page": "b"})), "done"])
    runtime = runtime_of(script, drop, store=store, layers=Stack[CallLayer](Validate(), approve))
    result = await runtime.run("go", by=ADA, conversation="talk")
    assert (result.status, [row.question.is_about_run for row in await store.list_questions()]) == ("done", [False])
