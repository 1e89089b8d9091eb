"""Statements that SQLAlchemy writes once for a database, and that the driver's own cursor runs from then on.

SQLAlchemy takes ten times as long to run a statement as the database does; what every drive says goes without it.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import Connection, Insert, Row, Select, Update
from sqlalchemy.engine import result_tuple
from sqlalchemy.exc import DBAPIError

_AnySelect: TypeAlias = "Select[*tuple[Any, ...]]"


class _CompiledStatement(NamedTuple):
    """A statement in the words of one database: its text, the names of its places, and what stands in them anyway."""

    text: str
    parameter_names: Sequence[str]
    constants: Mapping[str, object]

    def ordered_values(self, values: Mapping[str, object]) -> tuple[object, ...]:
        """The values in the order of their places."""
        merged = {**values, **self.constants} if self.constants else values
        return tuple([merged[name] for name in self.parameter_names])


class _Statement:
    """Both kinds. Its values are text, numbers and bytes, which every driver takes and gives as they are."""

    def __init__(self, statement: _AnySelect | Insert | Update) -> None:
        self._statement = statement
        self._compiled_by_dialect: dict[str, _CompiledStatement] = {}

    def _compile_for(self, connection: Connection) -> _CompiledStatement:
        written = self._compiled_by_dialect.get(connection.dialect.name)
        if written is None:
            compiled = self._statement.compile(dialect=connection.dialect)
            constants = {name: value for name, value in compiled.params.items() if value is not None}
            written = _CompiledStatement(str(compiled), tuple(compiled.positiontup or ()), constants)
            self._compiled_by_dialect[connection.dialect.name] = written
        return written


class Query(_Statement):
    """Reads rows, whose columns are their attributes."""

    def __init__(self, statement: _AnySelect) -> None:
        super().__init__(statement)
        self._make_row = result_tuple(statement.selected_columns.keys())

    def all(self, connection: Connection, **values: object) -> list[Row[Any]]:
        """Every row."""
        written = self._compile_for(connection)
        with _translate_driver_errors(connection, written.text):
            cursor = connection.connection.cursor()
            cursor.execute(written.text, written.ordered_values(values))
            return [self._make_row(row) for row in cursor.fetchall()]

    def first(self, connection: Connection, **values: object) -> Row[Any] | None:
        """The one row, or the first."""
        return next(iter(self.all(connection, **values)), None)


class Command(_Statement):
    """Changes rows."""

    def execute(self, connection: Connection, *rows: Mapping[str, object]) -> int:
        """Run it with each of some values; how many rows it has changed."""
        written = self._compile_for(connection)
        placed = [written.ordered_values(values) for values in rows]
        with _translate_driver_errors(connection, written.text):
            cursor = connection.connection.cursor()
            if len(placed) == 1:
                cursor.execute(written.text, placed[0])
            else:
                cursor.executemany(written.text, placed)
            return cursor.rowcount


@contextmanager
def _translate_driver_errors(connection: Connection, text: str) -> Generator[None]:
    """What the driver raises, as SQLAlchemy would have told it: with whether the connection is lost."""
    try:
        yield
    except connection.dialect.loaded_dbapi.Error as error:
        lost = connection.dialect.is_disconnect(error, connection.connection.dbapi_connection, None)
        if lost:
            connection.invalidate(error)
        raise DBAPIError(text, None, error, connection_invalidated=lost) from error
