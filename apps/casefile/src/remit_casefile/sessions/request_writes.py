"""Writes made while a request is processed, each done once however often its run is executed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Literal, TypeVar

from pydantic import BaseModel
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession

from remit import LeafContext
from remit.effects import once
from remit.errors import CallError, NoModelError, Suspended
from remit.tools import Caller
from remit_casefile.sessions.rows import OPEN_STATUSES
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import SessionRequest
from remit_casefile.storage.transactions import Edit

P = TypeVar("P", bound=BaseModel)


def make_edit(database: Database, session: AsyncSession, caller: Caller) -> Edit:
    """An edit for a caller, in an open transaction."""
    return Edit(
        session=session,
        tenant=caller.principal.tenant,
        person=caller.principal.name,
        now=database.clock(),
        run=caller.run,
        ids=database.ids,
    )


async def write_once(database: Database, ctx: LeafContext, result: type[P], work: Callable[[Edit], Awaitable[P]]) -> P:
    """Write in one transaction, once per key of the call."""
    async with database.write() as session:
        edit = make_edit(database, session, ctx.caller)
        return await once(session, f"{edit.tenant}/{ctx.key}", result, lambda: work(edit))


@asynccontextmanager
async def track_interruption(database: Database, session_request_id: str) -> AsyncGenerator[None]:
    """Make it visible that a request is waiting or was interrupted.

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
    here = (SessionRequest.id == session_request_id, SessionRequest.status.in_(OPEN_STATUSES))
    with contextlib.suppress(CallError):
        async with database.write() as session:
            await session.execute(update(SessionRequest).where(*here).values(status=status))
