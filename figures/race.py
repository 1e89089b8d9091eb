"""Many processes at once resume one waiting run, and use one approval: one executes the run, and one call runs."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import random
import shutil
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier
from pathlib import Path

from figures.crash_world import World
from figures.figure import Figure, no_violations
from remit import App, Effect, Principal, Risk, Runtime, tool
from remit.errors import LeaseError, RemitError
from remit.journal.ports import AppendFuture
from remit.journal.sql.store import SqlStore
from remit.record.arguments import Limits, parse_arguments
from remit.record.items import Position
from remit.record.ledger import Consumption

PROCESSES = 8
PERSON = Principal("judge", permissions=frozenset({"*"}))


def figures(*, short: bool) -> Iterator[Figure]:
    """Effects beyond one, errors other than that another process executes the run, and uses of one approval."""
    yield from measure_resumes(1 if short else 5, each=10 if short else 25)
    yield _measure_approval(10 if short else 125)


def measure_resumes(rounds: int, *, each: int) -> Iterator[Figure]:
    """The figures of so many waiting runs, which ``each`` resumers in every process resume at once."""
    outcomes, beyond = Counter[str](), 0
    for _ in range(rounds):
        home = Path(tempfile.mkdtemp(prefix="remit-race-"))
        asyncio.run(_create_waiting_run(home))
        outcomes += _race(_resume_all, home, each)
        beyond += _count_wrong_effects(home)
    overlap = next(measure_overlap())
    beyond += int(overlap.value)
    resumers = rounds * PROCESSES * each
    how = f"{rounds} times {PROCESSES} processes of {each} resumers of one approved run on one SQLite file: "
    how += str(dict(outcomes))
    yield no_violations("resume.race.doubled", beyond, resumers + overlap.n, f"{how}; {overlap.how}")
    locking = next(measure_locking())
    errors = sum(count for name, count in outcomes.items() if name not in ("done", "held by another executor"))
    yield no_violations(
        "resume.race.errors", errors + int(locking.value), resumers + locking.n, f"{how}; {locking.how}"
    )


def measure_overlap() -> Iterator[Figure]:
    """The same without chance: one executor resumes the run before and while another makes its call, and one after."""
    home = Path(tempfile.mkdtemp(prefix="remit-race-"))
    asyncio.run(_create_waiting_run(home))
    outcomes = Counter(asyncio.run(_resume_in_between(home)))
    how = f"one approved run, resumed before its call starts, while it runs and after its end: {dict(outcomes)}"
    yield no_violations("resume.race.doubled", _count_wrong_effects(home), outcomes.total(), how)


def measure_locking() -> Iterator[Figure]:
    """The same without chance: another process writes between what an executor reads and what it writes, if it can.

    If it never comes there, and is not refused, the case is not measured any more, which is an error too.
    """
    home = Path(tempfile.mkdtemp(prefix="remit-race-"))
    asyncio.run(_create_waiting_run(home))
    rival = _RivalClock(home)
    (outcome,) = asyncio.run(_resume_all(home, 1, SqlStore.at(home / "journal.db", rival)))
    shutil.rmtree(home)
    errors = int(outcome != "done" or not rival.refusals)
    how = f"one approved run, resumed while another writer is refused {rival.refusals} times: {outcome}"
    yield no_violations("resume.race.errors", errors, 1, how)


def _count_wrong_effects(home: Path) -> int:
    """Effects beyond one of each call, and the approved call if it did not run. Removes the folder."""
    happened = Counter(World(home, "flat").read_effects())
    shutil.rmtree(home)
    return sum(happened.values()) - len(happened) + (not any(line.name == "erase" for line in happened))


class _RivalClock:
    """Writes to the journal each time that it is asked for the time, and gives up at once if the file is locked.

    An executor that acquires a lease asks for the time when it has read the lease, and before it writes a new one.
    """

    def __init__(self, home: Path) -> None:
        self.refusals = 0
        self._path = home / "journal.db"

    def __call__(self) -> float:
        with closing(sqlite3.connect(self._path, timeout=0, isolation_level=None)) as connection:
            try:
                connection.execute("UPDATE remit_runs SET wake = wake")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                    raise
                self.refusals += 1
        return time.time()


class _Interruption:
    """Another executor that resumes the run while the first one waits: it has all the time that it needs."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.outcomes: list[str] = []

    def __call__(self) -> None:
        with ThreadPoolExecutor(1) as other:
            self.outcomes += other.submit(asyncio.run, _resume_all(self.home, 1)).result()


class _InterruptedStore(SqlStore):
    """Interrupts just before the start of the approved call is stored."""

    def __init__(self, interrupt: _Interruption) -> None:
        super().__init__(f"sqlite:///{interrupt.home / 'journal.db'}")
        self._interrupt = interrupt

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        if consumption is not None:
            self._interrupt()
        return super().append(run, epoch, items, consumption)


