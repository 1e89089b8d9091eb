"""A run is nobody's but the journal's: one process begins it, another decides, a third finishes what a fourth began."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from remit import Runtime
from remit.journal.sql.store import SqlStore
from remit.testing import Scripted, superuser
from tests.runtime.child import SCRIPT, application, find_principal

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
LEASE = 60.0


async def child(journal: Path, *words: str) -> dict[str, Any]:
    """What another process says."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.runtime.child", str(journal), *words, stdout=subprocess.PIPE, cwd=ROOT
    )
    said, _ = await process.communicate()
    return {"died": process.returncode} if process.returncode else json.loads(said)


def erased(journal: Path) -> list[str]:
    path = journal.parent / "ERASED"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


async def test_a_run_is_begun_decided_and_finished_by_three_processes(journal: Path) -> None:
    store = SqlStore.at(journal)
    runtime = Runtime(application(journal.parent), store=store, model=Scripted(SCRIPT), directory=find_principal)
    waiting = await runtime.run("go", by=superuser())
    assert waiting.status == "waiting"
    await child(journal, "decide", waiting.questions[0], "yes")
    assert erased(journal) == []
    finished = await child(journal, "resume", waiting.run)
    assert (finished["status"], finished["text"]) == ("done", "done")
    assert len(erased(journal)) == 1
    assert (await runtime.resume(waiting.run)).value() == "done", "the first process sees what the others did"
    assert (await runtime.replay(waiting.run)).is_identical
    await store.close()


async def test_what_another_process_began_is_decided_and_finished_here(journal: Path) -> None:
    waiting = await child(journal, "run")
    assert waiting["status"] == "waiting"
    store = SqlStore.at(journal)
    runtime = Runtime(application(journal.parent), store=store, model=Scripted(SCRIPT), directory=find_principal)
    await runtime.decide(waiting["questions"][0], approved=False, by=superuser(), reason="no")
    assert (await runtime.resume(waiting["run"])).value() == "done"
    assert erased(journal) == []
    await store.close()


async def test_what_a_killed_process_had_under_way_is_done_again_with_the_same_key(journal: Path) -> None:
    store = SqlStore.at(journal, lambda: time.time() + LEASE)
    runtime = Runtime(application(journal.parent), store=store, model=Scripted(SCRIPT), directory=find_principal)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=superuser())
    die = journal.parent / "DIE"
    die.touch()
    assert await child(journal, "resume", waiting.run) == {"died": -signal.SIGKILL}
    die.unlink()
    assert len(erased(journal)) == 1
    assert (await runtime.resume(waiting.run)).value() == "done"
    first, second = erased(journal)
    assert first == second, "a key is what the tool knows it by"
    assert (await runtime.replay(waiting.run)).is_identical
    await store.close()
