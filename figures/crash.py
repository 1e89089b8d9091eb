"""The crash sweep: a run is killed at every durable write in turn, resumed until it ends, and judged by its effects."""

from __future__ import annotations

import asyncio
import atexit
import itertools
import multiprocessing
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeVar

from figures.alone import run_alone
from figures.crash_world import (
    CORRECTION,
    DONE,
    LEAVES,
    PERSON,
    TARGET,
    Script,
    World,
    kept_contents,
    reference,
)
from figures.figure import Figure, no_violations
from figures.followed import execute_followed
from remit import Runtime
from remit.artifacts import Artifact
from remit.errors import RemitError
from remit.journal.sql.store import SqlStore
from remit.record.artifact import digest_of
from remit.record.items import ToolOutput
from remit.testing import crash_at
from tests.postgres import serving

T = TypeVar("T")

MAX_EXECUTIONS = 12

Kind = Literal["lost", "doubled", ""]
"""What a sweep may end at."""


class Kill(NamedTuple):
    """The crash point of this number at which a process is killed, among those of this name, if one is given.

    0 is none. Which number a moment has may differ from run to run, since calls run side by side; its name does not.
    """

    number: int
    name: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.number}" if self.name else f"point {self.number}"


NO_KILL: Final = Kill(0)

JournalUrl = Callable[[Path], str]
"""The URL of the new journal of the world in this folder."""


def in_file(home: Path) -> str:
    """A journal in SQLite, beside its world."""
    shutil.copytree(_empty_journal(), home, dirs_exist_ok=True)
    return _sqlite_url(home)


