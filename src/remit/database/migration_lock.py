"""One migration at a time in a process, of the journal or of an application's data."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

MIGRATION_LOCK: Final = threading.Lock()
"""Alembic keeps the migration that it runs in a module of its own."""


@asynccontextmanager
async def take_turn_to_migrate() -> AsyncGenerator[None]:
    """Wait until no other thread or task of this process runs Alembic."""
    while not MIGRATION_LOCK.acquire(blocking=False):  # noqa: ASYNC110 - held by threads too
        await asyncio.sleep(0.01)
    try:
        yield
    finally:
        MIGRATION_LOCK.release()
