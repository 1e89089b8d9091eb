"""What a task changed in the tables of its application, beside what it was to change."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, Self, TypeAlias

from remit.errors import SetupError
from remit.evals.state import open_state
from remit.evals.task import Change

_VIRTUAL: Final = re.compile(r"create\s+virtual\s", re.IGNORECASE)
_ROWS: Final = re.compile(r"\s*\"?(\w+)\"?(?=\s|$)")
_MAX_VALUE: Final = 60
_Key: TypeAlias = tuple[Any, ...]
_Rows: TypeAlias = dict[_Key, dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A row that was added, removed or changed: then ``columns`` are those whose values differ."""

    table: str
    key: _Key
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    columns: tuple[str, ...] = ()

    def __str__(self) -> str:
        row = f"{self.table} {'/'.join(map(str, self.key))}"
        if self.before is None or self.after is None:
            return f"{row} was {'added' if self.before is None else 'removed'}"
        changed = (f"{each} {_show(self.before.get(each))} → {_show(self.after.get(each))}" for each in self.columns)
        return f"{row} has changed: {', '.join(changed)}"


class Snapshot:
    """A copy of the database of an application. It is empty if there is none yet."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @classmethod
    def take(cls, application: str) -> Self:
        """Copy the database as it is now.

        Raises:
            SetupError: it cannot be read.
        """
        copy = sqlite3.connect(":memory:", check_same_thread=False)
        with open_state(application) as state:
            if state is not None:
                state.backup(copy)
        copy.execute("PRAGMA query_only = ON")
        return cls(copy)

    def close(self) -> None:
        """Forget the copy."""
        self._connection.close()

    def tables(self) -> list[str]:
        """The names of all tables, without the indexes of full text, which follow from other tables."""
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        found = {str(name): str(sql) for name, sql in self._connection.execute(query)}
        virtual = tuple(f"{name}_" for name, sql in found.items() if _VIRTUAL.match(sql))
        return sorted(n for n, sql in found.items() if not _VIRTUAL.match(sql) and not n.startswith(virtual or ("\0",)))

    def rows(self, source: str) -> _Rows:
        """The rows of ``TABLE WHERE condition`` by their primary keys; by all their values if there is none.

        Raises:
            SetupError: the source is no such text, or the query fails.
        """
        table = _table_of(source)
        try:
            columns = [(row[1], row[5]) for row in self._connection.execute(f'PRAGMA table_info("{table}")')]
            if not columns:
                return {}
            names = [name for name, _ in columns]
            listed = ", ".join(f'"{name}"' for name in names)
            found = self._connection.execute(f"SELECT {listed} FROM {source}").fetchall()  # noqa: S608 - a task's SQL
        except sqlite3.Error as error:
            raise SetupError(f"the rows {source!r} cannot be read: {error}") from error
        keys = [name for name, place in columns if place] or names
        rows = [dict(zip(names, row, strict=True)) for row in found]
        return {tuple(row[name] for name in keys): row for row in rows}


def find_differences(before: Snapshot, after: Snapshot, expected: Sequence[Change]) -> list[Difference]:
    """The rows that differ, without those that are expected to.

    Raises:
        SetupError: the rows of an expected change cannot be read, or neither snapshot has its table.
    """
    tables = {*before.tables(), *after.tables()}
    allowed: list[_Allowed] = []
    for change in expected:
        table = _table_of(change.rows)
        if tables and table not in tables:
            raise SetupError(f"there is no table {table!r}; the tables are {', '.join(sorted(tables))}")
        allowed.append(_Allowed(table, {*before.rows(change.rows), *after.rows(change.rows)}, change.columns))
    found = [difference for table in sorted(tables) for difference in _compare(table, before, after)]
    return [left for each in found if (left := _without_allowed(each, allowed))]


class _Allowed(NamedTuple):
    """The rows of a table that may differ; only in ``columns``, if there are any."""

    table: str
    keys: set[_Key]
    columns: Sequence[str]


def _table_of(source: str) -> str:
    found = _ROWS.match(source)
    if found is None:
        raise SetupError(f"rows is {source!r}; write TABLE, or TABLE WHERE condition")
    return found[1]


def _compare(table: str, before: Snapshot, after: Snapshot) -> Iterator[Difference]:
    old, new = before.rows(f'"{table}"'), after.rows(f'"{table}"')
    for key in {**old, **new}:
        one, other = old.get(key), new.get(key)
        if one == other:
            continue
        names = {**one, **other} if one and other else {}
        columns = tuple(name for name in names if one and other and one.get(name) != other.get(name))
        yield Difference(table=table, key=key, before=one, after=other, columns=columns)


def _without_allowed(found: Difference, allowed: Sequence[_Allowed]) -> Difference | None:
    """What nothing allows of a difference. A row may be added or removed only if all its columns may change."""
    here = [each for each in allowed if each.table == found.table and found.key in each.keys]
    if any(not each.columns for each in here):
        return None
    columns = tuple(name for name in found.columns if not any(name in each.columns for each in here))
    return replace(found, columns=columns) if columns or not found.columns else None


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_VALUE else f"{text[: _MAX_VALUE - 1]}…"
