"""A call that a crash interrupted is made again under the present policy: asked about, unless it was approved."""

from __future__ import annotations

import pytest

from remit import Allow, Ask, Effect, LeafContext, Policy, Runtime, Stack, When, preset, tool
from remit.app import Env
from remit.items import AttemptStarted
from remit.layers import Approve, CallLayer
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import Clock, Crash, Mortal, items_of, loosen, runtime_of, tool_messages

ADA = superuser()
WRITE = calls(("write", {"text": "about"}))
CALM = Policy.only(When("writes", lambda _call: True, Allow()))
STRICT = Policy.only(When("writes", lambda call: call.callee.name == "write", Ask(reason="a new rule")))
STRICTER = Policy.only(When("writes", lambda call: call.callee.name == "write", Ask(reason="a newer rule")))


class Office:
    """One run over several processes, each with a policy of its own."""

    def __init__(self, effect: Effect) -> None:
        self.clock, self.ran = Clock(), list[str]()
        self.store, self.dies_after_end = Mortal(self.clock), False

        @tool(effect=effect)
        async def write(_ctx: LeafContext, text: str) -> str:
            """Write a text."""
            if not self.ran:
                self.store.die_at(1, after=self.dies_after_end)
            self.ran.append(text)
            return "written"

        self.write = write

    def process(self, *policies: Policy) -> Runtime:
        first, *others = policies
        layers = Stack[CallLayer](preset(Env(), policy=first), *(Approve(Env(), policy=each) for each in others))
        return runtime_of(Scripted([WRITE, "done"]), self.write, store=self.store, clock=self.clock, layers=layers)

    async def start(self, policy: Policy, *, ended: bool = False) -> str:
        """Start the call under a policy, and die when its end is to be stored, or once it is (``ended``); the run."""
        runtime = self.process(policy)
        if policy is STRICT:
            waiting = await runtime.run("go", by=ADA)
            await runtime.decide(waiting.questions[0], approved=True, by=ADA)
            run = runtime.resume(waiting.run)
        else:
            run = runtime.run("go", by=ADA)
        self.dies_after_end = ended
        with pytest.raises(Crash):
            await run
        self.store.revive()
        assert self.ran == ["about"]
        self.clock.now += 60
        (row,) = await self.store.list_runs()
        return row.run


SAFE_TO_REPEAT = pytest.mark.parametrize("effect", [Effect.IDEMPOTENT, Effect.KEYED])


@SAFE_TO_REPEAT
@pytest.mark.parametrize("approved", [True, False])
async def test_what_the_policy_asks_about_only_now_needs_an_approval_before_it_runs_again(
    effect: Effect, approved: bool
) -> None:
    office = Office(effect)
    run = await office.start(CALM)
    runtime = office.process(STRICT)
    waiting = await runtime.resume(run)
    assert (waiting.status, len(office.ran)) == ("waiting", 1)
    row = await office.store.find_question(waiting.questions[0])
    assert row is not None
    assert row.question.reason == "a new rule; it was started before, and may have happened"
    await runtime.decide(row.question.id, approved=approved, by=ADA)
    assert (await runtime.resume(run)).status == "done"
    assert len(office.ran) == (2 if approved else 1)
    row = await office.store.find_question(row.question.id)
    assert row is not None
    assert row.status == ("taken" if approved else "denied")
    assert (await runtime.replay(run)).is_identical


async def test_an_approval_that_was_not_used_in_time_does_not_let_it_run_again() -> None:
    office = Office(Effect.KEYED)
    run = await office.start(CALM)
    runtime = office.process(STRICT)
    waiting = await runtime.resume(run)
    await runtime.decide(waiting.questions[0], approved=True, by=ADA)
    office.clock.now += 30 * 24 * 3600
    assert (await runtime.resume(run)).status == "done"
    assert len(office.ran) == 1
    (reply,) = await tool_messages(runtime, run)
    assert "APPROVAL_DENIED" in reply


@SAFE_TO_REPEAT
@pytest.mark.parametrize("policy", [STRICT, STRICTER, CALM], ids=["the same", "another", "none"])
async def test_a_call_that_was_approved_runs_again_as_the_same_use(effect: Effect, policy: Policy) -> None:
    office = Office(effect)
    run = await office.start(STRICT)
    office.clock.now += 30 * 24 * 3600  # an approval that was used does not expire
    runtime = office.process(policy)
    if policy is CALM:
        await loosen(runtime, run)
    assert (await runtime.resume(run)).status == "done"
    assert len(office.ran) == 2
    assert len(await office.store.list_questions(only_open=False)) == 1
    assert (await runtime.replay(run)).is_identical


async def test_a_policy_that_is_added_asks_its_own_question() -> None:
    office = Office(Effect.KEYED)
    run = await office.start(STRICT)
    office.clock.now += 30 * 24 * 3600
    added = Policy.only(When("stricter", lambda call: call.callee.name == "write", Ask(reason="another rule")))
    runtime = office.process(STRICT, added)
    waiting = await runtime.resume(run)
    row = await office.store.find_question(waiting.questions[0])
    assert row is not None
    assert (row.question.rule, len(office.ran)) == ("stricter", 1)
    await runtime.decide(row.question.id, approved=True, by=ADA)
    assert (await runtime.resume(run)).status == "done"
    assert len(office.ran) == 2
    starts = [item for item in await items_of(office.store, run) if isinstance(item, AttemptStarted)]
    assert len(starts) == 2
    rows = await office.store.list_questions(only_open=False)
    assert [each.status for each in rows] == ["taken", "taken"]
    assert (await runtime.replay(run)).is_identical


async def test_a_call_that_has_ended_is_not_asked_about() -> None:
    office = Office(Effect.KEYED)
    run = await office.start(CALM, ended=True)
    runtime = office.process(STRICT)
    assert (await runtime.resume(run)).status == "done"
    assert len(await office.store.list_questions(only_open=False)) == 0
