"""A clock to set, and stores that are closed when a test is over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from remit.journal.sql.store import SqlStore
from remit.testing.store_suite.samples import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def opening(clock: Clock) -> AsyncIterator[Callable[[Path | str], SqlStore]]:
    """Opens stores in files and by URL, which are closed when the test is over, however it ends."""
    async with AsyncExitStack() as stack:

        def open_at(where: Path | str) -> SqlStore:
            store = SqlStore.at(where, clock) if isinstance(where, Path) else SqlStore(where, clock)
            stack.push_async_callback(store.close)
            return store

        yield open_at


@pytest.fixture
def sql(where: str, opening: Callable[[Path | str], SqlStore]) -> SqlStore:
    return opening(where)
