"""Make an application's write happen once per idempotency key.

A keyed tool may run again with the same ``ctx.key``: after a retry or a crash, or when its run is resumed. With `once`,
the second execution finds the result of the first and changes nothing. Key, result and the write itself are committed
in one transaction, so none of them ever exists without the others.

`remit.database.Database` has the table beside those of its application, and `Database.once` does all this in one line.
With an engine of your own, add the table to the application's metadata, so that ``create_all`` creates it and Alembic's
autogenerate finds it::

    effects_table(Base.metadata)

A row may be deleted once no run can use its key again (for example, by ``at`` after some months). Needs the extra
``sql``. Supports SQLite and PostgreSQL.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

from pydantic import PydanticUserError, TypeAdapter, ValidationError

from remit.lazy_exports import require_extra

with require_extra(__name__, "sql"):
    from sqlalchemy import Column, DateTime, MetaData, Table, Text, func, select, update
    from sqlalchemy.dialects import sqlite
    from sqlalchemy.ext.asyncio import AsyncSession

from remit.call.approved import approved_state, check_approved_state
from remit.core.argument_types import UNCHECKED
from remit.core.call_checks import check_types
from remit.core.checks import wrong_value
from remit.errors import IdempotencyError, SetupError

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

__all__ = ["effects_table", "once"]

T = TypeVar("T")

EFFECTS_TABLE: Final = "remit_effects"
_DIALECTS: Final = ("sqlite", "postgresql")


@check_types
def effects_table(metadata: MetaData) -> Table:
    """Add the table ``remit_effects`` to an application's metadata.

    Columns: ``key`` (primary key), ``digest`` of the arguments, ``result`` as JSON, ``at`` in UTC.
    """
    return Table(
        EFFECTS_TABLE,
        metadata,
        Column("key", Text, primary_key=True),
        Column("digest", Text, nullable=False),
        Column("result", Text),
        Column("at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    )


_EFFECTS: Final = effects_table(MetaData())


@check_types
async def once(
    session: AsyncSession,
    key: str,
    result_type: Annotated[type[T] | TypeAdapter[T], UNCHECKED],
    produce: Callable[[], Awaitable[T]],
    *,
    digest: str = "",
) -> T:
    """Run ``produce`` and store its result under ``key``, or return the result that is stored there already.

    The key is claimed before ``produce`` runs. When two transactions use one key at the same time, the second waits at
    the claim: if the first commits, the second gets its result; if the first rolls back, the second runs. On SQLite,
    begin with ``BEGIN IMMEDIATE`` or call `once` before any read: a transaction that has already read cannot wait there
    and fails with "database is locked", which is retryable.

    If a person approved the call, the preview of its tool is taken once more before ``produce`` runs, in this
    transaction if it reads through `remit.database.Database`. If it names another state than the person saw, nothing is
    written, and the call is asked about again.

    Args:
        session: inside a transaction that the caller began. When `once` raises, roll it back.
        key: the idempotency key. If callers choose their keys, prefix it with the tenant.
        result_type: the pydantic model or `TypeAdapter` that stores and loads the result.
        produce: does the work with the same session.
        digest: of the arguments. Reusing a key with another digest is refused.

    Raises:
        ConflictError: the state that the call was approved for has changed.
        IdempotencyError: the key was used with other arguments or for another type, or its work never finished.
        SetupError: the session is not inside a transaction, its database is neither SQLite nor PostgreSQL, or the
            result is not of the type.
    """
    adapter = result_type if isinstance(result_type, TypeAdapter) else _make_adapter(result_type)
    if not await _claim_key(session, key, digest):
        stored = await _read_stored_result(session, key, digest)
        try:
            return adapter.validate_json(stored, by_alias=False, by_name=True)
        except ValidationError as error:
            raise IdempotencyError(
                f"the idempotency key {key!r} has a result that {adapter!r} cannot load; use a new key for other work"
            ) from error
    if approved_state() is not None:
        async with session.begin_nested() as looking:  # writes of the preview are rolled back
            await check_approved_state()
            await looking.rollback()
    produced: Any = produce()
    value = await produced if inspect.isawaitable(produced) else produced
    try:
        text = adapter.dump_json(value, by_alias=False, round_trip=True, warnings="error").decode()
    except ValueError as error:
        raise wrong_value("once: the result", value, f"return what {adapter!r} can store") from error
    await session.execute(update(_EFFECTS).where(_EFFECTS.c.key == key).values(result=text))
    return value


def _make_adapter(result_type: type[T]) -> TypeAdapter[T]:
    try:
        if not isinstance(result_type, str):
            return TypeAdapter(result_type)
    except (PydanticUserError, LookupError):
        pass
    raise wrong_value("once: result_type", result_type, "give a type that pydantic can store")


async def _claim_key(session: AsyncSession, key: str, digest: str) -> bool:
    """Claim the key for this transaction; False if it is taken."""
    if not session.in_transaction():
        raise SetupError(
            "once needs a transaction that its caller began: `async with session.begin(): await once(session, ...)`"
        )
    dialect = session.get_bind().dialect.name
    if dialect not in _DIALECTS:
        raise SetupError(f"once supports {' and '.join(_DIALECTS)}; this session is bound to {dialect}")
    insert = _insert_statement(dialect).values(key=key, digest=digest)
    claim = insert.on_conflict_do_nothing(index_elements=[_EFFECTS.c.key]).returning(_EFFECTS.c.key)
    return await session.scalar(claim) is not None


def _insert_statement(dialect: str) -> sqlite.Insert | postgresql.Insert:
    if dialect == "sqlite":
        return sqlite.insert(_EFFECTS)
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - slow to import, needed on PostgreSQL only

    return postgresql.insert(_EFFECTS)


async def _read_stored_result(session: AsyncSession, key: str, digest: str) -> str:
    """Read the JSON text stored under a claimed key."""
    query = select(_EFFECTS.c.digest, _EFFECTS.c.result).where(_EFFECTS.c.key == key)
    stored_digest, text = (await session.execute(query)).one()
    if stored_digest != digest:
        raise IdempotencyError(
            f"the idempotency key {key!r} was used with other arguments; use a new key for a new call"
        )
    if text is None:
        raise IdempotencyError(
            f"the idempotency key {key!r} was claimed but its work never finished: either the work uses its own key "
            "again, or a transaction was committed after `once` raised; roll it back instead"
        )
    return str(text)
