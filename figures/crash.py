"""The crash sweep: a run is killed at every durable write in turn, resumed until it ends, and judged by its effects."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import os
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from figures.crash_world import DONE, PERSON, World
from figures.figure import Figure, none
from remit.contracts.items import ToolOutput
from remit.journal.crashpoint import arm
from remit.journal.sql import SqlStore

MOST_DRIVES = 12


@dataclass(slots=True)
class Verdict:
    """What the judge found over a sweep."""

    points: int = 0
    lost: list[str] = field(default_factory=list[str])
    doubled: list[str] = field(default_factory=list[str])
    differing: list[str] = field(default_factory=list[str])
    asked_about_outcome: int = 0


def sweep(*, nested: bool, every: int = 1, log: bool = False) -> Verdict:
    """Kill at each ``every``-th crash point until a run completes without one."""
    verdict = Verdict()
    wanted = _final(_play(0, nested=nested, verdict=Verdict()))
    for point in itertools.count(1, every):
        home, died = _play(point, nested=nested, verdict=verdict)
        _judge(home, point, wanted, verdict)
        shutil.rmtree(home)
        if not died:
            return verdict
        verdict.points += 1
        if log and verdict.points % 10 == 0:
            print(f"  killed at {verdict.points} points, lost {len(verdict.lost)}, doubled {len(verdict.doubled)}")
    raise AssertionError("itertools.count ends")


def figures(*, short: bool) -> Iterator[Figure]:
    """The figures of the sweep on SQLite, flat and nested."""
    every = 5 if short else 1
    for name, nested in (("sqlite", False), ("nested", True)):
        verdict = sweep(nested=nested, every=every, log=not short)
        how = (
            f"SIGKILL at {verdict.points} crash points (before and after each commit and each effect) in turn, resumed "
            f"until the run ends; {verdict.asked_about_outcome} unknown outcomes were asked about"
        )
        yield none(f"crash.{name}.lost", len(verdict.lost) + len(verdict.differing), verdict.points, how)
        yield none(f"crash.{name}.doubled", len(verdict.doubled), verdict.points, how)


def _play(point: int, *, nested: bool, verdict: Verdict) -> tuple[Path, bool]:
    """One run, killed at ``point`` (0: not at all), driven until it ends."""
    home = Path(tempfile.mkdtemp(prefix="remit-sweep-"))
    died = _drive(home, point, nested=nested) == -signal.SIGKILL
    for _ in range(MOST_DRIVES):
        if asyncio.run(_decide_all(home, nested=nested, verdict=verdict)) == "done":
            return home, died
        code = _drive(home, 0, nested=nested)
        if code != 0:
            raise RuntimeError(f"a drive after the crash at point {point} ended with status {code}")
    raise RuntimeError(f"the run killed at point {point} did not end within {MOST_DRIVES} drives")


def _drive(home: Path, point: int, *, nested: bool) -> int:
    process = multiprocessing.get_context("fork").Process(target=_child, args=(home, point, nested))
    process.start()
    process.join()
    return process.exitcode if process.exitcode is not None else -1


def _child(home: Path, point: int, nested: bool) -> None:  # noqa: FBT001 - the arguments of a process
    seen = itertools.count(1)

    def killer(_name: str) -> None:
        if next(seen) == point:
            os.kill(os.getpid(), signal.SIGKILL)

    asyncio.run(_open(home, nested=nested))
    arm(killer)
    asyncio.run(_go(home, nested=nested))


async def _open(home: Path, *, nested: bool) -> None:
    store = SqlStore.at(home / "journal.db")
    await store.find_run("run")
    await store.close()
    World(home, nested=nested)


async def _go(home: Path, *, nested: bool) -> None:
    store = SqlStore.at(home / "journal.db", clock=_later(home))
    runtime = World(home, nested=nested).runtime(store)
    if await store.find_run("run") is None:
        await runtime.run("go", by=PERSON)
    else:
        runtime.remember(PERSON)
        await runtime.resume("run")
    await store.close()


def _later(home: Path) -> Clock:
    """A clock on which every driver comes after the lease of the one before has ended."""
    count = home / "drives"
    drives = int(count.read_text()) + 1 if count.exists() else 1
    count.write_text(str(drives))
    return Clock(drives * 1000.0)


class Clock:
    """Stands still."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        """The time at which it stands."""
        return self.now


async def _decide_all(home: Path, *, nested: bool, verdict: Verdict) -> str:
    """Answer every open question as a person would who looks at what happened; the status of the run."""
    world = World(home, nested=nested)
    store = SqlStore.at(home / "journal.db", clock=_later(home))
    runtime = world.runtime(store)
    happened = {key for _, key in world.happened()}
    for row in await store.questions():
        question = row.question
        if question.kind == "outcome":
            verdict.asked_about_outcome += 1
            number = question.arguments.split(":")[1].rstrip("}")
            verb = "sent" if question.tool == "send" else "erased"
            await runtime.decide(question.id, approved=question.call in happened, by=PERSON, result=f"{verb} {number}")
        else:
            await runtime.decide(question.id, approved=True, by=PERSON)
    row = await store.find_run("run")
    await store.close()
    return row.status if row else "not begun"


def _final(played: tuple[Path, bool]) -> list[str]:
    texts = asyncio.run(_texts(played[0]))
    shutil.rmtree(played[0])
    return texts


async def _texts(home: Path) -> list[str]:
    store = SqlStore.at(home / "journal.db")
    runtime = World(home, nested=False).runtime(store)
    texts = await runtime.history("run")
    await store.close()
    return texts


def _judge(home: Path, point: int, wanted: list[str], verdict: Verdict) -> None:
    outputs = asyncio.run(_outputs(home))
    for call, count in Counter(output.call for output in outputs).items():
        if count > 1:
            verdict.doubled.append(f"point {point}: call {call} has {count} ends")
    lines = Counter(World(home, nested=False).happened())
    ended = {output.call: output for output in outputs}
    for (name, key), count in lines.items():
        if name in ("send", "erase") and count > 1:
            verdict.doubled.append(f"point {point}: {name} happened {count} times")
        if key not in ended:
            verdict.lost.append(f"point {point}: {name} happened and has no end")
    for output in outputs:
        leaf = output.callee in ("look", "put", "pay", "send", "erase")
        if leaf and output.outcome == "ok" and (output.callee, output.call) not in lines:
            verdict.lost.append(f"point {point}: {output.callee} has an end and did not happen")
    if asyncio.run(_texts(home)) != wanted or outputs[-1].text != DONE:
        verdict.differing.append(f"point {point}: the history is not that of the uninterrupted run")


async def _outputs(home: Path) -> list[ToolOutput]:
    store = SqlStore.at(home / "journal.db")
    items = [position.item for position in await store.read("run")]
    await store.close()
    return [item for item in items if isinstance(item, ToolOutput)]
