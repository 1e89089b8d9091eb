"""Change sets that go from one environment to another: as a set, asked there, and nothing else moves."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from apps.cms.tests.world import World
from figures.cms_promotion_world import Bistro
from figures.figure import Figure, no_violations

SCHEDULES: Final = 24
_STEPS: Final = 40
_CASES: Final = (
    "create publish promote title:bob heading publish promote go_live",
    "create publish promote go_live title there_title promote_open publish promote",
    "create publish promote go_live remove publish promote go_live",
    "create section publish promote go_live drop german publish promote go_live",
    "create publish promote title publish promote description publish promote go_live promote",
    "create publish promote there_heading heading publish promote back go_live",
)
"""Steps that random ones seldom meet, by Ann unless Bob is named."""
_RANDOM: Final = (
    *(("title", "description", "heading", "german") * 2),
    *(("publish", "promote", "go_live") * 6),
    *(("create",) * 4),
    *("section", "drop", "remove", "there_title", "there_heading", "there_section", "back"),
    "promote_open",
)
_BEGINNING: Final = "create publish promote go_live create publish"
_PEOPLE: Final = ("ann", "ann", "ann", "bob")


def figures(*, short: bool) -> Iterator[Figure]:
    """Promotions that did something else than they should."""
    yield from measure_promotion(short=short, schedules=2 if short else SCHEDULES)


def measure_promotion(*, short: bool, schedules: int = SCHEDULES) -> Iterator[Figure]:
    """Cases and random schedules; ``short`` ends at a failure."""
    steps, promoted, refused, failures = 0, 0, 0, list[str]()
    runs = [(0, case) for case in _CASES] + [(number, "") for number in range(schedules)]
    for seed, case in runs:
        with TemporaryDirectory() as folder:
            bistro = asyncio.run(_run(Path(folder), random.Random(seed), case))
        steps, promoted, refused = steps + bistro.steps, promoted + bistro.promoted, refused + bistro.refused
        failures += bistro.failures
        if short and failures:
            break
    how = (
        f"{len(_CASES)} cases and {schedules} schedules of two conversations in each of two environments: {promoted} "
        f"change sets taken over and {refused} refused, beside a model that lays each run of edits over the drafts "
        "there. Nothing else there changes, and nothing here; visitors see all of a set or nothing, after one question "
        "that shows it; what is refused writes nothing, and there was a reason"
    )
    yield no_violations("cms.promotion_failures", len(failures), steps, "; ".join([how, *failures[:5]]))


async def _run(folder: Path, rng: random.Random, case: str) -> Bistro:
    world = World(folder)
    bistro = Bistro(world, folder / "cms.db", rng)
    await bistro.open()
    steps = (case or _BEGINNING).split()
    for step in steps + [f"{rng.choice(_RANDOM)}:{rng.choice(_PEOPLE)}" for _ in range(0 if case else _STEPS)]:
        name, _, who = step.partition(":")
        await bistro.step(name, who or "ann")
        if bistro.failures:
            break
    await world.database.close()
    return bistro
