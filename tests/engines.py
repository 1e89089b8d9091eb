"""What a process of tests saves itself of what SQLAlchemy does, since it opens a database for almost each of them.

A statement is compiled once for all engines of a kind, each of which would do it again. And the thread in which
aiosqlite works is visited only for what may wait there, such as to execute a statement, and not to take its rows or to
close its cursor: to wake the thread takes longer than both. Other tasks go on while a statement is executed, as they do
elsewhere.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, cast

import aiosqlite
from sqlalchemy import Connection, Engine, event
from sqlalchemy.util import LRUCache

_STATEMENTS: Final = 5_000
"""How many are kept for each kind of engine. The suite executes fewer."""

_SHARED: Final = dict[frozenset[tuple[str, object]], tuple[Any, Any]]()
"""The dialect of the first engine of a kind, and what was compiled for it, by what the dialect was given."""

_KNOWN: Final = set[Any]()
"""The dialects in `_SHARED`."""

_NEVER_WAITS: Final = frozenset({"fetchone", "fetchmany", "fetchall", "close"})
"""The methods of a cursor which has executed its statement: they neither take a lock nor write."""

_CONNECTIONS: Final[Any] = aiosqlite.Connection
_EXECUTE: Final = _CONNECTIONS._execute


@event.listens_for(Engine, "engine_connect")
def share_compiled(connection: Connection) -> None:
    """Let an engine that has connected have the dialect of the first of its kind: statements are compiled for that."""
    engine = cast("Any", connection.engine)
    if engine.dialect in _KNOWN:
        return
    attributes: dict[str, object] = {**vars(engine.dialect), "class": type(engine.dialect)}
    kind = frozenset((name, value) for name, value in attributes.items() if _is_given(value))
    dialect, compiled = _SHARED.setdefault(kind, (engine.dialect, cast("Any", LRUCache(_STATEMENTS))))
    _KNOWN.add(dialect)
    connection.dialect = dialect
    while engine is not None:  # one with options stands before the engine that it is of
        engine.dialect, engine._compiled_cache = dialect, compiled
        engine = getattr(engine, "_proxied", None)


def _is_given(value: object) -> bool:
    """Whether a dialect was given a value, or read it of its server; anything else it has made for itself."""
    return value is None or callable(value) or isinstance(value, (str, int, float, tuple))


async def execute(self: Any, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Execute a function of a connection: at once if it cannot wait and the thread rests, or else in the thread."""
    assert sys.gettrace() is None or "COVERAGE_PROCESS_CONFIG" not in os.environ, "a traced test runs greenlets"
    if not self._running or not self._connection:
        return await _EXECUTE(self, function, *arguments, **named)  # which refuses
    if "queued" not in vars(self):
        self.queued = list[None]()
    queued: list[None] = self.queued
    if not queued and _never_waits(function):
        with suppress(sqlite3.ProgrammingError):  # of a database in memory, which is for its thread alone
            return function(*arguments, **named)

    def work() -> Any:
        try:
            return function(*arguments, **named)
        finally:
            queued.pop()

    queued.append(None)
    return await _EXECUTE(self, work)


def _never_waits(function: Any) -> bool:
    bound, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if isinstance(bound, sqlite3.Connection):
        return name == "cursor"
    return isinstance(bound, sqlite3.Cursor) and name in _NEVER_WAITS


_CONNECTIONS._execute = execute
