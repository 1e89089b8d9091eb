"""What runs is what an authorised person approved, once, in time: every way to have it otherwise, on every tool."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Final

from figures import approval_deciders as _deciders
from figures import approval_google as _google
from figures import approval_more as _more
from figures import approval_outcomes as _outcomes
from figures import approval_state as _state
from figures import approval_target as _target
from figures.approval_casefile import build_office
from figures.approval_rows import ROWS, call_script, start_waiting_run
from figures.approval_world import ADA, Clock, ExecutionLog, Stage, Target, add_upload, casefile_targets, cms_targets
from figures.figure import Figure, no_violations
from remit.journal.ports import Store
from remit.journal.sql.store import SqlStore
from remit.stores import InMemoryStore

_MODULES_OF_ROWS: Final = (_more, _deciders, _outcomes, _state, _google, _target)
"""Imported for their rows."""


def figures(*, short: bool) -> Iterator[Figure]:
    """Executions of what nobody approved, over all tools, both stores and every row."""
    return _measure(short=short)


def measure_until_wrong() -> Iterator[Figure]:
    """The figure of the sampled targets with every row, up to the first execution."""
    return _measure(short=True, stops_early=True)


def _measure(*, short: bool, stops_early: bool = False) -> Iterator[Figure]:
    wrong, tried, tools = asyncio.run(_run_matrix(short=short, stops_early=stops_early))
    how = f"{len(ROWS)} rows over {tools} targets, in memory and in SQLite: every tool of the CMS and of casefiles, "
    how += "called by a model, and by composed callees of Python and pipelines"
    how += f"; wrong: {dict(wrong)}" if wrong else ""
    executions = wrong.total()
    yield no_violations("approval.matrix.executions", executions, tried, how)


async def _run_matrix(*, short: bool, stops_early: bool) -> tuple[Counter[str], int, int]:
    wrong, tried = Counter[str](), 0
    ran = ExecutionLog()
    async with _targets(ran) as found, _stores() as stores:
        chosen = [each for several in found for each in (_sample_targets(several) if short else several)]
        for number, target in enumerate(chosen):
            rows = list(ROWS.items())[number // 2 % 2 :: 2] if short and not stops_early else ROWS.items()
            for store in stores[number % 2 :][:1] if short else stores:
                await _check_control(_make_stage(target, ran, store))
                for name, row in rows:
                    wrong.update({name: beyond} if (beyond := await row(_make_stage(target, ran, store))) else {})
                    tried += 1
                    if stops_early and wrong:
                        return wrong, tried, number + 1
    return wrong, tried, len(chosen)


def _sample_targets(found: list[Target]) -> list[Target]:
    at_google = [each for each in found if each.tool.name in _google.TOOLS_AT_GOOGLE][:1]
    return [*found[:2], *[each for each in found if each.tool.facts.confirm][:1], *at_google, found[-1]]


@contextlib.asynccontextmanager
async def _targets(ran: ExecutionLog) -> AsyncGenerator[list[list[Target]]]:
    """The tools of each application, which lives as long as they are tried."""
    with tempfile.TemporaryDirectory(prefix="remit-matrix-") as home:
        made = await build_office(Path(home))
        yield [cms_targets(ran, Path(home)), casefile_targets(ran, made)]
        await made.database.close()


@contextlib.asynccontextmanager
async def _stores() -> AsyncGenerator[list[Store]]:
    """Both stores, on the clock that a case may move on."""
    with tempfile.TemporaryDirectory(prefix="remit-matrix-") as home:
        sql = SqlStore.at(Path(home) / "journal.db", _CLOCK)
        stores: list[Store] = [InMemoryStore(_CLOCK), sql]
        for store in stores:
            await add_upload(store)
        yield stores
        await sql.close()


_CLOCK: Final = Clock()


def _make_stage(target: Target, ran: ExecutionLog, store: Store) -> Stage:
    ran.executions.clear()
    return Stage(target, ran, store, _CLOCK)


async def _check_control(stage: Stage) -> None:
    """What was approved does run, exactly once; or the matrix would say nothing."""
    runtime = stage.make_runtime(call_script(stage))
    run, question = await start_waiting_run(runtime)
    await runtime.decide(question, approved=True, by=ADA)
    await runtime.resume(run)
    if stage.ran.count(stage.name, stage.target.canonical(stage.target.arguments)) != 1:
        raise RuntimeError(f"{stage.name} was approved and ran {stage.ran.executions}")
