"""Shows how a turn stands whose processing was interrupted."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final, Literal

from sqlalchemy import update

from remit.errors import CallError, NoModelError, Suspended
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import ChatMessage

OPEN_STATUSES: Final = ("running", "waiting")
"""How a turn stands that has not ended."""


@asynccontextmanager
async def track_interruption(database: Database, session_request_id: str) -> AsyncGenerator[None]:
    """Make it visible that a turn is waiting or was interrupted.

    This is not an effect of the call: the journal has the truth, and the next execution writes how the request ends.
    """
    try:
        yield
    except (Suspended, NoModelError):
        await _set_status(database, session_request_id, "waiting")
        raise
    except asyncio.CancelledError:
        await _set_status(database, session_request_id, "stopped")
        raise


async def _set_status(database: Database, session_request_id: str, status: Literal["waiting", "stopped"]) -> None:
    here = (ChatMessage.request == session_request_id, ChatMessage.status.in_(OPEN_STATUSES))
    with contextlib.suppress(CallError):
        async with database.write() as session:
            await session.execute(update(ChatMessage).where(*here).values(status=status))
