"""The principals and the stores of the figures about calls that attach."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from tempfile import TemporaryDirectory
from typing import Final

from remit import Principal, SqlStore
from remit.stores import InMemoryStore, Store

ASKER: Final = Principal("ada", permissions=frozenset({"*"}))
APPROVER: Final = Principal("bob", permissions=frozenset({"*"}))


@contextlib.asynccontextmanager
async def open_store(*, on_disk: bool) -> AsyncGenerator[Store]:
    """A store in memory, or in a file of its own."""
    if not on_disk:
        yield InMemoryStore()
        return
    with TemporaryDirectory() as folder:
        store = SqlStore(f"sqlite:///{folder}/journal.db")
        try:
            yield store
        finally:
            await store.close()
