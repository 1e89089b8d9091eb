"""The CMS: every tool in every case, and editors whose drafts and publications are compared with a model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from figures.cms_documents import ALL_STEPS, run_schedule
from figures.cms_editors import STEPS
from figures.cms_sweep import SAMPLE, open_sweep, sweep_tool
from figures.figure import Figure, no_violations

_SCHEDULES = 30
_STEPS = 60


def figures(*, short: bool) -> Iterator[Figure]:
    """Measure the figures of the CMS."""
    yield from measure_sweep(short=short)
    yield from measure_editors(short=short)


def measure_sweep(*, short: bool) -> Iterator[Figure]:
    """Every tool in every case; ``short`` takes a few tools and lets processes die at every third write."""
    yield asyncio.run(_sweep_tools(short=short))


def measure_editors(*, short: bool) -> Iterator[Figure]:
    """Random schedules, half of them of pages alone, which then meet more often; ``short`` takes a few."""
    schedules, steps, failures = 6 if short else _SCHEDULES, 0, list[str]()
    for number in range(schedules):
        with TemporaryDirectory() as folder:
            chosen = (STEPS, ALL_STEPS)[number % 2]
            editors = asyncio.run(run_schedule(Path(folder), 10 + number // 2, _STEPS, chosen))
        steps += editors.steps
        failures += editors.failures
    how = f"{schedules} schedules of two editors and a person: pages, posts, settings, navigation and their revisions"
    yield no_violations("cms.lost_updates", len(failures), steps, "; ".join([how, *failures[:5]]))


async def _sweep_tools(*, short: bool) -> Figure:
    async with open_sweep() as sweep:
        tools = [sweep.tools[name] for name in (SAMPLE if short else sweep.tools)]
        for tool in tools:
            await sweep_tool(sweep, tool, short=short)
        how = f"{len(tools)} tools: normal, foreign, unknown, invalid, denied, asked, stale, dying at each write"
        failures = sweep.failures
        return no_violations("cms.sweep_failures", len(failures), sweep.cases, "; ".join([how, *failures[:5]]))
