"""Numbers and announces transactions that change rows of conversations, questions or runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Connection, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

CHANNEL: Final = "remit_changes"
"""The channel on which Postgres announces changes."""

ANY_RUN: Final = ""
"""The run id under which processes watch all changes."""

_ANNOUNCE: Final[Mapping[str, str]] = {
    "sqlite": "UPDATE remit_changes SET number = number + 1",
    "postgresql": (
        f"SELECT pg_notify('{CHANNEL}', '') WHERE EXISTS (SELECT FROM remit_watches WHERE run = '{ANY_RUN}' "  # noqa: S608 - our own names
        "AND until > extract(epoch FROM clock_timestamp()))"
    ),
}


class ChangeNumber(FunctionElement[int]):
    """The number of the transaction, as a value of a statement."""

    type = BigInteger()
    inherit_cache = True


@compiles(ChangeNumber, "sqlite")
def _number_in_sqlite(_element: ChangeNumber, _compiler: Any, **_options: Any) -> str:
    return "(SELECT number FROM remit_changes)"


@compiles(ChangeNumber, "postgresql")
def _number_in_postgres(_element: ChangeNumber, _compiler: Any, **_options: Any) -> str:
    return "pg_current_xact_id()::text::bigint"


def with_number(names: Iterable[str]) -> dict[str, ColumnElement[Any]]:
    """The values of a statement that changes the columns ``names`` of a row: parameters, and the number."""
    return {**{name: bindparam(name) for name in names}, "changed": ChangeNumber()}


def announcement(connection: Connection) -> str:
    """The statement that begins a transaction which changes rows of conversations, questions or runs.

    On SQLite, where only one transaction writes at a time, it takes the next number. On Postgres, the transaction
    already has a number, and its commit wakes the watching processes. Without watchers it announces nothing, because
    Postgres serializes the commits of transactions that notify.
    """
    return _ANNOUNCE[connection.dialect.name]
