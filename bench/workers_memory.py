"""What nested workers cost in memory: as many as are asked for wait for their models at once, in one run."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from bench.world import PERSON
from figures.figure import Figure, at_most
from remit import App, Runtime
from remit.layers import Budget
from remit.tools import Limits
from remit.workers import WorkerDefinition, build_agent

ROOT: Final = Path(__file__).parent.parent
PARALLEL_WORKERS: Final = 500


async def workers_memory() -> AsyncIterator[Figure]:
    """Memory for each of many nested workers under way, in a process of its own."""
    command = [sys.executable, "-m", "bench.workers_memory", str(PARALLEL_WORKERS)]
    output = await asyncio.to_thread(subprocess.run, command, check=True, cwd=ROOT, capture_output=True, text=True)
    how = (
        f"memory that a process gains while {PARALLEL_WORKERS} nested workers of one run wait "
        "for their models, for each of them"
    )
    yield at_most("worker.rss_kb", float(output.stdout), "kB", 128, PARALLEL_WORKERS, how)


async def _measure(count: int) -> float:
    await _memory_gained(10)  # imports what is imported late
    return await _memory_gained(count) / count


async def _memory_gained(count: int) -> float:
    """Kilobytes that the process gains until so many nested workers wait at once."""
    requests, waiting, go_on = 0, asyncio.Event(), asyncio.Event()

    async def look(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        nonlocal requests
        requests += 1
        if requests == count:
            waiting.set()
        await go_on.wait()
        return ModelResponse([TextPart("seen")])

    async def lead(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse([TextPart("done")])
        return ModelResponse([ToolCallPart("mate", f'{{"prompt":"{n}"}}', f"call_{n}") for n in range(count)])

    mate = build_agent(WorkerDefinition(name="mate", prompt="Look."), model=FunctionModel(look))
    leading = WorkerDefinition(name="lead", prompt="Lead.", workers=("mate",))
    top = build_agent(leading, workers={"mate": mate}, model=FunctionModel(lead), parallel=count)
    app = App(name="bench", tools=(top,), budget=Budget(calls=count + 1))
    runtime = Runtime(app, limits=Limits(answer_calls=count))
    before = _resident_kb()
    running = asyncio.create_task(runtime.call(top, PERSON, "go"))
    arriving = asyncio.create_task(waiting.wait())
    await asyncio.wait({running, arriving}, return_when=asyncio.FIRST_COMPLETED)
    if not waiting.is_set():
        raise RuntimeError(f"the run ended before {count} workers waited: {(await running).text}")
    gained = _resident_kb() - before
    go_on.set()
    (await running).value()
    return gained


def _resident_kb() -> float:
    """Kilobytes of this process that are in memory now."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4.0


if __name__ == "__main__":
    print(asyncio.run(_measure(int(sys.argv[1]))))
