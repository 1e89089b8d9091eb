"""The stores that every test of the ports runs over."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from remit.journal.in_process import InProcessStore
from remit.journal.ports import Store
from remit.journal.sql import SqlStore
from tests.journal.samples import STORES, Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty journal at the newest revision, to be copied."""
    path = tmp_path_factory.mktemp("journal") / "journal.db"

    async def open_and_close() -> None:
        store = SqlStore.at(path)
        await store.runs()
        await store.close()

    asyncio.run(open_and_close())
    return path


@pytest.fixture
def file(migrated: Path, tmp_path: Path) -> Path:
    """An empty journal of this test."""
    return Path(shutil.copy(migrated, tmp_path / "journal.db"))


@pytest.fixture
async def opening(clock: Clock) -> AsyncIterator[Callable[[Path], SqlStore]]:
    """Opens stores, which are closed when the test is over, however it ends."""
    async with AsyncExitStack() as stack:

        def open_at(path: Path) -> SqlStore:
            store = SqlStore.at(path, clock)
            stack.push_async_callback(store.close)
            return store

        yield open_at


@pytest.fixture
def sql(file: Path, opening: Callable[[Path], SqlStore]) -> SqlStore:
    return opening(file)


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, file: Path, clock: Clock) -> AsyncIterator[Store]:
    """Each store that the project ships."""
    store: Store = SqlStore.at(file, clock) if request.param == "sql" else InProcessStore(clock)
    yield store
    await store.close()
