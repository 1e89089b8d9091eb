"""A worker for tests that need more processes than their own: ``python -m tests.workers.child JOURNAL VERB …``.

Its three tools write a line each into the file DONE beside the journal. Where a file DIE is, the second and the third
wait until the first has ended and is stored, and die before they write.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from remit import Agent, App, Effect, LeafContext, Runtime, Tool, tool
from remit.journal.sql.store import SqlStore
from remit.record.items import Position, ToolOutput
from remit.testing import superuser
from tests.runtime.kit import find_superuser
from tests.workers.kit import Script, call, worker_of


def worker_in(folder: Path, stored: asyncio.Event) -> Agent:
    """The worker, whose world is a folder."""

    def writing(name: str) -> Tool[[], str]:
        @tool(name=name, effect=Effect.KEYED)
        async def write(ctx: LeafContext) -> str:
            """Write a line."""
            if name != "first" and (folder / "DIE").exists():
                await stored.wait()
                os.kill(os.getpid(), signal.SIGKILL)
            with (folder / "DONE").open("a", encoding="utf-8") as file:
                file.write(f"{ctx.key} {name}\n")
            return f"wrote {name}"

        return write

    names = ("first", "second", "third")
    script = Script([call(name) for name in names], "done")
    return worker_of(script.model, *map(writing, names))


async def main(journal: Path, verb: str, *words: str) -> dict[str, Any]:
    """Do one thing in this process, and say what came of it."""
    stored = asyncio.Event()

    def watch(position: Position) -> None:
        if isinstance(position.item, ToolOutput) and position.item.callee == "first":
            stored.set()

    store = SqlStore.at(journal)
    worker = worker_in(journal.parent, stored)
    runtime = Runtime(
        App(name="test", tools=(worker,)), store=store, directory=find_superuser, on_item=watch, lease_seconds=0.2
    )
    try:
        result = await (runtime.call(worker, superuser(), "go") if verb == "run" else runtime.resume(words[0]))
        return {"run": result.run, "status": result.status, "text": result.text}
    finally:
        await store.close()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:]))))
