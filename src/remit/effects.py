"""An application's write that happens once per idempotency key.

A keyed tool may be run again with the same ``ctx.key``: after a retry, after a crash, when a run is resumed.
With `once` the second run finds what the first one stored and changes nothing. Key, result and the write itself
are committed in one transaction, so there is no moment at which one exists without the other.

The table belongs to the application, beside its own tables. Put it into the application's metadata, so that
``create_all`` makes it and Alembic's autogenerate finds it::

    effects_table(Base.metadata)

or write the migration by hand::

    op.create_table(
        "remit_effects",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("result", sa.Text),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    )

Rows may be deleted once no run can ask for their key again (by ``at``, say, after some months).
Needs the extra ``sql``. SQLite and PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, TypeVar

from pydantic import TypeAdapter
from sqlalchemy import Column, DateTime, MetaData, Table, Text, func, select, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from remit.errors import IdempotencyError, SetupError

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

__all__ = ["effects_table", "once"]

T = TypeVar("T")

_DIALECTS: Final = ("sqlite", "postgresql")


def effects_table(metadata: MetaData) -> Table:
    """The table ``remit_effects`` in an application's metadata.

    Columns: ``key`` (primary key), ``digest`` of the arguments, ``result`` as JSON, ``at`` in UTC.
    """
    return Table(
        "remit_effects",
        metadata,
        Column("key", Text, primary_key=True),
        Column("digest", Text, nullable=False),
        Column("result", Text),
        Column("at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    )


_EFFECTS: Final = effects_table(MetaData())


async def once(
    session: AsyncSession,
    key: str,
    result_type: type[T] | TypeAdapter[T],
    produce: Callable[[], Awaitable[T]],
    *,
    digest: str = "",
) -> T:
    """Run ``produce`` and store what it gave under ``key``, or give what is stored there already.

    The key is claimed before ``produce`` runs. Of two transactions that use one key at the same time the second
    therefore waits at the claim: if the first commits, the second gets its result; if the first rolls back, the
    second runs. On SQLite begin with ``BEGIN IMMEDIATE``, or call `once` before anything is read: a transaction
    that has read already cannot wait there and fails with "database is locked", which is worth another try.

    Args:
        session: inside a transaction that the caller began. When `once` raises, roll it back.
        key: the idempotency key. Where callers choose their keys, put the tenant in front of it.
        result_type: the pydantic model, or the `TypeAdapter`, that the result is stored and read with.
        produce: does the work with the same session.
        digest: of the arguments. A key that comes back with another digest is refused.

    Raises:
        IdempotencyError: the key was used with other arguments, or its work never finished.
        SetupError: the session is not inside a transaction, or its database is neither SQLite nor PostgreSQL.
    """
    adapter = result_type if isinstance(result_type, TypeAdapter) else TypeAdapter(result_type)
    if not await _claim_key(session, key, digest):
        return adapter.validate_json(await _read_stored_result(session, key, digest), by_alias=False, by_name=True)
    value = await produce()
    text = adapter.dump_json(value, by_alias=False, round_trip=True).decode()
    await session.execute(update(_EFFECTS).where(_EFFECTS.c.key == key).values(result=text))
    return value


async def _claim_key(session: AsyncSession, key: str, digest: str) -> bool:
    """Whether the key was free, and now is this transaction's."""
    if not session.in_transaction():
        raise SetupError(
            "once works inside a transaction that its caller began: "
            "`async with session.begin(): await once(session, ...)`"
        )
    dialect = session.get_bind().dialect.name
    if dialect not in _DIALECTS:
        raise SetupError(f"once works on {' and '.join(_DIALECTS)}, and this session is bound to {dialect}")
    insert = _insert_statement(dialect).values(key=key, digest=digest)
    claim = insert.on_conflict_do_nothing(index_elements=[_EFFECTS.c.key]).returning(_EFFECTS.c.key)
    return await session.scalar(claim) is not None


def _insert_statement(dialect: str) -> sqlite.Insert | postgresql.Insert:
    if dialect == "sqlite":
        return sqlite.insert(_EFFECTS)
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - it takes its time, and is loaded where it is in use

    return postgresql.insert(_EFFECTS)


async def _read_stored_result(session: AsyncSession, key: str, digest: str) -> str:
    """The JSON text stored under a key that is taken."""
    query = select(_EFFECTS.c.digest, _EFFECTS.c.result).where(_EFFECTS.c.key == key)
    stored_digest, text = (await session.execute(query)).one()
    if stored_digest != digest:
        raise IdempotencyError(
            f"the idempotency key {key!r} was used before with other arguments; use a new key for a new call"
        )
    if text is None:
        raise IdempotencyError(
            f"the idempotency key {key!r} was claimed and its work never finished: either it is used again inside "
            "its own work, or a transaction was committed although `once` had raised; roll back instead"
        )
    return str(text)
