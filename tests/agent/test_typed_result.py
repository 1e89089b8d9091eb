"""Typed results that refer to files: a reference that the run never had is corrected or refused, and not delivered."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from pydantic import BaseModel

from remit import Agent, App, Effect, Runtime, tool
from remit.agent import AgentDriver
from remit.agent.settings import OutputMode
from remit.artifacts import Artifact, RunArtifacts
from remit.testing import Scripted, calls, superuser
from tests.agent.both import BOTH

INVENTED = Artifact(digest="sha256:" + "0" * 64, size=3, media_type="text/csv", name="report.csv")


class Report(BaseModel):
    """A report with its files."""

    title: str
    files: list[Artifact]


@tool(effect=Effect.IDEMPOTENT)
async def export() -> Artifact:
    """Export a table."""
    return await RunArtifacts().add(b"a;b", name="table.csv")


@tool(effect=Effect.PURE)
async def invent() -> Report:
    """Name a file that does not exist."""
    return Report(title="t", files=[INVENTED])


def answer(mode: OutputMode, *files: Artifact) -> Any:
    body = {"title": "t", "files": [each.model_dump() for each in files]}
    return json.dumps(body) if mode == "native" else calls(("final_result", body))


@BOTH
@pytest.mark.parametrize("mode", ["native", "tool"])
async def test_a_file_that_a_model_invents_in_its_result_is_corrected(driver: AgentDriver, mode: OutputMode) -> None:
    agent = Agent("agent", instructions="Work.", tools=[export], output=Report, driver=driver, output_mode=mode)

    runtime = Runtime(App(name="test", agents=(agent,)), model=Scripted([]))
    table = await runtime.artifacts.add(b"a;b", by=superuser(tenant="elsewhere"), name="table.csv")
    wrong_size = table.model_copy(update={"size": 4})
    model = Scripted([calls(("export", {})), answer(mode, table, INVENTED), answer(mode, table)])
    runtime = Runtime(runtime.app, model=model, store=runtime.store)
    result = await runtime.run("go", by=superuser())
    assert result.value() == Report(title="t", files=[table])
    assert "the result refers to a file that this run does not have: there is no artifact sha256:0000" in str(
        [*model.requests[2].history]
    )
    assert (await runtime.replay(result.run)).difference == ""
    stubborn = Scripted([calls(("export", {})), answer(mode, INVENTED), answer(mode, wrong_size)])
    refused = await Runtime(runtime.app, model=stubborn, store=runtime.store).run("go", by=superuser())
    assert refused.status == "failed"
    assert (await runtime.replay(refused.run)).difference == ""


async def test_a_tool_delivers_the_files_that_it_stored_and_no_others() -> None:
    runtime = Runtime(App(name="test", tools=(export, invent)))
    stored = await runtime.call(export, superuser())
    assert stored.value().name == "table.csv"
    refused = await runtime.call(invent, superuser())
    assert json.loads(refused.text)["errorCode"] == "INVALID_OUTPUT"
    assert "a file that this run does not have" in refused.text
    for run in (stored.run, refused.run):
        assert (await runtime.replay(run)).difference == ""


class Visit(BaseModel):
    """A visit."""

    rooms: int
    on: datetime | None = None
    paid: bool = False


WRONG: list[tuple[Any, dict[str, Any], str]] = [
    (Visit, {"rooms": "3"}, "rooms: Input should be a valid integer"),
    (Visit, {"rooms": True}, "rooms: Input should be a valid integer"),
    (Visit, {"rooms": 3, "on": "20260308"}, "on: Input should be a date and time with a zone"),
    (Visit, {"rooms": 3, "paid": "no"}, "paid: Input should be a valid boolean"),
    (Visit, {"rooms": 3, "beds": 2}, "beds: no such parameter. Parameters: rooms, on, paid"),
    (list[int], {"response": ["1"]}, "response.0: Input should be a valid integer"),
    (set[str], {"response": ["a", "a"]}, "response: Input should have different items"),
]


@BOTH
@pytest.mark.parametrize("mode", ["native", "tool"])
@pytest.mark.parametrize(("output", "wrong", "said"), WRONG, ids=map(str, range(len(WRONG))))
async def test_a_result_is_read_as_strictly_as_arguments_are(
    driver: AgentDriver, mode: OutputMode, output: Any, wrong: dict[str, Any], said: str
) -> None:
    right = {"rooms": 3} if output is Visit else {"response": ["1"] if output == set[str] else [1]}
    script = [json.dumps(each) if mode == "native" else calls(("final_result", each)) for each in (wrong, right)]
    agent = Agent("agent", instructions="Work.", output=output, driver=driver, output_mode=mode)
    model = Scripted(script)
    runtime = Runtime(App(name="test", agents=(agent,)), model=model)
    result = await runtime.run("go", by=superuser())
    assert result.status == "done"
    assert said in model.requests[1].history[-1]
    assert (await runtime.replay(result.run)).difference == ""
