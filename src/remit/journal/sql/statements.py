"""Statements that SQLAlchemy compiles once per database and the driver's own cursor executes.

Executing a statement through SQLAlchemy takes ten times as long as the database itself, so statements that every
execution needs bypass it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import Connection, Delete, Insert, Row, Select, TextClause, Update
from sqlalchemy.engine import result_tuple
from sqlalchemy.exc import DBAPIError

_AnySelect: TypeAlias = "Select[*tuple[Any, ...]]"


class _CompiledStatement(NamedTuple):
    """A compiled statement: its text, the names of its parameters, and constant values."""

    text: str
    parameter_names: Sequence[str]
    constants: Mapping[str, object]

    def ordered_values(self, values: Mapping[str, object]) -> tuple[object, ...]:
        """The values in the order of the parameters."""
        merged = {**values, **self.constants} if self.constants else values
        try:
            return tuple([merged[name] for name in self.parameter_names])
        except KeyError as error:
            raise LookupError(f"a statement has no value for {error.args[0]!r}: {self.text}") from error


class _Statement:
    """Base of both kinds. Values are text, numbers and bytes, which drivers need not convert."""

    def __init__(self, statement: _AnySelect | Insert | Update | Delete | TextClause) -> None:
        self._statement = statement
        self._compiled_by_dialect: dict[str, _CompiledStatement] = {}

    def _compile_for(self, connection: Connection) -> _CompiledStatement:
        statement = self._compiled_by_dialect.get(connection.dialect.name)
        if statement is None:
            compiled = self._statement.compile(dialect=connection.dialect)
            constants = {name: value for name, value in compiled.params.items() if value is not None}
            statement = _CompiledStatement(str(compiled), tuple(compiled.positiontup or ()), constants)
            self._compiled_by_dialect[connection.dialect.name] = statement
        return statement


class Query(_Statement):
    """A statement that reads rows with named columns."""

    def __init__(self, statement: _AnySelect) -> None:
        super().__init__(statement)
        self._make_row = result_tuple(statement.selected_columns.keys())

    def all(self, connection: Connection, **values: object) -> list[Row[Any]]:
        """Return every row."""
        statement = self._compile_for(connection)
        parameters = statement.ordered_values(values)
        try:
            cursor = connection.connection.cursor()
            cursor.execute(statement.text, parameters)
            return [self._make_row(row) for row in cursor.fetchall()]
        except connection.dialect.loaded_dbapi.Error as error:
            raise _translate_error(connection, statement.text, error) from error

    def first(self, connection: Connection, **values: object) -> Row[Any] | None:
        """Return the first row, or None."""
        return next(iter(self.all(connection, **values)), None)


class Command(_Statement):
    """A statement that changes rows."""

    def execute(self, connection: Connection, *rows: Mapping[str, object]) -> int:
        """Execute the statement for each row of values; return how many rows changed."""
        statement = self._compile_for(connection)
        parameters = [statement.ordered_values(values) for values in rows]
        try:
            cursor = connection.connection.cursor()
            if len(parameters) == 1:
                cursor.execute(statement.text, parameters[0])
            else:
                cursor.executemany(statement.text, parameters)
        except connection.dialect.loaded_dbapi.Error as error:
            raise _translate_error(connection, statement.text, error) from error
        return cursor.rowcount


def run_by_driver(connection: Connection, text: str) -> None:
    """Run a statement without values by the driver alone. On Postgres they may be several."""
    try:
        connection.connection.cursor().execute(text)
    except connection.dialect.loaded_dbapi.Error as error:
        raise _translate_error(connection, text, error) from error


def commit_by_driver(connection: Connection) -> None:
    """Commit by the driver alone. It does nothing if no transaction is active."""
    try:
        connection.connection.commit()
    except connection.dialect.loaded_dbapi.Error as error:
        raise _translate_error(connection, "COMMIT", error) from error


def _translate_error(connection: Connection, text: str, error: Any) -> DBAPIError:
    """The error that SQLAlchemy would raise for an error of the driver, with whether the connection is lost."""
    lost = connection.dialect.is_disconnect(error, connection.connection.dbapi_connection, None)
    if lost:
        connection.invalidate(error)
    return DBAPIError(text, None, error, connection_invalidated=lost)
