"""Cases of the figure of unseen publications that random steps seldom meet."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Final

from apps.cms.tests.world import World
from figures.cms_unseen import Clockwork

CASES: Final = {
    "ann, bob and ann on one page": "create publish_set heading bob:meta title publish_set bob:publish_set",
    "a text that is corrected once it is scheduled": (
        "create publish_set title schedule_page title schedule_page wait wait"
    ),
    "Monday's text is corrected while Friday's is scheduled": (
        "create publish_set title schedule_page title later schedule_page title soon schedule_page wait wait wait"
    ),
    "a text that goes on from that of another": "create publish_set extend bob:extend bob:publish_set publish_set",
    "a picture whose text another changed": "create pink publish_set alt bob:focus bob:publish_set publish_set",
    "a page below the unpublished address of another": (
        "create publish_set address bob:create bob:last_below bob:publish_set discard bob:publish_set"
    ),
    "a scheduled page whose type changes": "create_note schedule_page pat:retype wait wait",
    "a picture of what is scheduled": "create publish_set pink schedule_page pat:no_picture pat:drop_picture wait wait",
    "an edit that takes back what is scheduled": (
        "create publish_set title schedule_set old_title heading bob:publish_page wait wait"
    ),
    "a page whose next text is scheduled": "create publish_set title schedule_page bob:unpublish bob:delete wait wait",
    "a page that goes with a set": "create publish_set heading let_go bob:meta publish_set revert",
    "a page that goes at a time": "create publish_set let_go schedule_set bob:delete bob:schedule_page wait wait",
    "a page whose text is scheduled goes with a set": (
        "create publish_set bob:title let_go bob:schedule_set publish_set wait wait"
    ),
    "a picture that goes with a set": "create pink publish_set no_picture let_picture_go heading publish_set",
    "a picture that goes while another shows it": (
        "create pink no_picture let_picture_go pat:pink pat:publish_page publish_set"
    ),
}
"""Steps that random ones seldom meet, by Ann unless another is named."""


async def run_case(folder: Path, steps: str) -> Clockwork:
    """The steps of a case on a new site."""
    world = World(folder)
    await world.rows()  # opens the database
    clockwork = Clockwork(world, folder / "cms.db", random.Random(0))
    clockwork.undone, clockwork.hours = 0.0, (2,)
    for step in steps.split():
        who, _, name = step.rpartition(":")
        await clockwork.step(name, who or "ann")
    await world.database.close()
    return clockwork
