"""What the tests of the application share."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from apps.casefile.tests.shared import reopen
from apps.casefile.tests.world import Clock
from remit_casefile.storage.database import Database


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database, made once."""
    database = Database(tmp_path_factory.mktemp("fresh") / "casefile.db")

    async def make() -> None:
        async with database.read_session() as session:
            await session.connection()
        await database.close()

    asyncio.run(make())
    return database.path


@pytest.fixture
def clock() -> Clock:
    """The clock of this test's world."""
    return Clock()


@pytest.fixture
async def database(fresh: Path, tmp_path: Path, clock: Clock) -> AsyncIterator[Database]:
    """A database of its own for each test."""
    shutil.copy(fresh, tmp_path / "casefile.db")
    database = reopen(Database, tmp_path, clock)
    yield database
    await database.close()
