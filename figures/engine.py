"""Worker processes on Postgres and DBOS, killed at random moments under load: every run ends, nothing happens twice.

Measured with a reliable model, and with one that fails one request in five.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.synchronize import Event
from pathlib import Path

from figures.engine_cms import CMS, EDITOR, WRITES, LingeringDatabase, cms_runtime, create_shared_page, judge_site
from figures.engine_repeated import measure_repetitions
from figures.engine_world import (
    APPLICATION,
    FILING,
    LEAF_CALLS,
    LEAVES,
    PERSON,
    UNSAFE,
    expected_result,
    find_filing_errors,
    read_effects,
    runtime_of,
    submit_filing,
)
from figures.figure import Figure, no_violations
from figures.mutants.mutant import Edit, edited, planted_edits, together
from remit import Runtime
from remit.adapters.dbos import DbosEngine
from remit.journal.index import UNFINISHED_STATUSES
from remit.journal.sql.key_file import KEY_VARIABLE
from remit.journal.sql.store import SqlStore
from remit.record.items import ModelExchange, ModelFailure, RunStalled, ToolOutput
from tests.postgres import serving

EXECUTORS = 2
CONCURRENCY = 8
LEASE = 5.0
"""Seconds after which the runs of a process that was killed can be driven on."""

KILL_DELAY = (0.05, 2.0)
"""Seconds at least and at most for which a worker process drives runs before it is killed."""

ASKING_INTERVAL = 5
"""Every so manieth run asks a person."""

FILING_INTERVAL = 3
"""Every so manieth of the others has a target, files, and a typed result."""

FAILURE_RATE = 0.2
"""The part of the requests that an unreliable model fails."""

MAX_WAIT = 120.0
"""Seconds without the end of any run, once no process is killed any more, after which the others are lost."""

MIN_KILLS = 4

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["figures.engine"])


@dataclass(slots=True)
class Verdict:
    """What the judge found over all runs."""

    kills: int = 0
    asked: int = 0
    outcomes: int = 0
    stalls: int = 0
    failures: int = 0
    lost: list[str] = field(default_factory=list[str])
    doubled: list[str] = field(default_factory=list[str])


def figures(*, short: bool) -> Iterator[Figure]:
    """The figures of the kill test."""
    chosen_kills = tuple(measure_repetitions())  # first, because it forks: threads of the others may hold locks then
    runs, seconds = (12, 3.0) if short else (500, 60.0)
    yield from measure_kills(runs, seconds)
    yield from measure_outages(runs, seconds)
    sites = measure_cms(*((runs, seconds) if short else (100, 20.0)))  # a run of the CMS costs five times as much
    for site, chosen in zip(sites, chosen_kills, strict=True):
        wrong = int(site.value + chosen.value)
        yield no_violations(site.name, wrong, site.n + chosen.n, f"{site.how}; {chosen.how}")


def measure_kills(runs: int, seconds: float, max_wait: float = MAX_WAIT) -> Iterator[Figure]:
    """The figures of so many runs, in processes that are killed for so many seconds."""
    yield from _measure_figures("engine.kill", runs, seconds, max_wait)


def measure_outages(runs: int, seconds: float, max_wait: float = MAX_WAIT) -> Iterator[Figure]:
    """The same figures with an unreliable model. Without a failure of it they would say nothing."""
    yield from _measure_figures("engine.outage", runs, seconds, max_wait, FAILURE_RATE)


def measure_cms(runs: int, seconds: float, max_wait: float = MAX_WAIT) -> Iterator[Figure]:
    """The figures of writes to the CMS, by processes with homes of their own and data in the journal's Postgres."""
    yield from _measure_figures("engine.cms", runs, seconds, max_wait, application=CMS)


