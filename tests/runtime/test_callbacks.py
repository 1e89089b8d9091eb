"""What the application is asked outside the attempts of calls ends in time, and the error names what did not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from remit import Agent, App, Effect, Risk, Runtime, tool
from remit.agent import ToolSearch
from remit.app import Env
from remit.call.observing import await_callback
from remit.errors import DeadlineError
from remit.layers import Call, Gate, Timeout
from remit.policies import Decision, Question
from remit.testing import Scripted, calls, superuser
from remit.tools import Limits
from tests.call.test_reference import Move, move

pytestmark = pytest.mark.looptime
LIMITS = Limits(callback_seconds=7)


async def hang(*_: object) -> Any:
    await asyncio.sleep(10_000)


class HangingGate(Gate):
    async def check(self, _call: Call, /) -> None:
        await hang()


class HangingApprover:
    async def decide(self, _question: Question, /) -> Decision | None:
        return await hang()


@tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
async def drop(page: str) -> str:
    """Drop a page."""
    return f"dropped {page}"


async def run(callee: Any, *arguments: Any, env: Env | None = None, references: Any = None) -> str:
    app = App(name="test", tools=(callee,), env=env or Env(), references=references or {})
    return (await Runtime(app, limits=LIMITS).call(callee, superuser(), *arguments)).text


async def run_agent(**options: Any) -> str:
    script = Scripted([calls(("drop", {"page": "home"})), "done"])
    agent = Agent("clerk", instructions="Work.", tools=[drop], model=script, **options)
    runtime = Runtime(App(name="test", agents=(agent,)), limits=LIMITS)
    return (await runtime.run("Drop the page.", by=superuser())).text


async def run_at_target() -> str:
    agent = Agent("clerk", instructions="Work.", model=Scripted(["done"]))
    runtime = Runtime(App(name="test", agents=(agent,), check_target=hang), limits=LIMITS)
    try:
        return (await runtime.run("go", by=superuser(), target="bakery/main")).text
    except DeadlineError as error:
        return error.message


async def rank(_query: str, _tools: Sequence[object], /) -> Sequence[str]:
    return await hang()


@pytest.mark.parametrize(
    ("ask", "named"),
    [
        (lambda: run(drop.with_preview(hang), "home"), "the preview of drop"),
        (lambda: run(drop.layer(HangingGate()), "home"), "the gate HangingGate of drop"),
        (lambda: run(drop, "home", env=Env(approver=HangingApprover())), "the approver of drop"),
        (lambda: run(move, Move(page="home"), references={"page": hang}), "the resolver of references to a page"),
        (run_at_target, "the check of the target 'bakery/main'"),
        (lambda: run_agent(run_instructions=hang), "run_instructions of agent clerk"),
        (lambda: run_agent(tool_search=ToolSearch(above=0, ahead=3, rankers=[rank])), "a ranker of tools"),
    ],
    ids=["preview", "gate", "approver", "resolver", "target", "run-instructions", "ranker"],
)
async def test_a_function_that_hangs_ends_after_the_seconds_of_the_limits_and_is_named(ask: Any, named: str) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    assert f"{named} took longer than 7 seconds, so the call was not made" in await ask()
    assert loop.time() - began == pytest.approx(7)


async def test_a_reconciliation_that_hangs_leaves_the_question_to_a_person() -> None:
    @tool(effect=Effect.UNSAFE)
    async def send() -> str:
        """Send."""
        return await hang()

    tried = send.with_reconcile(hang).layer(Timeout(2))
    loop = asyncio.get_running_loop()
    began = loop.time()
    result = await Runtime(App(name="test", tools=(tried,)), limits=LIMITS).call(tried, superuser())
    assert (result.status, len(result.questions), result.text) == ("waiting", 1, "")
    assert loop.time() - began == pytest.approx(2 + 1.8)


async def test_a_function_ends_before_the_deadline_of_its_call() -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    with pytest.raises(DeadlineError, match=r"it took longer than 2\.7 seconds"):
        await await_callback("it", hang(), deadline=began + 3)
    with pytest.raises(DeadlineError, match="it took longer than 0 seconds"):
        await await_callback("it", hang(), deadline=began)
    assert loop.time() - began == pytest.approx(2.7)


async def test_a_time_limit_of_the_function_itself_is_its_own_error() -> None:
    async def gives_up() -> None:
        raise TimeoutError("no answer")

    with pytest.raises(TimeoutError, match="no answer"):
        await await_callback("it", gives_up())
    assert await await_callback("it", asyncio.sleep(29, "seen")) == "seen"
