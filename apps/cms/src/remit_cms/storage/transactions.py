"""Database access of operations: a view to read, an edit to write, each on the caller's target."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue
from sqlalchemy import ColumnElement, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from remit import LeafContext
from remit.effects import once
from remit.errors import ConflictError, ContractError, DeniedError
from remit.object_views import Viewer
from remit.tools import Caller, Changed, Seen
from remit_cms.models import Payload, Reply
from remit_cms.storage.database import Database
from remit_cms.storage.scope import Scope, Target, find_target, load_locales
from remit_cms.storage.tables import Environment, Site

R = TypeVar("R", bound=Reply)


class LaterCall(BaseModel):
    """A call that an edit has scheduled, once for its key, when the edit is committed."""

    model_config = ConfigDict(frozen=True)

    key: str
    tool: str
    arguments: dict[str, str]
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit(Scope):
    """A writing transaction and its author. ``last_seen`` is that of the context of the call.

    ``later`` are the calls to schedule once the edit is committed; after a crash in between, a resumed run does it.
    """

    author: str
    run: str
    conversation: str
    now: datetime
    new_id: Callable[[str], str]
    last_seen: Callable[..., Awaitable[dict[str, str]]]
    changes: list[Changed] = field(default_factory=list[Changed])
    later: list[LaterCall] = field(default_factory=list[LaterCall])

    def add_change(self, kind: str, object_id: str, revision: int, *fields: str, name: str) -> None:
        """Tell those who watch, once the edit is stored, that an object has changed."""
        self.changes.append(Changed(kind, object_id, str(revision), fields, name))

    async def count_visible_change(self) -> None:
        """Let the site forget the responses that it keeps, since visitors see something else once this is committed."""
        await self._count(version=Environment.version + 1)

    async def count_edit(self) -> None:
        """Let all processes look for what they derive from content, once this is committed."""
        await self._count(edits=Environment.edits + 1)

    async def _count(self, **values: ColumnElement[int]) -> None:
        where = (Environment.site == self.target.site, Environment.name == self.target.environment)
        await self.session.execute(update(Environment).where(*where).values(**values))


class _Written(BaseModel):
    """What is stored under the key of a call: its reply, what it changed and showed, and the calls that follow it."""

    reply: JsonValue
    changes: list[Changed] = []
    seen: list[Seen] = []
    later: list[LaterCall] = []


@asynccontextmanager
async def open_view(database: Database, subject: LeafContext | Viewer | Target) -> AsyncGenerator[Scope]:
    """A reading transaction on the target of a call or a viewer, or on a given one.

    The journal of a call is told what was shown.
    """
    async with database.read() as session:
        match subject:
            case Target():
                target = subject
            case Viewer():
                target = await find_target(session, subject.principal.tenant, subject.target)
            case _:
                target = await find_caller_target(session, subject.caller)
        scope = Scope(session=session, target=target, locales=await load_locales(session, target.site))
        yield scope
    if not isinstance(subject, (Target, Viewer)):
        for each in scope.seen:
            subject.emit(each)


@asynccontextmanager
async def open_trial(database: Database, ctx: LeafContext) -> AsyncGenerator[Edit]:
    """A reading transaction with the facts of an edit, for previews that refuse what the edit would refuse."""
    async with database.read() as session:
        yield await _make_edit(database, ctx, session, await find_caller_target(session, ctx.caller))


async def edit_once(
    database: Database,
    ctx: LeafContext,
    payload: Payload,
    reply: type[R],
    work: Callable[[Edit], Awaitable[R]],
    *,
    new: Target | None = None,
) -> R:
    """Write in one transaction, once per key of the call.

    The key is scoped to the target, so that tenants cannot collide, or to the tenant where the call makes a ``new``
    target. What the edit changed and showed is emitted after the commit, also if an earlier attempt wrote it. What a
    refusal showed is emitted too.

    Raises:
        IdempotencyError: the key was used for another operation or payload.
        RateLimitedError: the database was busy for too long.
    """
    own_key = ctx.key
    async with database.write() as session:
        target = new or await find_caller_target(session, ctx.caller)
        scope = f"{target.site}/{target.environment}" if new is None else f"tenant {ctx.caller.principal.tenant}"
        edit = await _make_edit(database, ctx, session, target)
        key = f"{scope}/{own_key}"

        async def write() -> _Written:
            made = await work(edit)
            if edit.changes:
                await edit.count_edit()
            return _Written(
                reply=made.model_dump(mode="json", by_alias=False, round_trip=True),
                changes=edit.changes,
                seen=edit.seen,
                later=edit.later,
            )

        try:
            written = await once(session, key, _Written, write, digest=_payload_digest(payload))
        except ConflictError:
            for each in edit.seen:
                ctx.emit(each)
            raise
    if written.changes:
        database.tell_edited(target)
    for each in (*written.changes, *written.seen):
        ctx.emit(each)
    for each in written.later:
        await _schedule(database, each)
    return reply.model_validate(written.reply, by_alias=False, by_name=True)


async def _schedule(database: Database, call: LaterCall) -> None:
    """Schedule a call that follows an edit. What its row says is found again by a later edit if it cannot be."""
    if database.schedules is not None:
        with suppress(DeniedError, ContractError):  # outside of runs, or an agent above does not let it through
            await database.schedules.add(call.key, call.tool, call.arguments, at=call.at)


async def _make_edit(database: Database, ctx: LeafContext, session: AsyncSession, target: Target) -> Edit:
    return Edit(
        session=session,
        target=target,
        locales=await load_locales(session, target.site),
        author=ctx.caller.principal.name,
        run=ctx.run,
        conversation=ctx.caller.conversation,
        now=database.clock(),
        new_id=database.new_id,
        last_seen=ctx.last_seen,
    )


async def find_caller_target(session: AsyncSession, caller: Caller) -> Target:
    """The site and environment of a call. See `find_target`."""
    return await find_target(session, caller.principal.tenant, caller.target)


async def find_reachable(session: AsyncSession, caller: Caller) -> list[tuple[Site, list[str]]]:
    """The sites that a call reaches, oldest first, each with its environments, the default first.

    A call with a target reaches that one alone: the permissions of its caller may hold for no other. A call without a
    target is made with permissions for all of them.

    Raises:
        NotFoundError: the tenant has no such site or environment.
    """
    query = select(Site, Environment.name).join(Environment, Environment.site == Site.key)
    query = query.where(Site.tenant == caller.principal.tenant)
    if caller.target:
        target = await find_caller_target(session, caller)
        query = query.where(Environment.site == target.site, Environment.name == target.environment)
    query = query.order_by(Site.created_at, Site.key, Environment.is_default.desc(), Environment.name)
    found: dict[str, tuple[Site, list[str]]] = {}
    for site, environment in (await session.execute(query)).all():
        found.setdefault(site.key, (site, []))[1].append(environment)
    return [*found.values()]


def _payload_digest(payload: Payload) -> str:
    payload_json = json.dumps(payload.model_dump(mode="json"), sort_keys=True)
    return sha256(f"{type(payload).__name__} {payload_json}".encode()).hexdigest()
