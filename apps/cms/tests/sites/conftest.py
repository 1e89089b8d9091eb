"""These tests run on each kind of database."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.cms.tests.world import World


@pytest.fixture
def location(either_location: Path | str) -> Path | str:
    return either_location


@pytest.fixture
async def world(world: World) -> World:
    """A CMS that gives no id which the two sites of the prepared database have, and no earlier time."""
    world.ids.counts["template"], world.clock.looks = 100, 100
    return world
