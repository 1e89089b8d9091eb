"""A timeout of a runtime is for each call that its agents make; a run that failed says why."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit import Agent, App, Effect, Principal, Runtime, Timeout, tool
from remit.agent.limits import AgentLimits
from remit.testing import Scripted, calls

pytestmark = pytest.mark.looptime

ADA = Principal("ada", permissions=frozenset({"*"}))


@tool(effect=Effect.PURE)
async def look(seconds: int) -> str:
    """Look for some seconds."""
    await asyncio.sleep(seconds)
    return "seen"


def office(agent: Agent, *script: Any) -> Runtime:
    return Runtime(App(name="office", agents=(agent,)), model=Scripted(script))


async def test_an_agent_takes_longer_than_the_timeout_of_each_of_its_calls() -> None:
    twenty = calls(("look", {"seconds": 20}))
    runtime = office(Agent("clerk", instructions="x", tools=[look]), twenty, twenty, twenty, "done")
    result = await runtime.layer(Timeout(30)).run("go", by=ADA)
    assert (result.status, result.reason) == ("done", "")


async def test_a_call_that_takes_longer_is_ended_and_its_agent_goes_on() -> None:
    runtime = office(Agent("clerk", instructions="x", tools=[look]), calls(("look", {"seconds": 40})), "it is slow")
    result = await runtime.layer(Timeout(30)).run("go", by=ADA)
    assert (result.status, result.text) == ("done", "it is slow")
    assert "Timeout: no result within 30 seconds" in result.events[-2].text


async def test_an_agent_that_took_longer_than_its_own_limit_has_failed_for_that_reason() -> None:
    agent = Agent("clerk", instructions="x", tools=[look], limits=AgentLimits(seconds=30))
    result = await office(agent, calls(("look", {"seconds": 40})), "done").run("go", by=ADA)
    assert result.status == "failed"
    assert result.reason == "Timeout: no result within 30 seconds; the attempt was cancelled"
