"""Database access of operations: a view to read, an edit to write, each on the caller's target."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TypeVar

from remit import LeafContext
from remit.effects import once
from remit_cms.models import Payload, Reply
from remit_cms.storage.database import Database
from remit_cms.storage.scope import Scope, Target, find_target, load_locales

R = TypeVar("R", bound=Reply)


@dataclass(frozen=True, slots=True)
class Edit(Scope):
    """A writing transaction and its author."""

    author: str
    run: str
    now: datetime
    new_id: Callable[[str], str]


@asynccontextmanager
async def open_view(database: Database, context_or_target: LeafContext | Target) -> AsyncGenerator[Scope]:
    """A reading transaction on the caller's target, or on a given one."""
    async with database.read() as session:
        target = (
            context_or_target
            if isinstance(context_or_target, Target)
            else await find_target(session, context_or_target.caller.principal.tenant)
        )
        yield Scope(session=session, target=target, locales=await load_locales(session, target.site))


async def edit_once(
    database: Database, ctx: LeafContext, payload: Payload, reply: type[R], work: Callable[[Edit], Awaitable[R]]
) -> R:
    """Write in one transaction, once per key of the call.

    The key is scoped to the target, so that tenants cannot collide.

    Raises:
        IdempotencyError: the key was used for another operation or payload.
        RateLimitedError: the database was busy for too long.
    """
    async with database.write() as session:
        target = await find_target(session, ctx.caller.principal.tenant)
        edit = Edit(
            session=session,
            target=target,
            locales=await load_locales(session, target.site),
            author=ctx.caller.principal.name,
            run=ctx.run,
            now=database.clock(),
            new_id=database.new_id,
        )
        key = f"{target.site}/{target.environment}/{ctx.key}"
        return await once(session, key, reply, lambda: work(edit), digest=_payload_digest(payload))


def _payload_digest(payload: Payload) -> str:
    payload_json = json.dumps(payload.model_dump(mode="json"), sort_keys=True)
    return sha256(f"{type(payload).__name__} {payload_json}".encode()).hexdigest()
