"""The audit finds what was changed: every kind of tampering, planted in journal and log, at many positions."""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from figures.audit_plants import JOURNAL, LOGS, TENANT, plants
from figures.figure import Figure, no_violations
from remit import Agent, App, Effect, LeafContext, Principal, Runtime, tool
from remit.audit import Audit, FileAnchor
from remit.audit.append_only_file import read_lines
from remit.audit.log import AuditLog, RunHead
from remit.errors import AuditError
from remit.journal.sql.store import SqlStore
from remit.testing import Scripted, calls

PERSON = Principal("ada", TENANT, permissions=frozenset({"*"}))
RUNS = 4
WRITERS = 8
APPENDS = 10
"""Entries for each run of a writer, where processes only append to a log."""


def figures(*, short: bool) -> Iterator[Figure]:
    """Tampering that nobody noticed, and logs that forked."""
    root = Path(tempfile.mkdtemp(prefix="remit-audit-"))
    asyncio.run(_write_runs(root / "world", RUNS))
    shown, missed = _plant_all(root, every=23 if short else 1)
    how = f"{len(shown)} kinds of tampering, at every position of {RUNS} runs and of their log"
    yield no_violations(
        "audit.undetected", missed.total(), shown.total(), how if not missed else f"missed: {dict(missed)}"
    )
    each = 3 if short else 25
    appends = APPENDS * each
    forks = _race(root / "race" / "world", each) + _race_appends(root / "appends", appends)
    how = (
        f"{WRITERS} processes which run and enter {each} runs each, of one tenant, all at once; and as many which only"
    )
    how += f" append {appends} entries each to one log"
    yield no_violations("audit.forks", forks, WRITERS * (each + appends), how)
    shutil.rmtree(root)


@tool(effect=Effect.KEYED)
async def pay(_ctx: LeafContext, number: int) -> str:
    """Pay."""
    return f"paid {number}"


async def _write_runs(home: Path, runs: int) -> None:
    """Runs of which each is entered and anchored when it ends; one body is erased, as the law may ask."""
    script = [calls(("pay", {"number": 1}), ("pay", {"number": 2})), calls(("pay", {"number": 3})), "done"]
    agent = Agent("agent", instructions="Pay.", tools=[pay])
    store = SqlStore.at(home / JOURNAL)
    runtime = Runtime(App(name="audited", agents=(agent,)), store=store, model=Scripted(script))
    for _ in range(runs):
        result = await runtime.run("go", by=PERSON)
        await store.erase(result.run, [3])
        await _audit(home, store).seal(TENANT, result.run)
    await store.close()


def _audit(home: Path, store: SqlStore) -> Audit:
    return Audit(store, logs=home / LOGS, anchor=FileAnchor(home.parent / "anchor"))


def _plant_all(root: Path, *, every: int) -> tuple[Counter[str], Counter[str]]:
    """How often each kind was planted, and not found; what is found where nothing was done counts too."""
    planted, missed = Counter({"nothing": 1}), Counter[str]()
    if asyncio.run(_is_detected(root / "world")):
        missed["nothing"] += 1
    case = root / "case"
    for number, plant in enumerate(plants(root / "world")):
        if number % every == 0:
            shutil.copytree(root / "world", case)
            plant.tamper(case)
            planted[plant.kind] += 1
            missed[plant.kind] += not asyncio.run(_is_detected(case))
            shutil.rmtree(case)
    return planted, +missed


async def _is_detected(home: Path) -> bool:
    """Whether the audit finds something, and still does after somebody has sealed over it."""
    store = SqlStore.at(home / JOURNAL)
    before = await _audit(home, store).verify(TENANT)
    anchored = (home.parent / "anchor").read_bytes()
    with contextlib.suppress(AuditError):
        await _audit(home, store).seal(TENANT)
    after = await _audit(home, store).verify(TENANT)
    (home.parent / "anchor").write_bytes(anchored)
    await store.close()
    return not before.is_intact and not after.is_intact


def _race(home: Path, each: int) -> int:
    """Entries that two processes wrote after the same one, heads that are not on the log, runs that it lacks."""
    asyncio.run(_write_runs(home, 1))
    failed = _run_writers(_writer, home, each)
    lines = read_lines(AuditLog(home / LOGS, TENANT).path)
    numbers = Counter(json.loads(line)["number"] for line in lines)
    forked = sum(count - 1 for count in numbers.values()) + failed
    entered = {json.loads(line)["run"] for line in lines}
    return forked + (WRITERS * each + 1 - len(entered)) + len(asyncio.run(_find_faults(home)))


def _race_appends(logs: Path, each: int) -> int:
    """Entries that are missing or do not follow from those before, where processes do nothing but append to a log."""
    if _run_writers(_append, logs, each):
        raise RuntimeError("a process that only appends to a log failed")
    contents = AuditLog(logs, TENANT).read()
    return WRITERS * each - len(contents.entries)


def _run_writers(work: Callable[[Path, int], None], folder: Path, each: int) -> int:
    """Run so many processes at once; how many of them failed."""
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=work, args=(folder, each)) for _ in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    return sum(writer.exitcode != 0 for writer in writers)


def _writer(home: Path, each: int) -> None:
    asyncio.run(_write_runs(home, each))


def _append(logs: Path, each: int) -> None:
    for number in range(each):
        AuditLog(logs, TENANT).append_heads([RunHead(f"{os.getpid()}-{number}", 0, "")], 0.0)


async def _find_faults(home: Path) -> list[str]:
    store = SqlStore.at(home / JOURNAL)
    report = await _audit(home, store).verify(TENANT)
    await store.close()
    return [found.what for found in report.faults]
