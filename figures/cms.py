"""The CMS: every tool in every case, and editors whose drafts and publications are compared with a model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from figures.cms_arguments import NORMAL
from figures.cms_documents import ALL_STEPS, run_schedule
from figures.cms_leaks import Leaks, open_leaks
from figures.cms_lists import LIST_STEPS
from figures.cms_sections import SECTION_STEPS
from figures.cms_sweep import SAMPLE, Sweep, open_sweep, sweep_tool
from figures.cms_unseen import run_clockwork
from figures.cms_unseen_cases import CASES, run_case
from figures.figure import Figure, no_violations

SCHEDULES = 30
_STEPS = 60
_STEPS_IN_TIME = 120


def figures(*, short: bool) -> Iterator[Figure]:
    """Measure the figures of the CMS."""
    yield from measure_sweep(short=short)
    yield from measure_leaks(short=short)
    yield from measure_editors(short=short, schedules=3 if short else SCHEDULES)
    yield from measure_unseen(short=short, schedules=3 if short else SCHEDULES)


def measure_sweep(*, short: bool, databases: tuple[str, ...] = ("sqlite", "postgres")) -> Iterator[Figure]:
    """Every tool in every case; ``short`` takes a few tools up to a failure, and every third death at a write."""
    cases, failures = dict[str, int](), list[str]()
    for kind in databases:
        sample = SAMPLE if kind == "sqlite" else SAMPLE[:1]
        sweep = asyncio.run(_sweep_tools(kind, sample if short else None, short=short))
        cases[kind] = sweep.cases
        failures += [f"{kind}: {each}" for each in sweep.failures]
    counted = " and ".join(f"{count} cases in {kind}" for kind, count in cases.items())
    which = "normal, foreign, unknown, invalid, denied, asked, stale, with a token and a stale one"
    how = f"{counted}: {which}, dying at each write (of 800 at 40)"
    yield no_violations("cms.sweep_failures", len(failures), sum(cases.values()), "; ".join([how, *failures[:5]]))


def measure_leaks(*, short: bool, sample: tuple[str, ...] = ("cms_getPage",)) -> Iterator[Figure]:
    """Every tool with the names of what is foreign; ``short`` takes those of ``sample``, and each name of one owner."""
    tools = sample if short else tuple(NORMAL)
    leaks = asyncio.run(_find_leaks(tools, in_turn=short))
    how = (
        f"{len(tools)} tools: each text argument, also in lists and in content, with ids, names and addresses of all "
        "kinds of objects of another tenant and of another site, and the site of another tenant as the target; the "
        "answer and all rows are those of a CMS without them, but for the key of a new site, which may be taken"
    )
    yield no_violations("tenants.cms.leaks", len(leaks.failures), leaks.cases, "; ".join([how, *leaks.failures[:5]]))


def measure_editors(*, short: bool, schedules: int = SCHEDULES) -> Iterator[Figure]:
    """Random schedules, two thirds of them of pages alone, which meet more often; ``short`` ends at a failure."""
    steps, failures = 0, list[str]()
    for number in range(schedules):
        with TemporaryDirectory() as folder:
            chosen = (SECTION_STEPS, LIST_STEPS, ALL_STEPS)[number % 3]
            editors = asyncio.run(run_schedule(Path(folder), 10 + number // 3, _STEPS, chosen))
        steps += editors.steps
        failures += editors.failures
        if short and failures:
            break
    of_what = "pages, their places, sections and lists, posts, settings, navigation, redirects, their revisions"
    how = f"{schedules} schedules of two editors and a person: {of_what}"
    yield no_violations("cms.lost_updates", len(failures), steps, "; ".join([how, *failures[:5]]))


def measure_unseen(*, short: bool, schedules: int = SCHEDULES) -> Iterator[Figure]:
    """Random schedules of people who publish now and at times to come; ``short`` ends at a failure."""
    steps, moved, failures = 0, 0, list[str]()
    runs = [partial(run_case, steps=case) for case in CASES.values()]
    runs += [partial(run_clockwork, seed=number, steps=_STEPS_IN_TIME) for number in range(schedules)]
    for run in runs:
        with TemporaryDirectory() as folder:
            clockwork = asyncio.run(run(Path(folder)))
        steps, moved = steps + clockwork.steps, moved + clockwork.moved
        failures += clockwork.failures
        if short and failures:
            break
    how = (
        f"{len(CASES)} cases and {schedules} schedules of two conversations, a person and two executors, {moved} "
        "changes of what visitors see: pages, sets, times, deletions, pictures; each is what its approver saw, who was "
        "told of edits of others"
    )
    yield no_violations("cms.unseen_publications", len(failures), steps, "; ".join([how, *failures[:5]]))


async def _sweep_tools(kind: str, names: Sequence[str] | None, *, short: bool) -> Sweep:
    async with open_sweep(kind) as sweep:
        for name in names or sweep.tools:
            await sweep_tool(sweep, sweep.tools[name], short=short)
            if short and sweep.failures:
                break
        return sweep


async def _find_leaks(tools: Sequence[str], *, in_turn: bool) -> Leaks:
    async with open_leaks(in_turn=in_turn) as leaks:
        for tool in tools:
            await leaks.try_tool(tool)
        return leaks