@cache
def _empty_journal() -> Path:
    """The folder of a journal in which a run has left something to remember, made once."""
    home = Path(tempfile.mkdtemp(prefix="remit-sweep-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    _run_alone(lambda: _create_journal(_sqlite_url(home)))
    return home


def _sqlite_url(home: Path) -> str:
    return f"sqlite:///{home / 'journal.db'}"


async def _create_journal(url: str) -> None:
    store = SqlStore(url, clock=Clock(1.0))
    await World(Path(), "flat").scout(store)
    await store.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class SweptRun:
    """One run: the folder of its world, its journal, and how its calls are nested."""

    home: Path
    url: str
    script: Script

    def store(self) -> SqlStore:
        """Its journal, to be read."""
        return SqlStore(self.url)

    def next_store(self) -> SqlStore:
        """Its journal for a driver that comes after the lease of the one before has ended."""
        count = self.home / "drives"
        executions = int(count.read_text()) + 1 if count.exists() else 1
        count.write_text(str(executions))
        return SqlStore(self.url, clock=Clock(executions * 1000.0))

    def world(self) -> World:
        """The world, as it stands."""
        return World(self.home, self.script)


@dataclass(slots=True)
class Verdict:
    """What the judge found over a sweep."""

    points: int = 0
    lost: list[str] = field(default_factory=list[str])
    doubled: list[str] = field(default_factory=list[str])
    differing: list[str] = field(default_factory=list[str])
    asked_about_outcome: int = 0
    stalls: int = 0

    @property
    def is_wrong(self) -> bool:
        """Whether anything was lost, doubled, or is another than in the uninterrupted run."""
        return bool(self.lost or self.doubled or self.differing)


def sweep(
    script: Script, points: Iterable[Kill], *, until: Kind = "", log: bool = False, journals: JournalUrl = in_file
) -> Verdict:
    """Kill at each of the crash points, until a run completes before it, or something is lost or doubled."""
    verdict = Verdict()
    expected = _history_of_uninterrupted(_execute_until_done(NO_KILL, _new(journals, script), Verdict())[0])
    for point in points:
        play, died = _execute_until_done(point, _new(journals, script), verdict)
        _judge(play, point, expected, verdict)
        shutil.rmtree(play.home)
        verdict.points += died or verdict.is_wrong  # a run may be wrong without being killed
        if not died:
            return verdict
        if (until == "lost" and (verdict.lost or verdict.differing)) or (until == "doubled" and verdict.doubled):
            return verdict
        if log and verdict.points % 10 == 0:
            print(f"  killed at {verdict.points} points, lost {len(verdict.lost)}, doubled {len(verdict.doubled)}")
    return verdict


def figures(*, short: bool) -> Iterator[Figure]:
    """The figures of the sweep on SQLite and Postgres: calls are flat, nested, or of nested workers; runs may stall."""
    points = _SAMPLE if short else None
    yield from measure_sweep("sqlite", "flat", points=points)
    yield from measure_sweep("nested", "nested", points=points)
    yield from measure_sweep("workers", "workers", points=points)
    yield from measure_sweep("stalled", "stalled", points=points)
    yield from measure_postgres(*_ON_POSTGRES if not short else ("postgres",), points=points)


_SAMPLE: Final = (Kill(8), Kill(19), Kill(28))
"""Early, in the middle and late in each run."""


_ON_POSTGRES: Final[dict[str, Script]] = {"postgres": "flat", "postgres_stalled": "stalled"}


def measure_postgres(*names: str, points: Iterable[Kill] | None, until: Kind = "") -> Iterator[Figure]:
    """The figures of sweeps on a Postgres server of their own."""
    with serving() as postgres:
        empty = postgres.make()
        _run_alone(lambda: _create_journal(postgres.url(empty)))
        for name in names:
            script = _ON_POSTGRES[name]
            yield from measure_sweep(
                name, script, lambda _home: postgres.url(postgres.make(empty)), points=points, until=until
            )


def measure_sweep(
    name: str, script: Script, where: JournalUrl = in_file, *, points: Iterable[Kill] | None, until: Kind = ""
) -> Iterator[Figure]:
    """The figures of one sweep, over these points of each run or over all; see `sweep`."""
    verdict = sweep(script, points or map(Kill, itertools.count(1)), until=until, log=points is None, journals=where)
    how = (
        f"SIGKILL at {verdict.points} crash points (before and after each commit and each effect) in turn, "
        f"resumed until the run ends; {verdict.asked_about_outcome} unknown outcomes were asked about"
    )
    how += f"; the model was busy, and the runs stalled {verdict.stalls} times" if script == "stalled" else ""
    count = verdict.points if verdict.stalls or script != "stalled" else 0
    yield no_violations(f"crash.{name}.lost", len(verdict.lost) + len(verdict.differing), count, how)
    yield no_violations(f"crash.{name}.doubled", len(verdict.doubled), count, how)


def _new(journals: JournalUrl, script: Script) -> SweptRun:
    home = Path(tempfile.mkdtemp(prefix="remit-sweep-"))
    play = SweptRun(home=home, url=journals(home), script=script)
    if script == "stalled":
        play.world().begin_outage()
    return play


def _execute_until_done(point: Kill, play: SweptRun, verdict: Verdict) -> tuple[SweptRun, bool]:
    """One run, killed at ``point``, driven until it ends; and whether it was killed."""
    died = _execute_in_child(play, point) == -signal.SIGKILL
    for _ in range(MAX_EXECUTIONS):
        status, asked, stalls = _run_alone(lambda: _decide_all(play))
        verdict.asked_about_outcome += asked
        verdict.stalls += stalls
        if status in ("done", "failed"):
            return play, died
        code = _execute_in_child(play, NO_KILL)
        if code != 0:
            raise RuntimeError(f"a drive after the crash at {point} ended with status {code}")
    raise RuntimeError(f"the run killed at {point} did not end within {MAX_EXECUTIONS} drives")


def _run_alone(read: Callable[[], Coroutine[None, None, T]]) -> T:
    """What a reader of a journal finds, in a process of its own.

    The process that forks the children opens no journal itself: a child inherits the locks that a thread of its parent
    holds at that moment, even one that is ending, such as those of OpenSSL below a connection to Postgres.
    """
    (found,) = run_alone(lambda: [asyncio.run(read())])
    return found


def _execute_in_child(play: SweptRun, point: Kill) -> int:
    process = multiprocessing.get_context("fork").Process(target=_child_main, args=(play, point))
    process.start()
    process.join()
    return process.exitcode if process.exitcode is not None else -1


def _child_main(play: SweptRun, point: Kill) -> None:
    with crash_at(point.number, name=point.name):
        asyncio.run(_run_or_resume(play))


async def _run_or_resume(play: SweptRun) -> None:
    store, world = play.next_store(), play.world()
    runtime = world.runtime(store)
    if await store.find_run("run") is None:
        execution = world.start(runtime)
    else:
        runtime.add_principals(PERSON)
        execution = runtime.resume("run")
    if world.is_whole:
        reader = world.reader()
        await execute_followed(store, "run", reader, execution, lambda: world.keep_reader(reader))
    else:
        await execution
    await store.close()


class Clock:
    """Stands still."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        """The time at which it stands."""
        return self.now


async def _decide_all(play: SweptRun) -> tuple[str, int, int]:
    """Answer every open question as a person would who looks at what happened.

    Returns the status of the run, how many questions were about an outcome, and how many outages were ended.
    """
    asked = 0
    world = play.world()
    store = play.next_store()
    runtime = world.runtime(store)
    happened = {line.key for line in world.read_effects()}
    for row in await store.list_questions():
        question = row.question
        if question.kind == "outcome":
            asked += 1
            number = question.arguments.split(":")[1].rstrip("}")
            verb = "sent" if question.tool == "send" else "erased"
            await runtime.decide(question.id, approved=question.call in happened, by=PERSON, result=f"{verb} {number}")
        else:
            await runtime.decide(question.id, approved=True, by=PERSON)
    row = await store.find_run("run")
    await store.close()
    if row is None:
        return "not begun", asked, 0
    return row.status, asked, world.end_outage() if row.status == "stalled" else 0


def _history_of_uninterrupted(play: SweptRun) -> list[str]:
    record = _run_alone(lambda: _read_record(play))
    shutil.rmtree(play.home)
    return record.history


class _Record(NamedTuple):
    """What the journal says about a run that has ended."""

    outputs: list[ToolOutput]
    history: list[str]
    difference: str
    is_kept: bool
    """Whether the contents of all files can be read."""


async def _read_record(play: SweptRun) -> _Record:
    store = play.store()
    runtime = play.world().runtime(store)
    items = [position.item for position in await store.read("run")]
    contents = kept_contents(play.script)
    record = _Record(
        [item for item in items if isinstance(item, ToolOutput)],
        await runtime.history("run"),
        (await runtime.replay("run")).difference,
        [await _read_artifact(runtime, content) for content in contents] == contents,
    )
    await store.close()
    return record


async def _read_artifact(runtime: Runtime, content: bytes) -> bytes:
    try:
        return await runtime.artifacts.read(Artifact.model_validate(reference(content)), by=PERSON)
    except RemitError as error:
        return error.message.encode()


def _judge(play: SweptRun, point: Kill, expected: list[str], verdict: Verdict) -> None:
    outputs, history, difference, is_kept = _run_alone(lambda: _read_record(play))
    for call, count in Counter(output.call for output in outputs).items():
        if count > 1:
            verdict.doubled.append(f"{point}: call {call} has {count} ends")
    effects = play.world().read_effects()
    lines = Counter((line.name, line.key) for line in effects)
    ended = {output.call: output for output in outputs}
    for (name, key), count in lines.items():
        if name in ("send", "erase") and count > 1:
            verdict.doubled.append(f"{point}: {name} happened {count} times")
        if key not in ended:
            verdict.lost.append(f"{point}: {name} happened and has no end")
    for output in outputs:
        leaf = output.callee in LEAVES
        if leaf and output.outcome == "ok" and (output.callee, output.call) not in lines:
            verdict.lost.append(f"{point}: {output.callee} has an end and did not happen")
    verdict.lost += [f"{point}: {line.name} saw {line.target!r}" for line in effects if line.target != TARGET]
    contents = {digest_of(content) for content in kept_contents(play.script)}
    if not is_kept or {line.digest for line in effects if line.name == "keep"} != contents:
        verdict.lost.append(f"{point}: a file is lost")
    if sum(CORRECTION in text for text in history) != 1:
        verdict.lost.append(f"{point}: the correction of the result is not on record once")
    if play.world().is_whole:
        _judge_whole(play, point, outputs, history, verdict)
    if history != expected or outputs[-1].text != DONE:
        verdict.differing.append(f"{point}: the history is not that of the uninterrupted run")
    if difference:
        verdict.differing.append(f"{point}: the replay differs: {difference}")


def _judge_whole(play: SweptRun, point: Kill, outputs: list[ToolOutput], history: list[str], verdict: Verdict) -> None:
    """Judge what the run remembers, the search of its tools, and its reader."""
    reader = play.world().reader()
    if sum("Bakery" in text for text in history) != 1:
        verdict.lost.append(f"{point}: what the run remembers is not on record once")
    if not any(output.callee == "search_tools" and output.outcome == "ok" for output in outputs):
        verdict.lost.append(f"{point}: no tools were found")
    if reader.lost or reader.open or not reader.pieces:
        verdict.lost.append(f"{point}: the reader missed {reader.lost} events, and {reader.open} is left")
    if reader.doubled:
        verdict.doubled.append(f"{point}: the reader got {reader.doubled} events twice")
