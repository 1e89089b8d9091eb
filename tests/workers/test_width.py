"""Many nested workers in one run: each is called once, no more at once than may be, and nothing of them stays."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from remit import Agent, Runtime
from remit.drivers.toolset import DispatcherToolset
from remit.layers import Budget
from remit.record.items import ToolOutput
from remit.testing import superuser
from remit.testing.history_check import history_errors
from tests.workers.kit import Script, call, filed, found, read_of, runtime_of, worker_of

WIDE = 100
TURNS = 5
PARALLEL = 20


class Under:
    """Counts the nested workers that are under way, and the most there ever were."""

    def __init__(self) -> None:
        self.now = self.most = self.all = 0
        self.half = asyncio.Event()

    async def way(self) -> None:
        """Be under way for a moment."""
        self.now += 1
        self.all += 1
        self.most = max(self.most, self.now)
        if self.now > PARALLEL // 2:
            self.half.set()
        for _ in range(3):
            await asyncio.sleep(0)
        self.now -= 1


def wide(under: Under) -> Agent:
    """A worker whose model calls five hundred others, many in each of its replies."""

    async def look(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        await under.way()
        return ModelResponse([TextPart("seen")])

    mate = worker_of(FunctionModel(look), name="mate")
    turns = [
        [call("mate", {"prompt": f"{turn}-{index}"}, f"call_{turn}_{index}") for index in range(WIDE)]
        for turn in range(TURNS)
    ]
    lead = Script(*turns, lambda said: f"{len(read_of(said))} came back")
    return worker_of(lead.model, name="lead", workers=[mate], parallel=PARALLEL)


async def remaining_tasks() -> set[asyncio.Task[Any]]:
    """The remaining tasks, after cancelled ones have ended."""
    for _ in range(3):
        await asyncio.sleep(0)
    return asyncio.all_tasks()


def runtime_for(worker: Agent) -> Runtime:
    return runtime_of(worker, budget=Budget(calls=WIDE * TURNS + 1))


def toolsets() -> int:
    """How many toolsets there are in this process: other tests may have left some."""
    gc.collect()
    return sum(type(each) is DispatcherToolset for each in gc.get_objects())


@pytest.mark.slow
async def test_five_hundred_nested_workers_run_once_each_and_leave_no_task_and_no_toolset_behind() -> None:
    before, others = asyncio.all_tasks(), toolsets()
    under = Under()
    worker = wide(under)
    runtime = runtime_for(worker)
    result = await runtime.call(worker, superuser(), "go")
    assert result.value() == f"{WIDE * TURNS} came back"
    assert (under.all, under.now) == (WIDE * TURNS, 0)
    assert 1 < under.most <= PARALLEL
    ends = await filed(runtime.store, result.run, ToolOutput)
    assert [end.outcome for end in ends] == ["ok"] * (WIDE * TURNS + 1)
    assert len({end.call for end in ends}) == len(ends)
    assert history_errors(await runtime.history(result.run)) == []
    assert await remaining_tasks() == before
    assert toolsets() <= others


async def test_many_workers_that_are_cancelled_together_leave_no_task_behind() -> None:
    before = asyncio.all_tasks()
    under = Under()
    worker = wide(under)
    runtime = runtime_for(worker)
    running = asyncio.create_task(runtime.call(worker, superuser(), "go"))
    await under.half.wait()
    running.cancel()
    await asyncio.wait([running])
    assert await remaining_tasks() == before
    row = (await runtime.store.list_runs())[0]
    assert row.status == "cancelled"
    ends = await filed(runtime.store, row.run, ToolOutput)
    assert len({end.call for end in ends}) == len(ends), "each call has one end"


async def test_what_pydantic_ai_needs_of_a_worker_is_built_once_for_all_calls_of_it() -> None:
    built: list[str] = []

    class Counted(BaseModel):
        """Counts how often its schema is asked for."""

        page: str
        words: int

        @classmethod
        def __get_pydantic_json_schema__(cls, schema: Any, build: Any) -> Any:
            built.append(cls.__name__)
            return build(schema)

    worker = worker_of(Script(found()).model, output=Counted)
    runtime = runtime_of(worker)
    assert (await runtime.call(worker, superuser(), "go")).status == "done"
    once = len(built)
    for _ in range(3):
        assert (await runtime.call(worker, superuser(), "again")).status == "done"
    assert (len(built), once > 0) == (once, True)
