"""A run that is opened is left to whoever drives it."""

from __future__ import annotations

import pytest

from remit import Agent, App, Runtime
from remit.errors import RequestError
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import World, items_of, runtime_of


async def test_a_run_that_is_opened_has_done_nothing_yet() -> None:
    world = World()
    runtime = runtime_of(Scripted([calls(("write", {"text": "a"})), "done"]), world.write())
    run = await runtime.submit("write a", by=superuser())
    assert [item.kind for item in await items_of(runtime.store, run)] == ["opened"]
    assert world.ran == []


async def test_a_run_that_was_opened_is_driven_by_resuming_it() -> None:
    world = World()
    runtime = runtime_of(Scripted([calls(("write", {"text": "a"})), "done"]), world.write())
    run = await runtime.submit("write a", by=superuser(), conversation="talk")
    assert (await runtime.resume(run)).value() == "done"
    assert world.texts == ["a"]


async def test_a_conversation_whose_run_was_opened_is_busy() -> None:
    runtime = runtime_of(Scripted(["done", "again"]))
    first = await runtime.submit("one", by=superuser(), conversation="talk")
    with pytest.raises(RequestError, match="busy"):
        await runtime.submit("two", by=superuser(), conversation="talk")
    await runtime.resume(first)
    second = await runtime.submit("two", by=superuser(), conversation="talk")
    assert (await runtime.resume(second)).value() == "again"


async def test_an_agent_with_another_model_is_not_opened_for_those_who_drive_runs_find_the_listed_one() -> None:
    agent = Agent("agent", instructions="One.", model=Scripted(["done"]))
    runtime = Runtime(App(name="test", agents=(agent,)))
    with pytest.raises(RequestError, match="a submitted run uses the model of the listed agent 'agent'"):
        await runtime.submit("go", by=superuser(), agent=agent.with_model(Scripted(["other"])))
    assert await runtime.store.list_runs() == []
    run = await runtime.submit("go", by=superuser(), agent=agent)
    assert (await runtime.resume(run)).value() == "done"


async def test_a_run_of_an_agent_that_is_not_there_is_not_opened() -> None:
    runtime = runtime_of(Scripted([]))
    with pytest.raises(RequestError, match="no agent 'nobody'"):
        await runtime.submit("go", by=superuser(), agent="nobody")
    assert await runtime.store.list_runs() == []
