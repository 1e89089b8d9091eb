"""How an operation gets at the database: a view to read, an edit to write, each on the target of its caller."""

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
from remit_cms.storage.scope import Scope, Target, locales_of, target_of

R = TypeVar("R", bound=Reply)


@dataclass(frozen=True, slots=True)
class Edit(Scope):
    """A transaction that writes, and who writes in it."""

    author: str
    run: str
    now: datetime
    new_id: Callable[[str], str]


@asynccontextmanager
async def viewing(database: Database, of: LeafContext | Target) -> AsyncGenerator[Scope]:
    """A transaction that reads, on the caller's target or a given one."""
    async with database.reading() as session:
        target = of if isinstance(of, Target) else await target_of(session, of.caller.principal.tenant)
        yield Scope(session=session, target=target, locales=await locales_of(session, target.site))


async def editing(
    database: Database, ctx: LeafContext, payload: Payload, reply: type[R], work: Callable[[Edit], Awaitable[R]]
) -> R:
    """Write in one transaction, once per key of the call.

    The key is the call's, within its target, so that no tenant meets the key of another.

    Raises:
        IdempotencyError: the key was used for another operation or payload.
        RateLimitedError: the database was busy for too long.
    """
    async with database.writing() as session:
        target = await target_of(session, ctx.caller.principal.tenant)
        edit = Edit(
            session=session,
            target=target,
            locales=await locales_of(session, target.site),
            author=ctx.caller.principal.name,
            run=ctx.run,
            now=database.clock(),
            new_id=database.new_id,
        )
        key = f"{target.site}/{target.environment}/{ctx.key}"
        return await once(session, key, reply, lambda: work(edit), digest=_digest(payload))


def _digest(payload: Payload) -> str:
    said = json.dumps(payload.model_dump(mode="json"), sort_keys=True)
    return sha256(f"{type(payload).__name__} {said}".encode()).hexdigest()
