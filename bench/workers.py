"""The cost of a worker's tool calls through the door, over those of PydanticAI's own toolset, with the same model."""

from __future__ import annotations

import gc
import time
from collections.abc import AsyncIterator

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.usage import RequestUsage, UsageLimits

from bench.world import PERSON, RAW, Note, Saved, layers, measured_tool
from figures.figure import Figure, at_most
from remit import App, Effect, Runtime
from remit.agent import AgentLimits
from remit.workers import WorkerDefinition, build_agent

TURNS = 20
CALLS_PER_TURN = 5
"""Calls in each reply of the model."""
RUNS = 5
REPEATS = 15


async def workers() -> AsyncIterator[Figure]:
    """One tool call of a worker, over one of PydanticAI's own agent."""
    floors: list[float] = []
    costs: list[float] = []
    for _ in range(REPEATS):
        floors.append(await _toolset_call_cost())
        costs.append(await _worker_call_cost())
    floor, cost = min(floors), min(costs)
    cost_us, floor_us = f"{cost * 1e6:.0f} µs", f"{floor * 1e6:.0f} µs"
    how = (
        f"CPU time of a call with its share of the run ({cost_us}: journal, layers, approval policy) over that "
        f"with PydanticAI's own FunctionToolset ({floor_us}), {TURNS} turns of {CALLS_PER_TURN} "
        f"calls, least of {REPEATS}"
    )
    yield at_most("worker.tool_call.ratio", cost / floor, "ratio", 1.5, TURNS * CALLS_PER_TURN * RUNS * REPEATS, how)


async def _answer(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    """``CALLS`` calls in each of ``TURNS`` turns, then a text; with its usage, so that nobody estimates it."""
    turn = len(messages) // 2
    usage = RequestUsage(input_tokens=100, output_tokens=10)
    if turn == TURNS:
        return ModelResponse([TextPart("done")], usage=usage)
    tool_calls = [(f"call_{turn}_{i}", RAW.replace("7", str(turn * 1000 + i))) for i in range(CALLS_PER_TURN)]
    return ModelResponse([ToolCallPart("save", raw, wire) for wire, raw in tool_calls], usage=usage)


async def _toolset_call_cost() -> float:
    toolset: FunctionToolset[object] = FunctionToolset()

    @toolset.tool_plain
    async def save(note: Note) -> Saved:
        """Save a note."""
        return Saved(title=note.title, number=note.number)

    gc.collect()
    started = time.process_time()
    for _ in range(RUNS):
        agent = Agent(FunctionModel(_answer), instructions="Save notes.", toolsets=[toolset])
        await agent.run("go", usage_limits=UsageLimits(request_limit=TURNS + 1))
    return (time.process_time() - started) / TURNS / CALLS_PER_TURN / RUNS


async def _worker_call_cost() -> float:
    save = measured_tool(Effect.PURE)
    limits = AgentLimits(turns=TURNS + 1)
    definition = WorkerDefinition(name="bench", prompt="Save notes.", tools=("save",), limits=limits)
    worker = build_agent(definition, tools=[save], model=FunctionModel(_answer))
    runtimes = [Runtime(App(name="bench", tools=(worker,)), layers=layers()) for _ in range(RUNS)]
    gc.collect()
    started = time.process_time()
    for each in runtimes:
        (await each.call(worker, PERSON, "go")).value()
    return (time.process_time() - started) / TURNS / CALLS_PER_TURN / RUNS
