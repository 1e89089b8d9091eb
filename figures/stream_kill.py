"""A run that another process executes and that is followed here, until that process is killed in the middle of it."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
from pathlib import Path
from typing import Final

from figures.stream_world import PERSON, RUN, Reader, Typist
from remit import Agent, App, Runtime
from remit.items import DeltaEvent
from remit.stores import SqlStore

_TEXT: Final = " ".join(f"word{number}" for number in range(120))


def _runtime(file: Path) -> Runtime:
    agent = Agent("agent", instructions="Write.", model=Typist([_TEXT], delay=0.02))
    return Runtime(App(name="app", agents=[agent]), store=SqlStore.at(file), make_run_id=lambda: RUN, lease_seconds=0.6)


async def _execute(file: Path) -> None:
    runtime = _runtime(file)
    runtime.add_principals(PERSON)
    await runtime.resume(RUN)


def follow_killed(cut: int) -> Reader:
    """Follow the run here, kill its executor after ``cut`` pieces, and have another one finish it."""
    reader = Reader()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_follow(Path(folder, "journal.db"), cut, reader))
    reader.end()
    return reader


async def _follow(file: Path, cut: int, reader: Reader) -> None:
    runtime, other = _runtime(file), _runtime(file)
    await runtime.submit("go", by=PERSON)
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "figures.stream_kill", str(file))
    resuming: asyncio.Task[None] | None = None

    async def resume() -> None:
        await process.wait()
        await asyncio.sleep(0.8)  # the lease of the killed executor lasts 0.6 seconds
        other.add_principals(PERSON)
        await other.resume(RUN)

    async with contextlib.aclosing(runtime.client(PERSON).stream(RUN, poll_seconds=0.05)) as events:
        async for event in events:
            reader.add(event)
            if isinstance(event, DeltaEvent) and reader.pieces == cut:
                process.kill()
                resuming = asyncio.create_task(resume())
    if resuming is None:
        reader.lost += 1  # the run ended before it could be killed
        process.kill()
    else:
        await resuming
    await process.wait()
    reader.lost += reader.drops == 0  # the pieces of the dead epoch were not withdrawn
    for each in (runtime, other):
        await each.store.close()


if __name__ == "__main__":
    asyncio.run(_execute(Path(sys.argv[1])))
