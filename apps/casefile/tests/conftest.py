"""What the tests of the application share."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from apps.casefile.tests.shared import reopen
from apps.casefile.tests.world import Clock
from remit_casefile.storage.database import Database
from tests.postgres import Postgres


def _make_tables(location: Path | str) -> None:
    async def make() -> None:
        database = Database(location)
        async with database.read() as session:
            await session.connection()
        await database.close()

    asyncio.run(make())


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database, made once."""
    path = tmp_path_factory.mktemp("fresh") / "casefile.db"
    _make_tables(path)
    return path


@pytest.fixture(scope="session")
def fresh_postgres(postgres: Postgres) -> str:
    """The same in Postgres; its name."""
    name = postgres.make()
    _make_tables(postgres.url(name))
    return name


@pytest.fixture
def sqlite_location(fresh: Path, tmp_path: Path) -> Path:
    """The empty file of a test."""
    return Path(shutil.copy(fresh, tmp_path / "casefile.db"))


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
def clock() -> Clock:
    """The clock of this test's world."""
    return Clock()


@pytest.fixture
async def database(location: Path | str, clock: Clock) -> AsyncIterator[Database]:
    """A database of its own for each test."""
    database = reopen(Database, location, clock)
    yield database
    await database.close()
