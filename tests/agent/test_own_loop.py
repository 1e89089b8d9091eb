"""The loop of an agent can be replaced: what it says is on record, a crash loses nothing, and a replay is identical."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from typing import Any, cast

import pytest
from msgspec import structs

from remit import Agent, App, Runtime
from remit.agent import AgentLimits, AgentLoop, AgentRun, Done, Loop, LoopService, NativeDriver, StepRequest
from remit.call.call import StepService
from remit.call.step import StepUsage
from remit.chat.chat import History, ToolDefinitions, decode_message
from remit.errors import InternalError, MaxTurnsError, SetupError
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from remit.workers import PydanticAIDriver
from tests.agent.both import look, messages_of, runtime_of
from tests.runtime.kit import Clock, Crash, Mortal, World, find_superuser


def plan_then_act(step: StepService, /) -> LoopService:
    """Ask for a plan without tools, then let the model act on it."""

    async def loop(request: StepRequest, /) -> AgentRun:
        planning = request.with_message("First write a plan.")
        plan = await step(structs.replace(planning, chat=replace(planning.chat, tools=ToolDefinitions())))
        acting = structs.replace(
            planning.after(plan), chat=replace(planning.after(plan).chat, tools=request.chat.tools)
        )
        return await AgentLoop()(step)(acting.with_message("Now act."))

    return loop


def best_of_two(step: StepService, /) -> LoopService:
    """Ask twice, and keep the shorter answer."""

    async def loop(request: StepRequest, /) -> AgentRun:
        first = await step(request)
        second = await step(request.again(first))
        outcome, asked = min(
            (first, request), (second, request.again(first)), key=lambda pair: len(pair[0].messages[0])
        )
        assert isinstance(outcome, Done)
        return AgentRun.from_outcome(asked, outcome, 2)

    return loop


def agent_of(loop: Loop, world: World, **known: object) -> Agent:
    return Agent("agent", instructions="Work.", tools=[look, world.write()], loop=loop, **known)  # type: ignore[arg-type]


PLAN = ["I will write.", calls(("write", {"text": "a"})), "done"]


async def test_a_loop_plans_before_it_acts() -> None:
    world, model = World(), Scripted(PLAN)
    runtime = runtime_of(agent_of(plan_then_act, world), model=model)
    result = await runtime.run("go", by=superuser(), conversation="c")
    assert (result.value(), world.texts) == ("done", ["a"])
    assert [request.tools.names for request in model.requests] == [(), ("look", "write"), ("look", "write")]
    assert messages_of(model) == [
        ("system", "Work."),
        ("user", "go"),
        ("user", "First write a plan."),
        ("assistant", "I will write."),
        ("user", "Now act."),
        ("assistant", None),
        ("tool", "wrote a"),
    ]
    history = await runtime.history(result.run)
    assert history[:-1] == list(model.requests[-1].history)[1:]
    assert history_errors(history) == []
    assert (await runtime.replay(result.run)).difference == ""


async def test_a_loop_of_ones_own_survives_a_crash_at_every_append() -> None:
    for append in range(1, 10):
        world, clock = World(), Clock()
        store = Mortal(clock)
        app = App(name="test", agents=(agent_of(plan_then_act, world),))
        runtime = Runtime(app, model=Scripted(PLAN), store=store, clock=clock, directory=find_superuser)
        store.die_at(append, after=True)
        with contextlib.suppress(Crash):
            await runtime.run("go", by=superuser(), idempotency_key="k")
        store.revive()
        clock.now += 60
        result = await runtime.run("go", by=superuser(), idempotency_key="k")
        assert (result.value(), world.texts) == ("done", ["a"])
        assert (await runtime.replay(result.run)).difference == ""


async def test_a_program_drives_the_step_by_hand_one_turn_at_a_time() -> None:
    proceed, waiting = asyncio.Event(), asyncio.Event()
    made: list[tuple[str, ...]] = []

    def by_hand(step: StepService, /) -> LoopService:
        async def loop(request: StepRequest, /) -> AgentRun:
            outcome, turns = await step(request), 1
            while not isinstance(outcome, Done):
                made.append(outcome.messages)
                waiting.set()
                await proceed.wait()
                request = request.after(outcome)
                outcome, turns = await step(request), turns + 1
            return AgentRun.from_outcome(request, outcome, turns)

        return loop

    world, model = World(), Scripted([calls(("write", {"text": "a"})), "done"])
    runtime = runtime_of(agent_of(by_hand, world), model=model)
    running = asyncio.create_task(runtime.run("go", by=superuser()))
    await waiting.wait()
    assert (len(model.requests), world.texts) == (1, ["a"])
    assert [decode_message(text)["role"] for text in made[0]] == ["assistant", "tool"]
    proceed.set()
    result = await running
    assert (result.value(), result.turns, len(model.requests)) == ("done", 2, 2)
    assert (await runtime.replay(result.run)).difference == ""


async def test_a_loop_may_ask_twice_and_choose() -> None:
    model = Scripted([lambda request: "a long answer" if request.turn == 1 else "short"])
    runtime = runtime_of(agent_of(best_of_two, World()), model=model)
    result = await runtime.run("go", by=superuser())
    assert (result.value(), [request.turn for request in model.requests]) == ("short", [1, 2])
    assert len(model.requests[1].history) == len(model.requests[0].history)
    assert (await runtime.replay(result.run)).difference == ""


async def test_the_limits_of_the_agent_hold_for_any_loop() -> None:
    model = Scripted([calls(("look", {"page": str(page)})) for page in range(9)])
    agent = agent_of(AgentLoop(max_turns=9), World(), limits=AgentLimits(turns=2))
    with pytest.raises(MaxTurnsError, match=r"raise `limits\.turns`"):
        (await runtime_of(agent, model=model).run("go", by=superuser())).value()
    assert len(model.requests) == 2


async def test_a_turn_is_requested_once() -> None:
    def twice(step: StepService, /) -> LoopService:
        async def loop(request: StepRequest, /) -> AgentRun:
            await step(request)
            await step(request)
            raise AssertionError

        return loop

    with pytest.raises(InternalError, match=r"requested turn 1, and the next one is 2; make the request with"):
        (await runtime_of(agent_of(twice, World()), model=Scripted(["a", "b"])).run("go", by=superuser())).value()


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, r"the loop of agent agent returned None; return AgentRun\.from_outcome\(request, outcome, turns\)"),
        ("done", r"the loop of agent agent returned 'done'; return AgentRun"),
        (lambda: AgentRun(agent="x", messages=History([]), usage=StepUsage(), turns=1), "returned AgentRun"),
        (lambda: AgentRun(agent="x", messages=cast("Any", []), usage=StepUsage(), turns=1), "AgentRun: messages is"),
        (
            lambda: AgentRun(agent="x", messages=History([]), usage=cast("Any", 3), turns=1),
            "AgentRun: usage is 3; give",
        ),
    ],
)
async def test_a_loop_that_returns_something_else_fails_in_one_line(returned: Any, message: str) -> None:
    async def loop(request: StepRequest, /) -> Any:
        return returned() if callable(returned) else returned

    def none(_step: StepService, /) -> Any:
        return returned

    def make(_step: StepService, /) -> Any:
        return loop

    for each in (make, none) if returned is None else (make,):
        result = await runtime_of(agent_of(each, World()), model=Scripted([])).run("go", by=superuser())
        assert result.status == "failed"
        with pytest.raises(InternalError, match=message):
            result.value()


async def test_a_step_that_has_not_ended_an_agent_makes_no_run() -> None:
    def loop(step: StepService, /) -> LoopService:
        async def hurry(request: StepRequest, /) -> AgentRun:
            return AgentRun.from_outcome(request, cast("Done", await step(request)), 1)

        return hurry

    world = World()
    runtime = runtime_of(agent_of(loop, world), model=Scripted([calls(("look", {}))]))
    result = await runtime.run("go", by=superuser())
    assert "AgentRun.from_outcome: outcome is a Next; give the Done of a step, and go on" in result.text


async def test_a_loop_hands_over_only_to_whom_its_agent_may() -> None:
    def loop(step: StepService, /) -> LoopService:
        async def hand_over(request: StepRequest, /) -> AgentRun:
            outcome = await step(request)
            assert isinstance(outcome, Done)
            return structs.replace(AgentRun.from_outcome(request, outcome, 1), handoff_target="nobody")

        return hand_over

    result = await runtime_of(agent_of(loop, World()), model=Scripted(["a"])).run("go", by=superuser())
    assert "the loop of agent agent hands over to 'nobody', which is not one of its handoffs" in result.text


def test_a_loop_is_for_the_native_driver_and_a_function() -> None:
    with pytest.raises(SetupError, match="loop= is for the native driver"):
        Agent("a", instructions="x", loop=plan_then_act, driver=PydanticAIDriver())
    with pytest.raises(SetupError, match="loop is 3; give a function"):
        Agent("a", instructions="x", loop=3)  # pyright: ignore[reportArgumentType]
    for wrong in (AgentLoop, lambda: None):
        with pytest.raises(SetupError, match=r"which does not take a step \(.*\); give a loop, such as AgentLoop\(\)"):
            Agent("a", instructions="x", loop=cast("Any", wrong))
    assert repr(NativeDriver(AgentLoop())) == "NativeDriver(AgentLoop(max_turns=16))"