def _measure_figures(
    name: str,
    runs: int,
    seconds: float,
    max_wait: float,
    failure_rate: float = 0.0,
    application: str = APPLICATION,
) -> Iterator[Figure]:
    home = Path(tempfile.mkdtemp(prefix="remit-engine-"))
    with serving() as postgres:
        place = Place(home, postgres.url(postgres.make()), os.environ[KEY_VARIABLE], failure_rate, application)
        verdict = asyncio.run(_measure(place, runs, seconds, max_wait))
    shutil.rmtree(home)
    how = (
        f"{EXECUTORS} worker processes on Postgres and DBOS, {CONCURRENCY} runs at once in each; "
        f"SIGKILL at {verdict.kills} "
        f"random moments within {seconds:.0f} s in which {runs} runs are opened, each of keyed and unsafe calls; "
        f"{verdict.asked} approvals and {verdict.outcomes} unknown outcomes decided in a third process; judged by a "
        "file opened O_APPEND; some runs have a target, files and a typed result, which is judged too"
    )
    if failure_rate:
        how += (
            f"; the model fails {failure_rate:.0%} of its requests (429, 503): {verdict.failures} "
            f"failures, by which runs stalled {verdict.stalls} times"
        )
    if application == CMS:
        how = (
            f"{EXECUTORS} worker processes with homes of their own, the CMS and the journal in one Postgres, DBOS, "
            f"{CONCURRENCY} runs at once in each; SIGKILL at {verdict.kills} random moments within {seconds:.0f} s in "
            f"which {runs} runs are opened, each of {WRITES} writes to a page of its own and to one that all share; "
            "judged by the revisions of the pages"
        )
    count = runs if verdict.failures or not failure_rate else 0
    yield no_violations(f"{name}.lost", len(verdict.lost), count, how)
    yield no_violations(f"{name}.doubled", len(verdict.doubled), count, how)


@dataclass(frozen=True, slots=True)
class Place:
    """Where the runs of one measurement are, the key of their journal, their model's reliability, the application."""

    home: Path
    url: str
    key: str
    failure_rate: float
    application: str

    def runtime(self, store: SqlStore) -> Runtime:
        """The runtime of one process."""
        if self.application == CMS:
            return cms_runtime(self.home, LingeringDatabase(self.url), store, LEASE)
        return runtime_of(self.home, store, LEASE, self.failure_rate)


def _engine(place: Place, store: SqlStore, runtime: Runtime) -> DbosEngine:
    return DbosEngine(
        place.url,
        store,
        runtime.resume,
        applications=[place.application],
        concurrency=CONCURRENCY,
        poll_seconds=0.1,
        sweep_seconds=0.5,
        check_seconds=5.0,
        local_data=True,  # all processes run here, and this one may hold databases of figures before
        on_error=_print_error,
    )


def _print_error(run: str, error: BaseException) -> None:
    print(f"  run {run}: {type(error).__name__}: {error}", flush=True)


class ExecutorProcess:
    """One worker process."""

    def __init__(self, place: Place) -> None:
        self._is_ready = _CONTEXT.Event()
        self.process = _CONTEXT.Process(
            target=_executor_main, args=(place, self._is_ready, planted_edits()), daemon=True
        )
        self.process.start()

    async def wait_until_ready(self) -> None:
        """Return when it has begun to drive runs: one that is killed before proves nothing."""
        while not self._is_ready.is_set():
            if not self.process.is_alive():
                raise RuntimeError(f"a worker process ended by itself, with status {self.process.exitcode}")
            await asyncio.sleep(0.02)

    def kill(self) -> None:
        """SIGKILL."""
        self.process.kill()
        self.process.join()


def _executor_main(place: Place, is_ready: Event, edits: Sequence[Edit]) -> None:
    os.environ[KEY_VARIABLE] = place.key  # the fork server has that of the first measurement
    with together(*(edited(*each) for each in edits))():
        asyncio.run(_run_executor(place, is_ready))


async def _run_executor(place: Place, is_ready: Event) -> None:
    store = SqlStore(place.url)
    async with _engine(place, store, place.runtime(store)):
        is_ready.set()
        await asyncio.Event().wait()


async def _measure(place: Place, runs: int, seconds: float, max_wait: float) -> Verdict:
    verdict = Verdict()
    store = SqlStore(place.url)
    runtime = place.runtime(store)
    engine = _engine(place, store, runtime)
    if place.application == CMS:
        await create_shared_page(place.url)
    await engine.start(await _submit_run(place, runtime, 1))
    workers = [ExecutorProcess(place) for _ in range(EXECUTORS)]
    try:
        for worker in workers:
            await worker.wait_until_ready()
        deciding = asyncio.create_task(_decide(place.home, runtime, engine, verdict))
        opening = asyncio.create_task(_submit_runs(place, runtime, engine, runs - 1, seconds))
        await _kill_executors(place, workers, seconds, verdict)
        await opening
        await _until_ended(place, store, runs, max_wait)
        if deciding.done():
            await deciding  # which raises: it ends only by an error
        deciding.cancel()
    finally:
        for worker in workers:
            worker.kill()
    if place.application == CMS:
        verdict.lost, verdict.doubled = await judge_site(place.url, store)
    else:
        await _judge(place, store, verdict)
    for line in (*verdict.lost[:5], *verdict.doubled[:5]):
        print(f"  {line}", flush=True)
    await engine.close()
    await store.close()
    return verdict