class _InterruptedWorld(World):
    """Interrupts just before the approved call takes effect."""

    def __init__(self, interrupt: _Interruption) -> None:
        super().__init__(interrupt.home, "flat")
        self._interrupt = interrupt

    def append(self, name: str, key: str, target: str, digest: str = "") -> None:
        if name == "erase":
            self._interrupt()
        super().append(name, key, target, digest)


async def _resume_in_between(home: Path) -> list[str]:
    interruption = _Interruption(home)
    outcomes = await _resume_all(home, 1, _InterruptedStore(interruption), _InterruptedWorld(interruption))
    return [*interruption.outcomes, *outcomes, *await _resume_all(home, 1)]


def _measure_approval(each: int) -> Figure:
    home = Path(tempfile.mkdtemp(prefix="remit-race-"))
    asyncio.run(_approve_waiting_calls(home, each))
    outcomes = _race(_resume_waiting, home, each)
    ran = len(World(home, "flat").read_effects())
    shutil.rmtree(home)
    how = f"{PROCESSES} processes resume each of {each} calls of one conversation that wait for one answer: "
    return Figure(
        name="approval.race.executions",
        value=ran,
        unit="executions",
        target="1",
        holds=ran == 1,
        n=PROCESSES * each,
        how=how + str(dict(outcomes)),
    )


async def _create_waiting_run(home: Path) -> None:
    store = SqlStore.at(home / "journal.db")
    world = World(home, "flat")
    runtime = world.runtime(store)
    result = await world.start(runtime)
    for question in result.questions:
        await runtime.decide(question, approved=True, by=PERSON)
    await store.close()


async def _approve_waiting_calls(home: Path, count: int) -> None:
    """Leave as many calls of one conversation that wait for one question, which is approved."""
    store = SqlStore.at(home / "journal.db")
    runtime = _announcing_runtime(home, store)
    await _call(runtime, confirmed=False)
    for _ in range(count):
        await _call(runtime, confirmed=True)
    for row in await store.list_questions():
        await runtime.decide(row.question.id, approved=True, by=PERSON)
    await store.close()


def _announcing_runtime(home: Path, store: SqlStore) -> Runtime:
    world = World(home, "flat")

    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH, confirm="confirmed")
    async def burn(*, confirmed: bool = False) -> str:
        """Burn something, after a person has agreed."""
        if confirmed:
            world.append("burn", "once", "")
        return "burned" if confirmed else "announced"

    runtime = Runtime(App(name="race", tools=(burn,)), store=store)
    runtime.add_principals(PERSON)
    return runtime


async def _call(runtime: Runtime, *, confirmed: bool) -> str:
    arguments = parse_arguments(json.dumps({"confirmed": confirmed}), Limits())
    try:
        return (await runtime.call_by_name("burn", arguments, by=PERSON, conversation="race")).status
    except RemitError as error:
        return error.code


async def _resume_waiting(home: Path, each: int) -> list[str]:
    """Resume each of the calls that wait, in an order of this process."""
    store = SqlStore.at(home / "journal.db")
    runtime = _announcing_runtime(home, store)
    rows = await store.list_runs(status="waiting", limit=each)
    outcomes = await asyncio.gather(*(_resume(runtime, row.run) for row in random.sample(rows, len(rows))))
    await store.close()
    return outcomes


async def _resume(runtime: Runtime, run: str) -> str:
    try:
        return (await runtime.resume(run)).status
    except RemitError as error:
        return error.code


Racer = Callable[[Path, int], Coroutine[None, None, list[str]]]


def _race(each_does: Racer, home: Path, each: int) -> Counter[str]:
    context = multiprocessing.get_context("fork")
    answers: SimpleQueue[list[str] | str] = context.SimpleQueue()
    start = context.Barrier(PROCESSES)
    racers = [
        context.Process(target=_run_racer, args=(each_does, home, each, start, answers)) for _ in range(PROCESSES)
    ]
    for racer in racers:
        racer.start()
    found = [answers.get() for _ in racers]
    for racer in racers:
        racer.join()
    if failures := [each for each in found if isinstance(each, str)]:
        raise RuntimeError(f"a process failed: {failures[0]}")
    return Counter(outcome for each in found for outcome in each)


def _run_racer(each_does: Racer, home: Path, each: int, start: Barrier, answers: SimpleQueue[list[str] | str]) -> None:
    start.wait()
    try:
        answers.put(asyncio.run(each_does(home, each)))
    except Exception as error:  # noqa: BLE001 - whatever it is, the figure waits for an answer
        answers.put(f"{type(error).__name__}: {error}")


async def _resume_all(home: Path, each: int, store: SqlStore | None = None, world: World | None = None) -> list[str]:
    store = store or SqlStore.at(home / "journal.db")
    runtime = (world or World(home, "flat")).runtime(store)
    runtime.add_principals(PERSON)

    async def one() -> str:
        try:
            return (await runtime.resume("run")).status
        except LeaseError:
            return "held by another executor"
        except RemitError as error:
            return f"{error.code}: {error.message}"

    outcomes = await asyncio.gather(*(one() for _ in range(each)))
    await store.close()
    return outcomes
