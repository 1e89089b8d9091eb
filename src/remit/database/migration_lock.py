"""Serializes the migrations of one process, both of the journal and of applications' data."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

MIGRATION_LOCK: Final = threading.Lock()
"""Held while Alembic runs, because it keeps the running migration in module-level state."""


@asynccontextmanager
async def take_turn_to_migrate() -> AsyncGenerator[None]:
    """Wait until no other thread or task of this process is running Alembic."""
    while not MIGRATION_LOCK.acquire(blocking=False):  # noqa: ASYNC110 - held by threads too
        await asyncio.sleep(0.01)
    try:
        yield
    finally:
        MIGRATION_LOCK.release()