async def _submit_runs(place: Place, runtime: Runtime, engine: DbosEngine, runs: int, seconds: float) -> None:
    """Open runs, evenly over half of the time in which processes are killed."""
    started = time.monotonic()
    for number in range(runs):
        await asyncio.sleep(started + seconds * number / runs / 2 - time.monotonic())
        await engine.start(await _submit_run(place, runtime, number))


async def _submit_run(place: Place, runtime: Runtime, number: int) -> str:
    if place.application == CMS:
        return await runtime.submit("go", by=EDITOR)
    if number % ASKING_INTERVAL and number % FILING_INTERVAL == 1:
        return await submit_filing(runtime)
    return await runtime.submit("go", by=PERSON, agent="plain" if number % ASKING_INTERVAL else "asking")


async def _kill_executors(place: Place, workers: list[ExecutorProcess], seconds: float, verdict: Verdict) -> None:
    """Kill one worker process after another, and begin another in its place; a few also where all start slowly."""
    dice, until = random.Random(7), time.monotonic() + seconds
    while time.monotonic() < until or verdict.kills < MIN_KILLS:
        number = dice.randrange(len(workers))
        await workers[number].wait_until_ready()
        await asyncio.sleep(dice.uniform(*KILL_DELAY))
        workers[number].kill()
        workers[number] = ExecutorProcess(place)
        verdict.kills += 1


async def _decide(home: Path, runtime: Runtime, engine: DbosEngine, verdict: Verdict) -> None:
    """Answer open questions as a person would who looks at what happened, and have their runs woken."""
    while True:
        for row in await runtime.store.list_questions():
            question = row.question
            if question.kind == "outcome":
                verdict.outcomes += 1
                approved = (question.tool, question.call) in read_effects(home)
                result = expected_result(question.tool, question.arguments) if approved else ""
                await runtime.decide(question.id, approved=approved, by=PERSON, result=result)
            else:
                verdict.asked += 1
                await runtime.decide(question.id, approved=True, by=PERSON)
            await engine.wake(question.run)
        await asyncio.sleep(0.2)


async def _until_ended(place: Place, store: SqlStore, runs: int, max_wait: float) -> None:
    """Wait until all runs have ended, or none has for ``max_wait`` seconds, however long a slow machine takes."""
    ended, until = 0, time.monotonic() + max_wait
    while ended < runs and time.monotonic() < until:
        rows = await store.list_runs(application=place.application, limit=runs)
        count = sum(row.status not in UNFINISHED_STATUSES for row in rows)
        if count > ended:
            ended, until = count, time.monotonic() + max_wait
        await asyncio.sleep(0.5)


async def _judge(place: Place, store: SqlStore, verdict: Verdict) -> None:
    """A run that has not ended is lost, and so is an effect without an end, or an end without its effect."""
    lines = Counter(read_effects(place.home))
    ended = set[tuple[str, str]]()
    for row in await store.list_runs(application=APPLICATION, limit=10_000):
        if row.status != "done":
            verdict.lost.append(f"run {row.run} is {row.status}")
        items = [position.item for position in await store.read(row.run)]
        verdict.stalls += sum(isinstance(item, RunStalled) for item in items)
        verdict.failures += sum(isinstance(item, (ModelExchange, ModelFailure)) for item in items)
        outputs = [item for item in items if isinstance(item, ToolOutput)]
        if row.callee == FILING:
            verdict.lost += await find_filing_errors(place.runtime(store), row, outputs)
        for call, count in Counter(output.call for output in outputs).items():
            if count > 1:
                verdict.doubled.append(f"run {row.run}: call {call} has {count} ends")
        made = sum(output.callee in LEAVES for output in outputs)
        if made != LEAF_CALLS:
            verdict.lost.append(f"run {row.run} made {made} calls of {LEAF_CALLS}")
        for output in outputs:
            effect = (output.callee, output.call)
            ended.add(effect)
            if output.callee in LEAVES and (output.outcome != "ok" or effect not in lines):
                verdict.lost.append(
                    f"run {row.run}: {output.callee} ended {output.outcome}, happened {lines[effect]} times"
                )
    for effect, count in lines.items():
        if effect[0] in UNSAFE and count > 1:
            verdict.doubled.append(f"{effect} happened {count} times")
        if effect not in ended:
            verdict.lost.append(f"{effect} happened and has no end")
