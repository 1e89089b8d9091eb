"""Summaries of long histories are written by the model that a compaction names."""

from __future__ import annotations

import pytest

from remit import Agent, App, Runtime
from remit.agent import AgentDriver, Compaction
from remit.errors import NoModelError
from remit.testing import superuser
from tests.agent.both import BOTH
from tests.agent.test_compaction import LONG, ByTurn, erase, read, talk, write
from tests.runtime.kit import find_superuser


@BOTH
async def test_a_model_by_name_writes_the_summaries_and_must_be_usable_before_the_run_begins(
    driver: AgentDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, other = ByTurn(lambda _request: LONG), ByTurn([], summary="Another one wrote it.")
    compaction = Compaction(tokens=1_200, keep=300, model="test:sum")
    agent = Agent("agent", instructions="Work.", tools=[read, write, erase], driver=driver, compaction=compaction)
    runtime = Runtime(
        App(name="test", agents=[agent]),
        model=model,
        directory=find_superuser,
        model_resolver={"test:sum": other}.__getitem__,
    )
    result = await talk(runtime)
    assert len(other.summaries) == 1
    assert not model.summaries
    assert (await runtime.replay(result.run)).is_identical
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    agent = Agent("agent", instructions="Work.", driver=driver, compaction=Compaction(model="openai:gpt-5-mini"))
    keyless = Runtime(App(name="test", agents=[agent]), model=model, directory=find_superuser)
    with pytest.raises(NoModelError, match="OPENAI_API_KEY"):
        await keyless.run("go", by=superuser())
