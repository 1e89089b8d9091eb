"""Stores to run over: one in memory, and a file that is migrated once for all tests."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remit import InProcessStore
from remit.journal.ports import Store
from remit.journal.sql import SqlStore


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty journal, to be copied."""
    path = tmp_path_factory.mktemp("journal") / "journal.db"

    async def open_and_close() -> None:
        store = SqlStore.at(path)
        await store.runs()
        await store.close()

    asyncio.run(open_and_close())
    return path


@pytest.fixture
def journal(migrated: Path, tmp_path: Path) -> Path:
    """The file of an empty journal of this test."""
    return Path(shutil.copy(migrated, tmp_path / "journal.db"))


@pytest.fixture(params=["in process", "sql"])
async def store(request: pytest.FixtureRequest, journal: Path) -> AsyncIterator[Store]:
    """Each store that the project ships."""
    store: Store = SqlStore.at(journal) if request.param == "sql" else InProcessStore()
    yield store
    await store.close()
