"""One answer with very many calls: the first are made, the model is told, and the rest does not enter the history."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import Agent, App, Runtime
from remit.agent import AgentDriver
from remit.record.arguments import Limits
from remit.record.items import AttemptStarted
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from tests.agent.both import BOTH, Found, look, messages_of, result_of
from tests.runtime.kit import find_superuser, items_of

TOLD = "this call was not made, and those after it were dropped: one answer has at most 3 calls"


def runtime_with(agent: Agent, model: Scripted) -> Runtime:
    return Runtime(
        App(name="test", agents=(agent,)), limits=Limits(answer_calls=3), model=model, directory=find_superuser
    )


def replies_of(model: Scripted) -> list[str]:
    return [content for role, content in messages_of(model) if role == "tool"]


@BOTH
@pytest.mark.parametrize("name", ["look", "unknown"])
async def test_of_an_answer_with_many_calls_only_the_first_are_made(driver: AgentDriver, name: str) -> None:
    model = Scripted([calls(*((name, {"page": str(number)}) for number in range(50))), "done"])
    runtime = runtime_with(Agent("agent", instructions="x", tools=[look], driver=driver), model)
    result = await runtime.run("go", by=superuser())
    assert result.value() == "done"
    replies = replies_of(model)
    assert len(replies) == 4
    assert [TOLD in reply for reply in replies] == [False, False, False, True]
    asked = next(json.loads(text) for text in model.requests[-1].history if '"tool_calls"' in text)
    assert [json.loads(each["function"]["arguments"])["page"] for each in asked["tool_calls"]] == ["0", "1", "2", "3"]
    assert sum(isinstance(item, AttemptStarted) for item in await items_of(runtime.store, result.run)) == 3
    assert history_errors(await runtime.history(result.run)) == []
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_a_call_that_was_one_too_many_can_be_made_in_a_later_answer(driver: AgentDriver) -> None:
    many: Any = calls(*(("look", {"page": str(number % 4)}) for number in range(50)))
    last = calls(("look", {"page": "3"}))
    model = Scripted(
        [many, calls(*(("look", {"page": f"b{number}"}) for number in range(3)), ("look", {"page": "3"})), last, "done"]
    )
    runtime = runtime_with(Agent("agent", instructions="x", tools=[look], driver=driver), model)
    result = await runtime.run("go", by=superuser())
    assert result.value() == "done"
    assert replies_of(model)[-1] == "saw 3"


@BOTH
async def test_of_many_typed_results_the_first_counts(driver: AgentDriver) -> None:
    model = Scripted([calls(*([result_of()] * 50))])
    runtime = runtime_with(Agent("agent", instructions="x", output=Found, driver=driver), model)
    result = await runtime.run("go", by=superuser())
    assert result.value() == Found(page="about", words=3)
    assert history_errors(await runtime.history(result.run)) == []
    assert (await runtime.replay(result.run)).difference == ""
