"""How a method gets at the database: a view to read, an edit to write, each within the tenant of its caller."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Final, Protocol, TypeVar

from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from remit import LeafContext
from remit.effects import once
from remit.errors import NotFoundError, ToolFailedError
from remit.inventory import Request
from remit.tools import Caller
from remit_casefile.storage.database import Database
from remit_casefile.storage.ids import IdGenerator
from remit_casefile.storage.tables import EFFECTS, Base, Casefile, Session

P = TypeVar("P", bound=BaseModel)

_MAX_DRAWS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """An open transaction for one person of one tenant. What belongs to another tenant is not there."""

    session: AsyncSession
    tenant: str
    person: str
    now: datetime

    async def get_casefile(self, casefile_id: str) -> Casefile:
        """The casefile of that id, whatever the person may do with it.

        Raises:
            NotFoundError: the tenant has none.
        """
        found = await self.session.get(Casefile, casefile_id)
        if found is None or found.tenant != self.tenant:
            raise casefile_not_found(casefile_id)
        return found

    async def get_session(self, session_id: str) -> Session:
        """The session of that id, whoever's it is.

        Raises:
            NotFoundError: the tenant has none.
        """
        found = await self.session.get(Session, session_id)
        if found is None or found.tenant != self.tenant:
            raise session_not_found(session_id)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit(View):
    """A transaction that writes."""

    run: str
    ids: IdGenerator

    async def draw_unused_id(self, table: type[Base], draw: Callable[[], str]) -> str:
        """An id that no row of ``table`` has, of any tenant: six digits a day do meet now and then.

        Raises:
            ToolFailedError: every id that was drawn is taken.
        """
        for _ in range(_MAX_DRAWS):
            drawn = draw()
            if await self.session.get(table, drawn) is None:
                return drawn
        raise ToolFailedError(f"no unused id for {table.__tablename__} in {_MAX_DRAWS} draws; try again tomorrow")


def casefile_not_found(casefile_id: str) -> NotFoundError:
    """The one thing said of a casefile that is not there, or not there for this person."""
    return NotFoundError(f"No casefile '{casefile_id}'. Those you may see: list_casefiles.")


def session_not_found(session_id: str) -> NotFoundError:
    """The one thing said of a session that is not there, or not there for this person."""
    return NotFoundError(f"No session '{session_id}' of yours.")


class HasCaller(Protocol):
    """What says who calls: the context of a body, or the call that a layer sees."""

    @property
    def caller(self) -> Caller:
        """Who calls."""
        ...


@asynccontextmanager
async def open_view(database: Database, context: HasCaller) -> AsyncGenerator[View]:
    """A transaction that reads, for the caller."""
    principal = context.caller.principal
    async with database.read_session() as session:
        yield View(session=session, tenant=principal.tenant, person=principal.name, now=database.clock())


async def edit_once(
    database: Database, ctx: LeafContext, request: Request[Any], result: type[P], work: Callable[[Edit], Awaitable[P]]
) -> P:
    """Write in one transaction, once per id of the request.

    The id counts within the caller's tenant and for this person, so that nobody meets the result of another.

    Raises:
        IdempotencyError: the id was used for another operation, payload or person.
        RateLimitedError: the database was busy for too long.
    """
    principal = ctx.caller.principal
    async with database.write_session() as session:
        edit = Edit(
            session=session,
            tenant=principal.tenant,
            person=principal.name,
            now=database.clock(),
            run=ctx.run,
            ids=database.ids,
        )
        key, digest = _effect_key(ctx, request), _request_digest(request, principal.name)
        return await once(session, key, result, lambda: work(edit), digest=digest)


async def find_earlier_result(database: Database, ctx: LeafContext, request: Request[Any], result: type[P]) -> P | None:
    """What an earlier attempt at the request gave, if one came to its end.

    For work that begins outside a transaction, so that it is not begun again; `editing` at its end decides.
    """
    query = select(EFFECTS.c.result).where(
        EFFECTS.c.key == _effect_key(ctx, request),
        EFFECTS.c.digest == _request_digest(request, ctx.caller.principal.name),
    )
    async with database.read_session() as session:
        text = await session.scalar(query)
    return None if text is None else result.model_validate_json(str(text), by_alias=False, by_name=True)


@asynccontextmanager
async def open_unkeyed_write(database: Database, ctx: LeafContext) -> AsyncGenerator[View]:
    """A transaction that writes what may be written twice, like that something has begun."""
    principal = ctx.caller.principal
    async with database.write_session() as session:
        yield View(session=session, tenant=principal.tenant, person=principal.name, now=database.clock())


def _effect_key(ctx: LeafContext, request: Request[Any]) -> str:
    return f"{ctx.caller.principal.tenant}/{request.request_id}"


def _request_digest(request: Request[Any], person: str) -> str:
    content = [person, type(request).__name__, request.payload.model_dump(mode="json")]
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
