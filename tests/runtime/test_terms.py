"""A run is continued only under what it was opened under, unless a person with the right says otherwise."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from remit import (
    Agent,
    Allow,
    App,
    Ask,
    Block,
    Context,
    Effect,
    LeafContext,
    Policy,
    Principal,
    Risk,
    Runtime,
    Stack,
    When,
    preset,
    tool,
)
from remit.agent import AgentLimits
from remit.app import Env
from remit.engines import LocalEngine
from remit.errors import LeaseError, RequestError, SetupError
from remit.journal.ports import Store
from remit.layers import AgentLayer, Approve, Budget, CallLayer, Guardrail, RateLimit, Redact, Timeout, ToolLayer
from remit.policies import HighRisk
from remit.record.items import Item, RunLoosened, RunOpened, RunResumed, RunStalled
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import Clock, find_superuser, items_of

ADA, BOB = superuser(name="ada"), superuser(name="bob")
NEVER = Policy(When("never", lambda call: call.callee.name == "nothing", Block(reason="never")))
"""A policy with one rule more than the default one."""

ROUTINE = When("routine", verdict=Allow(), tools=["look"])
WIPES = When("wiping", verdict=Ask(reason="wipes"), tools=["wipe"])


@tool(effect=Effect.IDEMPOTENT)
async def look() -> str:
    """Look."""
    return "seen"


class Office:
    """Processes over one journal; each loads an application that may have changed since the last one."""

    def __init__(self, store: Store | None = None, clock: Callable[[], float] | None = None) -> None:
        self.clock = clock or Clock()
        self.store = store or InMemoryStore(self.clock)
        self.wiped: list[str] = []

        @tool(effect=Effect.KEYED, risk=Risk.HIGH)
        async def wipe(_ctx: LeafContext, what: str) -> str:
            """Wipe it."""
            self.wiped.append(what)
            return f"wiped {what}"

        self.wipe = wipe

    def process(
        self,
        *,
        agent: dict[str, Any] | None = None,
        tool_layer: ToolLayer | None = None,
        agent_layer: AgentLayer | None = None,
        own: Stack[CallLayer] | None = None,
        **app: Any,
    ) -> Runtime:
        model = Scripted([calls(("wipe", {"what": "a"})), "done"])
        wipe = self.wipe if tool_layer is None else self.wipe.layer(tool_layer)
        clerk = Agent("clerk", instructions="Wipe.", tools=[wipe, look], model=model, **(agent or {}))
        clerk = clerk if agent_layer is None else clerk.layer(agent_layer)
        made = App(name="office", agents=[clerk], **app)
        return Runtime(made, store=self.store, clock=self.clock, layers=own, directory=find_superuser)

    async def start(self, runtime: Runtime) -> str:
        """A run whose only question is decided: it can continue."""
        waiting = await runtime.run("go", by=ADA)
        await runtime.decide(waiting.questions[0], approved=True, by=BOB)
        return waiting.run


def of_kind(items: Sequence[Item], kind: type[Item]) -> list[Any]:
    return [each for each in items if isinstance(each, kind)]


LESS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "a rule": ({"policy": NEVER}, {}, "the rule 'never'"),
    "a default rule": ({}, {"policy": Policy.only()}, "the rule 'high risk', the rule 'egress', the rule 'undeclared'"),
    "four eyes": ({"policy": Policy(four_eyes=True)}, {}, "the rule 'four eyes'"),
    "a higher budget": ({"budget": Budget(calls=5)}, {}, "the limit Budget.calls of 5, now 256"),
    "no budget": ({"budget": Budget(seconds=2.0)}, {"budget": Budget()}, "the limit Budget.seconds of 2, now inf"),
    "more questions": ({"max_questions": 3}, {}, "the limit Approve.max_questions of 3, now 20"),
    "a layer": (
        {"layers": Redact(fields=["password"])},
        {},
        "the layer 'Redact'",
    ),
    "a longer timeout": (
        {"layers": Timeout(5)},
        {"layers": Timeout(6)},
        "the limit Timeout.seconds of 5, now 6",
    ),
    "a layer for fewer calls": (
        {"layers": Timeout(5)},
        {"layers": Timeout(5).where(tools=["wipe"])},
        "the layer 'Timeout', the limit Timeout.seconds of 5, now inf",
    ),
    "a wider scope": (
        {"agent": {"tool_scope": ["wipe"]}},
        {"agent": {"tool_scope": ["wipe", "clerk"]}},
        "the tools of clerk without clerk",
    ),
    "no scope": ({"agent": {"tool_scope": ["wipe"]}}, {}, "the tools of clerk without *"),
    "more permissions": (
        {"agent": {"permissions": ["a:b", "c:*"]}},
        {"agent": {"permissions": ["a:*", "c:d"]}},
        "the permissions of clerk without a:*",
    ),
    "more turns": (
        {"agent": {"limits": AgentLimits(turns=4)}},
        {},
        "the limit turns of 4 of clerk, now 16",
    ),
    "a rule of a tool": (
        {"tool_layer": Approve(Env(), policy=Policy.only(NEVER.rules[0]))},
        {},
        "the rule 'never' of wipe, the layer 'Approve' of wipe, the limit Approve.max_questions of 20 of wipe, now inf",
    ),
    "a layer around the model": (
        {"agent_layer": Guardrail(lambda _answer: True, "no")},
        {},
        "the layer 'Guardrail of models' of clerk",
    ),
    "rules in another order": (
        {"policy": Policy(NEVER.rules[0], ROUTINE)},
        {"policy": Policy(ROUTINE, NEVER.rules[0])},
        "the rule 'never' before 'routine'",
    ),
    "a laxer rule in front": (
        {"policy": Policy.only(HighRisk())},
        {"policy": Policy.only(ROUTINE, HighRisk())},
        "the rule 'high risk' before 'routine'",
    ),
    "a laxer verdict": (
        {"policy": Policy.only(WIPES)},
        {"policy": Policy.only(replace(WIPES, verdict=Ask(reason="wipes", kind="confirm")))},
        "the rule 'wiping', which is laxer now",
    ),
    "a shorter window": (
        {"agent_layer": RateLimit(calls=2, seconds=100)},
        {"agent_layer": RateLimit(calls=2, seconds=10)},
        "the limit RateLimit.calls_per_second of 0.02 of clerk, now 0.2",
    ),
    "a timeout of each execution": (
        {"agent_layer": Timeout(5, of_all_executions=True)},
        {"agent_layer": Timeout(5)},
        "the limit Timeout.seconds of all executions of 5 of clerk, now inf",
    ),
    "a layer of a tool": ({"tool_layer": Redact(fields=["password"])}, {}, "the layer 'Redact' of wipe"),
    "a longer timeout of a tool": (
        {"tool_layer": Timeout(5)},
        {"tool_layer": Timeout(6)},
        "the limit Timeout.seconds of 5 of wipe, now 6",
    ),
}


@pytest.mark.parametrize("case", LESS)
async def test_a_process_with_less_lets_the_run_rest_and_one_with_all_of_it_continues_it(case: str) -> None:
    office = Office()
    full, less, missing = LESS[case]
    run = await office.start(office.process(**full))
    resting = await office.process(**less).resume(run)
    assert resting.status == "stalled"
    assert resting.reason.startswith(f"it was opened under {missing}, which this process lacks; start the application")
    assert office.wiped == []
    done = await office.process(**full).resume(run)
    assert (done.status, office.wiped) == ("done", ["a"])
    assert (await office.process(**full).replay(run)).is_identical


MORE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "another test of the same rule": (
        {"policy": NEVER},
        {"policy": Policy(When("never", lambda call: call.callee.name == "nobody", Block(reason="never")))},
    ),
    "one rule more": ({}, {"policy": NEVER}),
    "one question more": ({}, {"policy": Policy(WIPES)}),
    "a lower budget": ({}, {"budget": Budget(calls=9, tokens=10**6)}),
    "a narrower agent": (
        {},
        {"agent": {"tool_scope": ["wipe"], "permissions": ["a:b"], "limits": AgentLimits(turns=9)}},
    ),
}


@pytest.mark.parametrize("case", MORE)
async def test_a_process_with_as_much_or_more_continues_the_run(case: str) -> None:
    office = Office()
    before, after = MORE[case]
    run = await office.start(office.process(**before))
    runtime = office.process(**after)
    result = await runtime.resume(run)
    while result.status == "waiting":
        await runtime.decide(result.questions[0], approved=True, by=ADA)
        result = await runtime.resume(run)
    assert (result.status, office.wiped) == ("done", ["a"])


async def test_a_person_with_the_right_lets_it_continue_and_the_journal_says_who_and_why(store: Store) -> None:
    office = Office(store, time.time)
    run = await office.start(office.process(policy=NEVER, budget=Budget(calls=5)))
    lax = office.process()
    client = lax.client(replace(ADA, permissions=frozenset({"runs:loosen", "runs:read"})))
    assert (await lax.resume(run)).status == "stalled"
    await client.loosen(run, without=["never", "Budget.calls"], reason="the rule was a mistake")
    asked_anew = await lax.resume(run)  # because the policy has changed
    await lax.decide(asked_anew.questions[0], approved=True, by=BOB)
    assert ((await lax.resume(run)).status, office.wiped) == ("done", ["a"])
    (loosened,) = of_kind(await items_of(store, run), RunLoosened)
    assert (loosened.by, loosened.reason) == ("ada", "the rule was a mistake")
    assert loosened.without == ("never", "Budget.calls")
    assert (await lax.replay(run)).is_identical


async def test_what_is_lost_later_needs_another_yes() -> None:
    office = Office()
    run = await office.start(office.process(budget=Budget(calls=5)))
    await office.process(budget=Budget(calls=6)).loosen(run, without="Budget.calls", by=ADA, reason="one more")
    resting = await office.process(budget=Budget(calls=7)).resume(run)
    assert resting.reason.startswith("it was opened under the limit Budget.calls of 6, now 7")
    assert (await office.process(budget=Budget(calls=6)).resume(run)).status == "done"


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "without the permission": ({"by": Principal("bob")}, "bob may not loosen run .*: missing permission runs:loosen"),
    "of another tenant": ({"by": superuser(tenant="x")}, "run .* does not exist"),
    "with a number as a reason": ({"reason": 3}, "reason is 3; give a string"),
    "without a reason": ({"reason": " "}, "reason: say why the run continues without these, in at most 4,096 bytes"),
    "with a long reason": ({"reason": "x" * 5000}, "reason: say why"),
    "without a name": ({"without": []}, "run .* also lacks the rule 'never'; name 'never' too"),
    "with a wrong name": ({"without": ["nevr"]}, "run .* does not lack 'nevr' here; it lacks: 'never'"),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_a_loosening_is_refused(case: str) -> None:
    office = Office()
    run = await office.start(office.process(policy=NEVER))
    changed, problem = REFUSED[case]
    values: dict[str, Any] = {"without": ["never"], "by": ADA, "reason": "why", **changed}
    with pytest.raises(RequestError, match=problem):
        await office.process().loosen(run, **values)
    assert not of_kind(await items_of(office.store, run), RunLoosened)


async def test_a_run_that_lacks_nothing_or_has_ended_is_not_loosened() -> None:
    office = Office()
    runtime = office.process()
    run = await office.start(runtime)
    with pytest.raises(RequestError, match="does not lack 'never' here, nor anything else of its terms"):
        await runtime.loosen(run, without=["never"], by=ADA, reason="why")
    await runtime.resume(run)
    with pytest.raises(RequestError, match=f"run {run} has ended"):
        await runtime.loosen(run, without=["never"], by=ADA, reason="why")


@pytest.mark.looptime
async def test_an_engine_tries_it_rarely_without_an_entry_for_each_try_and_continues_it_when_the_rule_is_back() -> None:
    def now() -> float:
        return asyncio.get_running_loop().time()

    office = Office(InMemoryStore(now), now)
    run = await office.start(office.process(policy=NEVER))
    errors = list[str]()

    async def execute(runtime: Runtime, seconds: float) -> None:
        engine = LocalEngine(
            office.store,
            runtime.resume,
            applications=["office"],
            poll_seconds=30.0,
            clock=now,
            on_error=lambda failed, _error: errors.append(failed),
        )
        async with engine:
            await asyncio.sleep(seconds)

    await execute(office.process(), 6 * 3600)
    items = await items_of(office.store, run)
    assert (len(of_kind(items, RunStalled)), len(of_kind(items, RunResumed)), errors) == (1, 1, [])
    await execute(office.process(policy=NEVER), 1000)
    row = await office.store.find_run(run)
    assert row is not None
    assert (row.status, office.wiped) == ("done", ["a"])


async def test_a_run_under_less_can_be_cancelled() -> None:
    office = Office()
    run = await office.start(office.process(policy=NEVER))
    lax = office.process()
    await lax.resume(run)
    result = await lax.cancel(run, by=ADA)
    assert result is not None
    assert (result.status, office.wiped) == ("cancelled", [])


async def test_an_open_question_of_a_run_under_less_stays_open() -> None:
    office = Office()
    waiting = await office.process(policy=NEVER).run("go", by=ADA)
    resting = await office.process().resume(waiting.run)
    assert (resting.status, resting.questions) == ("stalled", waiting.questions)
    assert (await office.process(policy=NEVER).resume(waiting.run)).status == "waiting"


async def test_a_composed_tool_may_reach_any_agent_so_all_are_pinned() -> None:
    office = Office()

    @tool(effect=Effect.COMPOSED)
    async def sweep(_ctx: Context) -> str:
        """Sweep."""
        return "swept"

    runtime = office.process(tools=[sweep], agent={"tool_scope": ["wipe"]})
    result: RunResult[Any] = await runtime.call(sweep, ADA)
    (header,) = of_kind(await items_of(office.store, result.run), RunOpened)
    assert '"tools":["look","wipe"]' in header.terms


DECLARED: dict[str, tuple[dict[str, Any], Stack[Any], str]] = {
    "no rule of its policy": ({"policy": NEVER}, preset(Env()), "the rule 'never'"),
    "a higher budget": ({"budget": Budget(calls=5)}, preset(Env()), "the limit Budget.calls of 5, now 256"),
    "no layer at all": (
        {"budget": Budget(calls=5)},
        Stack(),
        "the layer 'Budget', the limit Budget.calls of 5, now inf",
    ),
    "none of its layers": (
        {"layers": [Redact(fields=["password"]), Timeout(5)]},
        preset(Env()).layer(Timeout(6)),
        "the layer 'Redact', the limit Timeout.seconds of 5, now 6",
    ),
}


@pytest.mark.parametrize("case", DECLARED)
def test_a_runtime_with_less_than_the_application_declares_is_refused(case: str) -> None:
    app, layers, missing = DECLARED[case]
    with pytest.raises(SetupError, match=f"application office: layers of the runtime lack {missing}"):
        Office().process(own=layers, **app)


def test_an_application_that_declares_nothing_gives_its_runtime_the_choice() -> None:
    assert "RUN    -" in repr(Office().process(own=Stack()))


async def test_a_run_that_another_executor_holds_is_not_loosened() -> None:
    office = Office()
    run = await office.start(office.process(policy=NEVER))
    await office.store.acquire(run, "another", 60.0)
    with pytest.raises(LeaseError):
        await office.process().loosen(run, without=["never"], by=ADA, reason="why")
