"""What differs from run to run is a message of its own: instructions and tools are the same bytes in every run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import Agent, App, Effect, LeafContext, Risk, Runtime, tool
from remit.agent import AgentDriver, NativeDriver, RunInfo
from remit.errors import SetupError
from remit.journal.ports import Store
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from remit.workers import PydanticAIDriver
from tests.runtime.kit import Clock, find_superuser

DAY = 86_400.0


@tool(effect=Effect.PURE)
async def double(number: int) -> int:
    """Double a number."""
    return number * 2


@tool(effect=Effect.KEYED, risk=Risk.HIGH)
async def erase(ctx: LeafContext, page: str) -> str:
    """Erase a page."""
    return f"erased {page} {ctx.key[:0]}"


@pytest.fixture(params=[NativeDriver(), PydanticAIDriver()], ids=["native", "pydantic-ai"])
def driver(request: pytest.FixtureRequest) -> AgentDriver:
    return request.param


def describe(run: RunInfo) -> str:
    return f"Today is {run.now:%Y-%m-%d}. {run.principal.name} edits {run.target or 'nothing'}."


def runtime_of(
    model: Scripted, *agents: Agent, store: Store | None = None, clock: Any = None, layers: Any = None
) -> Runtime:
    return Runtime(
        App(name="test", agents=agents),
        model=model,
        store=store or InMemoryStore(clock or Clock(0.0)),
        clock=clock or Clock(0.0),
        directory=find_superuser,
        layers=layers,
    )


def contents(model: Scripted, request: int = -1) -> list[tuple[str, Any]]:
    return [(each["role"], each["content"]) for each in map(json.loads, model.requests[request].history)]


def noted(text: str) -> tuple[str, str]:
    return "user", f"<run_instructions>\n{text}\n</run_instructions>"


async def test_two_runs_on_two_dates_have_the_same_bytes_up_to_that_message(driver: AgentDriver) -> None:
    model, clock = Scripted(["one", "two"]), Clock(0.0)
    agent = Agent("agent", instructions="Work.", run_instructions=describe, tools=[double], driver=driver)
    runtime = runtime_of(model, agent, clock=clock)
    await runtime.run("go", by=superuser(), target="bakery/main")
    clock.now += DAY
    await runtime.run("go", by=superuser(), target="bakery/main")
    first, second = model.requests
    assert first.history[0] == second.history[0]
    assert first.tools.text == second.tools.text
    assert contents(model, 0) == [
        ("system", "Work."),
        noted("Today is 1970-01-01. ada edits bakery/main."),
        ("user", "go"),
    ]
    assert contents(model, 1)[1] == noted("Today is 1970-01-02. ada edits bakery/main.")


async def test_a_resumed_run_and_a_replay_answer_from_the_journal(driver: AgentDriver) -> None:
    asked: list[float] = []

    async def count(run: RunInfo) -> str:
        asked.append(run.now.timestamp())
        return f"Number {len(asked)}"

    model, clock = Scripted([calls(("erase", {"page": "a"})), "done"]), Clock(0.0)
    agent = Agent("agent", instructions="Work.", run_instructions=count, tools=[erase], driver=driver)
    runtime = runtime_of(model, agent, clock=clock)
    waiting = await runtime.run("go", by=superuser())
    row = await runtime.store.find_question(waiting.questions[0])
    assert row is not None
    assert row.question.message == "go", "the approver is shown what the user wrote"
    clock.now += DAY
    await runtime.decide(waiting.questions[0], approved=True, by=superuser())
    assert (await runtime.resume(waiting.run)).text == "done"
    assert (await runtime.replay(waiting.run)).is_identical
    assert asked == [0.0]
    assert contents(model)[1] == noted("Number 1")


async def test_a_run_without_run_instructions_gets_none_when_it_is_resumed_either(driver: AgentDriver) -> None:
    texts = iter(["", "too late", "too late"])
    model = Scripted([calls(("erase", {"page": "a"})), "done"])
    agent = Agent(
        "agent", instructions="Work.", run_instructions=lambda _run: next(texts), tools=[erase], driver=driver
    )
    runtime = runtime_of(model, agent)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=superuser())
    await runtime.resume(waiting.run)
    assert (await runtime.replay(waiting.run)).is_identical
    assert [role for role, _ in contents(model)] == ["system", "user", "assistant", "tool"]


async def test_the_next_run_of_a_conversation_sees_those_of_the_runs_before(driver: AgentDriver) -> None:
    model, clock = Scripted(["one", "two"]), Clock(0.0)
    agent = Agent(
        "agent", instructions="Work.", run_instructions=lambda run: f"{run.now:%d} {run.conversation}", driver=driver
    )
    runtime = runtime_of(model, agent, clock=clock)
    await runtime.run("go", by=superuser(), conversation="c")
    clock.now += DAY
    second = await runtime.run("on", by=superuser(), conversation="c")
    assert contents(model) == [
        ("system", "Work."),
        noted("01 c"),
        ("user", "go"),
        ("assistant", "one"),
        noted("02 c"),
        ("user", "on"),
    ]
    assert list(model.requests[1].history)[:3] == list(model.requests[0].history)
    assert history_errors(await runtime.history(second.run)) == []


async def test_the_agent_that_takes_over_adds_its_own(driver: AgentDriver) -> None:
    clerk = Agent("clerk", instructions="Help.", run_instructions="Speak German.", driver=driver)
    boss = Agent("boss", instructions="Lead.", run_instructions="It is late.", handoffs=[clerk], driver=driver)
    model = Scripted([calls(("handoff_to_clerk", {"reason": "busy"})), "done"])
    runtime = runtime_of(model, boss, clerk)
    result = await runtime.run("go", by=superuser())
    assert result.text == "done", result.text
    roles = contents(model)
    assert roles[:3] == [("system", "Help."), noted("It is late."), ("user", "go")]
    assert roles[-1] == noted("Speak German.")
    assert (await runtime.replay(result.run)).is_identical
    assert history_errors(await runtime.history(result.run)) == []


async def test_an_agent_below_another_has_its_own(driver: AgentDriver) -> None:
    model, below = Scripted([calls(("clerk", {"prompt": "help"})), "done"]), Scripted(["helped"])
    clerk = Agent("clerk", instructions="Help.", run_instructions=describe, driver=driver, model=below)
    boss = Agent("boss", instructions="Lead.", tools=[clerk], driver=driver)
    await runtime_of(model, boss).run("go", by=superuser(), target="bakery/main")
    assert noted("Today is 1970-01-01. ada edits bakery/main.") in contents(below)
    assert not any("run_instructions" in str(each) for each in contents(model))


@pytest.mark.parametrize("wrong", [7, None, RunInfo])
def test_anything_but_a_text_or_a_function_is_refused(wrong: Any) -> None:
    with pytest.raises(
        SetupError, match=r"agent agent: run_instructions is .*; give a text, or a function of a RunInfo"
    ):
        Agent("agent", instructions="Work.", run_instructions=wrong)


async def test_a_function_that_returns_no_text_fails_the_run_in_one_line() -> None:
    def return_number(_run: RunInfo) -> Any:
        return 7

    runtime = runtime_of(Scripted([]), Agent("agent", instructions="Work.", run_instructions=return_number))
    result = await runtime.run("go", by=superuser())
    assert result.status == "failed"
    assert "run_instructions of agent agent returned a int; return a text" in result.text
