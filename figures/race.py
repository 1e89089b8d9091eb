"""Many resumers of one waiting run, in many processes at once: one drives it, and nobody meets a lock error."""

from __future__ import annotations

import asyncio
import multiprocessing
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from multiprocessing.queues import SimpleQueue
from pathlib import Path

from figures.crash_world import PERSON, World
from figures.figure import Figure, no_violations
from remit.errors import LeaseError, RemitError
from remit.journal.sql.store import SqlStore

PROCESSES = 8


def figures(*, short: bool) -> Iterator[Figure]:
    """Effects beyond one, and errors other than that somebody else drives."""
    each = 10 if short else 125
    home = Path(tempfile.mkdtemp(prefix="remit-race-"))
    asyncio.run(_create_waiting_run(home))
    outcomes = _race(home, each)
    happened = Counter(World(home, "flat").read_effects())
    shutil.rmtree(home)
    ran = sum(count for (name, _), count in happened.items() if name == "erase")
    how = f"{PROCESSES} processes of {each} resumers of one approved run on one SQLite file: {dict(outcomes)}"
    beyond = sum(count - 1 for count in happened.values())
    missing = not any(name == "erase" for name, _ in happened)
    yield no_violations("resume.race.doubled", beyond + missing, PROCESSES * each, how)
    yield Figure(
        name="approval.race.executions",
        value=ran,
        unit="executions",
        target="1",
        holds=ran == 1,
        n=PROCESSES * each,
        how=f"{how}; executions of the call that the one approved question is about",
    )
    errors = sum(count for name, count in outcomes.items() if name not in ("done", "somebody else drives"))
    yield no_violations("resume.race.errors", errors, PROCESSES * each, how)


async def _create_waiting_run(home: Path) -> None:
    store = SqlStore.at(home / "journal.db")
    runtime = World(home, "flat").runtime(store)
    result = await runtime.run("go", by=PERSON)
    for question in result.questions:
        await runtime.decide(question, approved=True, by=PERSON)
    await store.close()


def _race(home: Path, each: int) -> Counter[str]:
    context = multiprocessing.get_context("fork")
    answers: SimpleQueue[list[str]] = context.SimpleQueue()
    racers = [context.Process(target=_racer, args=(home, each, answers)) for _ in range(PROCESSES)]
    for racer in racers:
        racer.start()
    outcomes: Counter[str] = Counter()
    for _ in racers:
        outcomes.update(answers.get())
    for racer in racers:
        racer.join()
    return outcomes


def _racer(home: Path, each: int, answers: SimpleQueue[list[str]]) -> None:
    answers.put(asyncio.run(_resume_all(home, each)))


async def _resume_all(home: Path, each: int) -> list[str]:
    store = SqlStore.at(home / "journal.db")
    runtime = World(home, "flat").runtime(store)
    runtime.add_principals(PERSON)

    async def one() -> str:
        try:
            return (await runtime.resume("run")).status
        except LeaseError:
            return "somebody else drives"
        except RemitError as error:
            return f"{error.code}: {error.message}"

    outcomes = await asyncio.gather(*(one() for _ in range(each)))
    await store.close()
    return outcomes
