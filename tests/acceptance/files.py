"""A person's file goes through an agent, a nested agent and a tool, and back.

Run as ``python -m tests.acceptance.files FOLDER`` it sweeps over crashes.

Each child process is killed at another durable write, and the next one continues what it left.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from remit import Agent, App, Effect, LeafContext, Principal, Runtime, SqlStore, tool
from remit.artifacts import Artifact, Artifacts, PromptWithFiles, RunArtifacts
from remit.record.artifact import digest_of
from remit.testing import Scripted, calls, crash_at, superuser
from tests.children import run_in_child

CONTENT: Final = b"0123456789abcdef" * 2**14
BACK: Final = CONTENT[::-1]


def reference(content: bytes, name: str) -> dict[str, Any]:
    """The reference that a model is given and copies."""
    return Artifact(digest=digest_of(content), size=len(content), media_type="text/plain", name=name).model_dump()


SENT: Final = reference(CONTENT, "report.txt")
RETURNED: Final = reference(BACK, "report.txt")
DELEGATE: Final = [
    calls(("archivist", {"prompt": "Archive this.", "files": [SENT]})),
    calls(("final_result", RETURNED)),
]
ARCHIVE: Final = [calls(("upload", {"file": SENT})), calls(("final_result", RETURNED))]


class Drive:
    """A folder in which files are kept once for each key, and a list of all attempts."""

    def __init__(self, folder: Path, artifacts: Artifacts) -> None:
        self._folder = folder
        self._artifacts = artifacts

    async def upload(self, ctx: LeafContext, file: Artifact) -> Artifact:
        """Upload a file, and return what the drive makes of it."""
        content = await self._artifacts.read(file)
        with (self._folder / "attempts").open("a", encoding="utf-8") as attempts:
            attempts.write(f"{ctx.key}\n")
        (self._folder / f"upload-{ctx.key}").write_bytes(content)
        return await self._artifacts.add(content[::-1], name=file.name, media_type=file.media_type)


def application(folder: Path) -> App:
    """The application, whose world is a folder."""
    upload = tool(Drive(folder, RunArtifacts()).upload, effect=Effect.KEYED)
    inner = Agent(
        "archivist",
        instructions="Archive.",
        input=PromptWithFiles,
        output=Artifact,
        tools=[upload],
        model=Scripted(ARCHIVE),
    )
    outer = Agent(
        "secretary",
        instructions="Delegate.",
        input=PromptWithFiles,
        output=Artifact,
        tools=[inner],
        model=Scripted(DELEGATE),
    )
    return App(name="files", agents=[outer, inner], tools=[upload])


def app() -> App:
    """The application at the folder of the environment, for the command line."""
    return application(Path(os.environ["FILES_FOLDER"]))


def find_principal(name: str, tenant: str) -> Principal:
    """Everybody may do everything."""
    return superuser(name=name, tenant=tenant)


async def work(folder: Path, clock: Callable[[], float]) -> dict[str, Any]:
    """Request the work, or continue what was requested, and judge what came of it."""
    store = SqlStore.at(folder / "journal.db", clock)
    runtime = Runtime(application(folder), store=store, directory=find_principal)
    ada = superuser(name="ada")
    file = await runtime.artifacts.add(folder / "report.txt", by=ada)
    result = await runtime.run("Archive this.", by=ada, files=[file], idempotency_key="job")
    back = Artifact.model_validate(result.value())
    content = await runtime.artifacts.read(back, by=ada)
    replayed = (await runtime.replay(result.run)).difference
    items = await store.read(result.run)
    await store.close()
    return {
        "status": result.status,
        "is_back": content == BACK,
        "ends": len([item for item in items if item.item.kind == "tool_output"]),
        "bodies": sum(len(item.body) for item in items),
        "replayed": replayed,
        **judge(folder),
    }


def judge(folder: Path) -> dict[str, Any]:
    """What is on the disk after the work."""
    return {
        "uploads": [path.read_bytes() == CONTENT for path in folder.glob("upload-*")],
        "keys": len(set((folder / "attempts").read_text(encoding="utf-8").split())),
        "contents": _sizes(folder / "journal.db.artifacts"),
        "journal": (folder / "journal.db").stat().st_size,
    }


def _sizes(folder: Path) -> list[int]:
    return sorted(path.stat().st_size for path in folder.rglob("*") if len(path.name) == 62)


def sweep(root: Path) -> dict[str, Any]:
    """Kill a process at each durable write, and let another continue; count what is lost or doubled."""
    outcomes: list[dict[str, Any]] = []
    (root / "report.txt").write_bytes(CONTENT)
    asyncio.run(work(root, time.time))  # loads all modules, so that no child has to
    status = -9
    while status:
        number = len(outcomes) + 1
        folder = root / str(number)
        folder.mkdir()
        (folder / "report.txt").write_bytes(CONTENT)

        def run(folder: Path = folder, number: int = number) -> None:
            with crash_at(number):
                asyncio.run(work(folder, time.time))

        def proceed(folder: Path = folder) -> None:
            done = asyncio.run(work(folder, lambda: time.time() + 1000))
            (folder / "outcome").write_text(json.dumps(done), encoding="utf-8")

        status = run_in_child(run)
        assert status in (0, -9), status
        assert run_in_child(proceed) == 0, number
        outcomes.append(json.loads((folder / "outcome").read_text(encoding="utf-8")))
    return {"killed": len(outcomes) - 1, "outcomes": outcomes}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(sweep(Path(sys.argv[1]))))
