"""What runs is what an authorised person approved, once, in time: every way to have it otherwise, on every tool."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Final

from figures.approval_more import ROWS
from figures.approval_rows import once, waiting
from figures.approval_world import ADA, Clock, Ran, Stage, Target, targets
from figures.figure import Figure, none
from remit import InProcessStore
from remit.journal.ports import Store
from remit.journal.sql import SqlStore


def figures(*, short: bool) -> Iterator[Figure]:
    """Executions of what nobody approved, over all tools, both stores and every row."""
    wrong, tried, tools = asyncio.run(_all(short=short))
    how = f"{len(ROWS)} rows over {tools} tools of the CMS and composed callees of Python, in memory and in SQLite"
    how += f"; wrong: {dict(wrong)}" if wrong else ""
    executions = wrong.total()
    yield none("approval.matrix.executions", executions, tried, how)


async def _all(*, short: bool) -> tuple[Counter[str], int, int]:
    wrong, tried = Counter[str](), 0
    ran = Ran()
    found = targets(ran)
    chosen = [*found[:2], *[each for each in found if each.tool.facts.confirm][:1], found[-1]] if short else found
    async with _stores() as stores:
        for target in chosen:
            for store in stores:
                await _control(_stage(target, ran, store))
                for name, row in ROWS.items():
                    wrong.update({name: beyond} if (beyond := await row(_stage(target, ran, store))) else {})
                    tried += 1
    return wrong, tried, len(chosen)


@contextlib.asynccontextmanager
async def _stores() -> AsyncGenerator[list[Store]]:
    """Both stores, on the clock that a case may move on."""
    with tempfile.TemporaryDirectory(prefix="remit-matrix-") as home:
        sql = SqlStore.at(Path(home) / "journal.db", _CLOCK)
        yield [InProcessStore(_CLOCK), sql]
        await sql.close()


_CLOCK: Final = Clock()


def _stage(target: Target, ran: Ran, store: Store) -> Stage:
    ran.bodies.clear()
    return Stage(target, ran, store, _CLOCK)


async def _control(stage: Stage) -> None:
    """What was approved does run, exactly once; or the matrix would say nothing."""
    runtime = stage.runtime(once(stage))
    run, question = await waiting(runtime)
    await runtime.decide(question, approved=True, by=ADA)
    await runtime.resume(run)
    if stage.ran.count(stage.name, stage.target.canonical(stage.target.arguments)) != 1:
        raise RuntimeError(f"{stage.name} was approved and ran {stage.ran.bodies}")
