"""An application for tests that need more processes than their own: ``python -m tests.runtime.child JOURNAL VERB …``.

Its tool ``erase`` writes a line into the file ERASED beside the journal, and dies while it does so where a file DIE is.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from remit import Agent, App, Ask, Effect, LeafContext, Policy, Principal, Runtime, When, tool
from remit.journal.sql.store import SqlStore
from remit.testing import Scripted, calls, superuser

SCRIPT = [calls(("erase", {"page": "about"})), "done"]


def find_principal(name: str, tenant: str) -> Principal:
    """Everybody may do everything."""
    return superuser(name=name, tenant=tenant)


def application(folder: Path) -> App:
    """The application, whose world is a folder, and whose policy is a rule written on the spot."""

    @tool(effect=Effect.KEYED)
    async def erase(ctx: LeafContext, page: str) -> str:
        """Erase a page."""
        with (folder / "ERASED").open("a", encoding="utf-8") as file:
            file.write(f"{ctx.key} {page}\n")
        if (folder / "DIE").exists():
            os.kill(os.getpid(), signal.SIGKILL)
        return f"erased {page}"

    dangerous = When("dangerous", lambda call: call.callee.name in {"erase", "burn", "drop"}, Ask(reason=str(folder)))
    agent = Agent("agent", instructions="Work.", tools=[erase])
    return App(name="test", agents=(agent,), policy=Policy.only(dangerous))


async def main(journal: Path, verb: str, *words: str) -> dict[str, Any]:
    """Do one thing in this process, and say what came of it."""
    store = SqlStore.at(journal)
    runtime = Runtime(application(journal.parent), store=store, model=Scripted(SCRIPT), directory=find_principal)
    try:
        match verb:
            case "run":
                result = await runtime.run("go", by=superuser())
            case "decide":
                await runtime.decide(words[0], approved=words[1] == "yes", by=superuser(name="bob"))
                return {}
            case _:
                result = await runtime.resume(words[0])
        return {"run": result.run, "status": result.status, "text": result.text, "questions": result.questions}
    finally:
        await store.close()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:]))))
