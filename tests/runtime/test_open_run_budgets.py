"""The budget of an open run holds for each window of time, and not for the whole run."""

from __future__ import annotations

from typing import Any

import pytest

from remit import Agent, App, Runtime
from remit.layers import Budget
from remit.messages import ChatRequest
from remit.models import Model
from remit.record.items import AttemptStarted, Handoff
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls
from tests.runtime.kit import Clock, find_superuser, items_of
from tests.runtime.open_desk import ADA, Desk


def code(result: Any) -> str:
    return result.reply.error.code if result.reply.error else "OK"


async def test_so_many_calls_start_in_each_window_over_all_executions() -> None:
    clock = Clock()
    desk = Desk(clock=clock)
    runtime = desk.process(budget=Budget(calls=2))
    async with runtime.client(ADA).open_run() as run:
        codes = [code(await run.call("read", {"page": "a"})) for _ in range(3)]
        clock.now += 59
        codes.append(code(await run.call("read", {"page": "a"})))
    async with runtime.client(ADA).open_run(run_id=run.id) as run:
        refused = await run.call("read", {"page": "a"})
        assert refused.reply is not None
        assert refused.reply.error is not None
        assert refused.reply.error.message == "the run has used all of its calls (2 of 60 s)"
        clock.now += 1
        codes += [code(await run.call("read", {"page": "a"})) for _ in range(3)]
    assert codes == ["OK", "OK", *["BUDGET_EXCEEDED"] * 2, "OK", "OK", "BUDGET_EXCEEDED"]


async def test_more_calls_than_a_run_may_make_are_made_one_after_another() -> None:
    clock = Clock()
    desk = Desk(clock=clock)
    async with desk.process(budget=Budget(calls=3, window=10)).client(ADA).open_run() as run:
        for _ in range(20):
            assert code(await run.call("write", {"page": "a"})) == "OK"
            clock.now += 5
    assert len([each for each in await items_of(desk.store, run.id) if isinstance(each, AttemptStarted)]) == 20


def answer(_request: ChatRequest) -> dict[str, Any]:
    return {"role": "assistant", "content": "hi", "usage": {"prompt_tokens": 50, "completion_tokens": 50}}


def talking(clock: Clock, model: Model, budget: Budget) -> Runtime:
    agent = Agent("agent", instructions="Talk.")
    app = App(name="test", agents=(agent,), budget=budget)
    return Runtime(app, model=model, store=InMemoryStore(clock), clock=clock, directory=find_superuser)


async def test_tokens_of_earlier_windows_do_not_count() -> None:
    clock = Clock()
    runtime = talking(clock, Scripted([answer]), Budget(tokens=500, window=60))
    async with runtime.client(ADA).open_run() as run:
        codes: list[str] = []
        for _ in range(4):
            codes.append(code(await run.call("agent", {"prompt": "hi"})))
            clock.now += 1
        clock.now += 60
        codes.append(code(await run.call("agent", {"prompt": "hi"})))
    async with runtime.client(ADA).open_run(run_id=run.id) as run:
        codes += [code(await run.call("agent", {"prompt": "hi"})) for _ in range(3)]
    assert codes[-1] == codes[3] == "BUDGET_EXCEEDED"
    assert codes[0] == codes[4] == "OK"


async def test_a_window_without_tokens_left_refuses_the_call_of_a_tool_as_well() -> None:
    clock = Clock()
    runtime = talking(clock, Scripted([answer]), Budget(tokens=100_000, cost=1, seconds=50, window=60))
    async with runtime.client(ADA).open_run() as run:
        assert code(await run.call("agent", {"prompt": "hi"})) == "OK"
        clock.now += 55
        assert code(await run.call("agent", {"prompt": "hi"})) == "BUDGET_EXCEEDED"
    clock.now += 60
    async with runtime.client(ADA).open_run(run_id=run.id) as run:
        assert code(await run.call("agent", {"prompt": "hi"})) == "OK"
        clock.now += 20
        assert code(await run.call("agent", {"prompt": "hi"})) == "OK"


async def test_each_call_from_outside_has_the_handoffs_of_a_run() -> None:
    second = Agent("second", instructions="Talk.")
    first = Agent("first", instructions="Talk.", handoffs=(second,))
    model = Scripted([calls(("handoff_to_second", {"reason": "it knows"})), "done"])
    app = App(name="test", agents=(first, second))
    runtime = Runtime(app, model=model, directory=find_superuser)
    async with runtime.client(ADA).open_run() as run:
        for _ in range(12):
            assert (await run.call("first", {"prompt": "hi"})).value() == "done"
    assert len([each for each in await items_of(runtime.store, run.id) if isinstance(each, Handoff)]) == 12


def test_the_window_of_a_budget_is_a_positive_number_of_seconds() -> None:
    with pytest.raises(Exception, match="window"):
        Budget(window=0)
    assert repr(Budget(window=5)) == "Budget(calls=256, tokens=None, depth=8, window=5)"
