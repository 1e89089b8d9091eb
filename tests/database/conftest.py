"""Databases of each kind, which are closed when the test is over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from remit.database import Database
from tests.database.tables import notes

Opening = Callable[..., Database]


@pytest.fixture
async def opening(data_location: Path | str) -> AsyncIterator[Opening]:
    """Opens the notes, as one process after another would; takes the arguments of `notes` after the location."""
    async with AsyncExitStack() as stack:

        def open_notes(**arguments: object) -> Database:
            database = notes(data_location, **arguments)  # pyright: ignore[reportArgumentType]
            stack.push_async_callback(database.close)
            return database

        yield open_notes


@pytest.fixture
def database(opening: Opening) -> Database:
    return opening()
