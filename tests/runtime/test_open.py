"""A run that is opened is left to whoever drives it."""

from __future__ import annotations

import pytest

from remit import Agent, App, Runtime
from remit.errors import RequestError
from remit.testing import Scripted, anybody, calls
from tests.runtime.kit import World, items_of, runtime_of


async def test_a_run_that_is_opened_has_done_nothing_yet() -> None:
    world = World()
    runtime = runtime_of(Scripted([calls(("write", {"text": "a"})), "done"]), world.write())
    run = await runtime.open("write a", by=anybody())
    assert [item.kind for item in await items_of(runtime.store, run)] == ["opened"]
    assert world.ran == []


async def test_a_run_that_was_opened_is_driven_by_resuming_it() -> None:
    world = World()
    runtime = runtime_of(Scripted([calls(("write", {"text": "a"})), "done"]), world.write())
    run = await runtime.open("write a", by=anybody(), conversation="talk")
    assert (await runtime.resume(run)).value() == "done"
    assert world.texts == ["a"]


async def test_a_conversation_whose_run_was_opened_is_busy() -> None:
    runtime = runtime_of(Scripted(["done", "again"]))
    first = await runtime.open("one", by=anybody(), conversation="talk")
    with pytest.raises(RequestError, match="busy"):
        await runtime.open("two", by=anybody(), conversation="talk")
    await runtime.resume(first)
    second = await runtime.open("two", by=anybody(), conversation="talk")
    assert (await runtime.resume(second)).value() == "again"


async def test_an_agent_with_another_model_is_not_opened_for_those_who_drive_runs_find_the_listed_one() -> None:
    agent = Agent("agent", instructions="One.", model=Scripted(["done"]))
    runtime = Runtime(App(name="test", agents=(agent,)))
    with pytest.raises(RequestError, match="whoever drives the run asks the model of the agent 'agent' that is listed"):
        await runtime.open("go", by=anybody(), agent=agent.using(Scripted(["other"])))
    assert await runtime.store.runs() == []
    run = await runtime.open("go", by=anybody(), agent=agent)
    assert (await runtime.resume(run)).value() == "done"


async def test_a_run_of_an_agent_that_is_not_there_is_not_opened() -> None:
    runtime = runtime_of(Scripted([]))
    with pytest.raises(RequestError, match="no agent 'nobody'"):
        await runtime.open("go", by=anybody(), agent="nobody")
    assert await runtime.store.runs() == []
