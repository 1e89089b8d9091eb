"""What the tests of the CMS share."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from apps.cms.tests.world import World


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with two sites and no pages, made once."""
    path = tmp_path_factory.mktemp("fresh") / "cms.db"

    async def make() -> None:
        world = World(path)
        await world.add_other_site()
        await world.database.close()

    asyncio.run(make())
    return path


@pytest.fixture
async def world(fresh: Path, tmp_path: Path) -> AsyncIterator[World]:
    """A CMS of its own for each test."""
    path = tmp_path / "cms.db"
    shutil.copy(fresh, path)
    world = World(path)
    yield world
    await world.database.close()
