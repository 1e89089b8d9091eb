"""Finds the key of a journal, checks that it is the right one, and signs the rows of a journal on request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Column, Connection, Select, bindparam, delete, insert, select, update

from remit.database.urls import describe_location
from remit.errors import JournalError
from remit.journal.sql.key_file import create_key, read_key
from remit.journal.sql.people_tables import CREDENTIALS, PEOPLE, ROLES
from remit.journal.sql.signatures import RowKind, Signer, columns_of
from remit.journal.sql.tables import CONVERSATIONS, GRANTS, ITEMS, KEY, QUESTIONS, RUNS

ACCEPT: Final = "remit audit accept"
"""The command that accepts a journal as it is."""

_BATCH: Final = 1000


def open_signer(connection: Connection, key_file: Path | None) -> Signer:
    """The signer of an existing journal.

    Raises:
        JournalError: the key is missing or is not the one that signed the journal.
    """
    key_file = _find_key_file(connection, key_file)
    key = read_key(key_file)
    problem = "does not exist"
    if key is not None:
        signer = Signer(key)
        if signer.sign("key", {}) in connection.scalars(select(KEY.c.signature)).all():
            return signer
        problem = "is not the one that signed it"
    raise JournalError(
        f"the key {key_file} of the journal {_location(connection)} {problem}; restore it from a backup, or accept the "
        f"journal as it is: {ACCEPT}"
    )


def create_signer(connection: Connection, key_file: Path | None) -> Signer:
    """The signer of a journal whose tables are new and empty, with a new key, or that of a journal that was deleted."""
    key_file = _find_key_file(connection, key_file)
    signer = Signer(read_key(key_file) or create_key(key_file))
    connection.execute(insert(KEY).values(signature=signer.sign("key", {})))
    return signer


def sign_again(connection: Connection, key_file: Path | None) -> Signer:
    """Sign every row of a journal as it is, with its key or, if that is lost, with a new one."""
    connection.execute(delete(KEY))
    signer = create_signer(connection, key_file)
    chain = select(ITEMS.c.chain).where(ITEMS.c.run == RUNS.c.run, ITEMS.c.seq == RUNS.c.next_seq - 1)

    def sign_run(row: Mapping[str, Any]) -> dict[str, bytes | None]:
        head = signer.sign("head", row) if row["chain"] is not None else None
        return {"signature": head, "cancel_signature": signer.sign("cancel", row) if row["cancelled"] else None}

    _update_each(connection, RUNS.c.run, select(RUNS, chain.scalar_subquery().label("chain")), sign_run)
    kinds: tuple[tuple[RowKind, Column[str]], ...] = (
        ("question", QUESTIONS.c.question),
        ("grant", GRANTS.c.grant),
        ("conversation", CONVERSATIONS.c.id),
        ("person", PEOPLE.c.name),
        ("role", ROLES.c.id),
        ("credential", CREDENTIALS.c.id),
    )
    for kind, key in kinds:
        _update_each(connection, key, select(key.table), lambda row, kind=kind: {"signature": signer.sign(kind, row)})
    return signer


def _find_key_file(connection: Connection, key_file: Path | None) -> Path:
    """The key file of a journal: the given one, or that beside the file of SQLite."""
    if key_file is None:
        file = connection.exec_driver_sql("PRAGMA database_list").all()[0].file
        if not file:
            raise JournalError("a journal in SQLite needs a file; use InMemoryStore for one in memory")
        key_file = Path(f"{file}.key")
    return key_file


def _location(connection: Connection) -> str:
    return describe_location(connection.engine.url)


def _update_each(
    connection: Connection,
    key: Column[str],
    rows: Select[Any],
    make_values: Callable[[Mapping[str, Any]], dict[str, bytes | None]],
) -> None:
    """Update every row of a table, in batches."""
    last, ordered = "", rows.order_by(key).limit(_BATCH)
    while batch := [columns_of(row) for row in connection.execute(ordered.where(key > last))]:
        values = [make_values(row) for row in batch]
        change = update(key.table).where(key == bindparam("the_key"))
        change = change.values({name: bindparam(name) for name in values[0]})
        connection.execute(
            change, [{"the_key": row[key.name], **each} for row, each in zip(batch, values, strict=True)]
        )
        last = batch[-1][key.name]
