"""What the tests of the CMS share."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from apps.cms.tests.world import World
from tests.postgres import Postgres


def _make_sites(folder: Path, location: Path | str) -> None:
    async def make() -> None:
        world = World(folder, location)
        await world.add_other_site()
        await world.database.close()

    asyncio.run(make())


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with two sites and no pages, made once."""
    path = tmp_path_factory.mktemp("fresh") / "cms.db"
    _make_sites(path.parent, path)
    return path


@pytest.fixture(scope="session")
def fresh_postgres(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same in Postgres; its name."""
    name = postgres.make()
    _make_sites(tmp_path_factory.mktemp("fresh"), postgres.url(name))
    return name


@pytest.fixture
def sqlite_location(fresh: Path, tmp_path: Path) -> Path:
    """A file of its own for each test, with two sites and no pages."""
    return Path(shutil.copy(fresh, tmp_path / "cms.db"))


@pytest.fixture
def location(sqlite_location: Path) -> Path | str:
    """Where the database of a test is."""
    return sqlite_location


@pytest.fixture(params=("sqlite", pytest.param("postgres", marks=pytest.mark.process)))
def either_location(request: pytest.FixtureRequest) -> Iterator[Path | str]:
    """The same in each kind of database; a package of tests takes it as its ``location``."""
    if request.param == "sqlite":
        yield request.getfixturevalue("sqlite_location")
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    name = postgres.make(request.getfixturevalue("fresh_postgres"))
    yield postgres.url(name)
    postgres.drop(name)


@pytest.fixture
async def world(location: Path | str, tmp_path: Path) -> AsyncIterator[World]:
    """A CMS of its own for each test."""
    world = World(tmp_path, location)
    yield world
    await world.database.close()
