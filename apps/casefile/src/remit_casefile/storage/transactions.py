"""Database access of methods: a view to read, an edit to write, each within the caller's tenant."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Final, Protocol, TypeVar

from pydantic import BaseModel, JsonValue
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from remit import LeafContext
from remit.effects import once
from remit.errors import InternalError, NotFoundError
from remit.object_views import Viewer
from remit.tools import Caller, Changed
from remit_casefile.storage.database import Database
from remit_casefile.storage.ids import IdGenerator
from remit_casefile.storage.tables import EFFECTS, Base, Casefile, Session

P = TypeVar("P", bound=BaseModel)

_MAX_DRAWS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """An open transaction for one user of one tenant. Rows of other tenants do not exist for it."""

    session: AsyncSession
    tenant: str
    person: str
    now: datetime

    async def get_casefile(self, casefile_id: str) -> Casefile:
        """The casefile with this id, without an access check.

        Raises:
            NotFoundError: the tenant has none.
        """
        found = await self.session.get(Casefile, casefile_id)
        if found is None or found.tenant != self.tenant:
            raise casefile_not_found(casefile_id)
        return found

    async def get_session(self, session_id: str) -> Session:
        """The session with this id, of any user.

        Raises:
            NotFoundError: the tenant has none.
        """
        found = await self.session.get(Session, session_id)
        if found is None or found.tenant != self.tenant:
            raise session_not_found(session_id)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit(View):
    """A writing transaction."""

    run: str
    ids: IdGenerator
    changes: list[Changed] = field(default_factory=list[Changed])

    def add_change(self, kind: str, object_id: str, *fields: str, name: str = "") -> None:
        """Tell those who watch, once the edit is stored, that an object has changed."""
        self.changes.append(Changed(kind, object_id, fields=fields, name=name))

    async def draw_unused_id(self, table: type[Base], draw: Callable[[], str]) -> str:
        """An id that no row of ``table`` has in any tenant: with six digits a day, collisions do occur.

        Raises:
            InternalError: every generated id is taken.
        """
        for _ in range(_MAX_DRAWS):
            drawn = draw()
            if await self.session.get(table, drawn) is None:
                return drawn
        raise InternalError(f"no unused id for {table.__tablename__} in {_MAX_DRAWS} draws; try again tomorrow")


class _Written(BaseModel):
    """What is stored under the key of a call: its result, and what it changed."""

    reply: JsonValue
    changes: list[Changed] = []

    def report(self, ctx: LeafContext, result: type[P]) -> P:
        """Tell those who watch what changed, and return the result."""
        for change in self.changes:
            ctx.emit(change)
        return result.model_validate(self.reply, by_alias=False, by_name=True)


def casefile_not_found(casefile_id: str) -> NotFoundError:
    """The error for a casefile that does not exist, or not for this user."""
    return NotFoundError(f"No casefile '{casefile_id}'. Those you may see: list_casefiles.")


def session_not_found(session_id: str) -> NotFoundError:
    """The error for a session that does not exist, or not for this user."""
    return NotFoundError(f"No session '{session_id}' of yours.")


class HasCaller(Protocol):
    """Has a caller: the context of a body, or the call seen by a layer."""

    @property
    def caller(self) -> Caller:
        """The caller."""
        ...


@asynccontextmanager
async def open_view(database: Database, subject: HasCaller | Viewer) -> AsyncGenerator[View]:
    """A reading transaction for the caller or the viewer."""
    principal = subject.principal if isinstance(subject, Viewer) else subject.caller.principal
    async with database.read() as session:
        yield View(session=session, tenant=principal.tenant, person=principal.name, now=database.clock())


async def edit_once(
    database: Database, ctx: LeafContext, payload: BaseModel, result: type[P], work: Callable[[Edit], Awaitable[P]]
) -> P:
    """Write in one transaction, once per key of the call.

    The key is scoped to the tenant and user, so that users cannot see each other's results. What the edit changed is
    emitted after the commit, also if an earlier attempt wrote it.

    Raises:
        IdempotencyError: the key was used for another payload or user.
        RateLimitedError: the database was busy for too long.
    """
    digest = _payload_digest(payload, ctx.caller.principal.name)
    return await write_once(database, ctx, result, work, digest=digest)


async def write_once(
    database: Database, ctx: LeafContext, result: type[P], work: Callable[[Edit], Awaitable[P]], *, digest: str = ""
) -> P:
    """Like `edit_once`, for a payload with this digest. Without a digest, only the same call can repeat the write."""
    key = _effect_key(ctx)
    async with database.write() as session:
        edit = make_edit(database, session, ctx.caller)

        async def write() -> _Written:
            made = await work(edit)
            return _Written(reply=made.model_dump(mode="json", by_alias=False, round_trip=True), changes=edit.changes)

        written = await once(session, key, _Written, write, digest=digest)
    return written.report(ctx, result)


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


async def find_earlier_result(database: Database, ctx: LeafContext, payload: BaseModel, result: type[P]) -> P | None:
    """The result of an earlier attempt at the call that completed, or None. Emits what that attempt changed.

    Lets work outside a transaction skip what is done already; the `edit_once` at its end still makes sure.
    """
    query = select(EFFECTS.c.result).where(
        EFFECTS.c.key == _effect_key(ctx),
        EFFECTS.c.digest == _payload_digest(payload, ctx.caller.principal.name),
    )
    async with database.read() as session:
        text = await session.scalar(query)
    return None if text is None else _Written.model_validate_json(str(text)).report(ctx, result)


@asynccontextmanager
async def open_unkeyed_write(database: Database, ctx: LeafContext) -> AsyncGenerator[View]:
    """A transaction for writes that may be repeated, such as a start marker."""
    principal = ctx.caller.principal
    async with database.write() as session:
        yield View(session=session, tenant=principal.tenant, person=principal.name, now=database.clock())


def _effect_key(ctx: LeafContext) -> str:
    return f"{ctx.caller.principal.tenant}/{ctx.key}"


def _payload_digest(payload: BaseModel, person: str) -> str:
    content = [person, type(payload).__name__, payload.model_dump(mode="json")]
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
