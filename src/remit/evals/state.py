"""The state of an application during one task: a separate home folder, and queries of its database."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from remit.core.files import keep_data_in
from remit.errors import SetupError
from remit.home import data_location

_OWN_SETTINGS = {"REMIT_DATA": "files", "REMIT_DATABASE": "", "REMIT_ANCHOR": ""}


@contextmanager
def temporary_home() -> Generator[Path]:
    """Set ``REMIT_HOME`` to a new folder for the duration of the block; all data is in files there.

    Raises:
        SetupError: the application has tried to open a database elsewhere.
    """
    names = ("REMIT_HOME", *_OWN_SETTINGS)
    before = {name: os.environ.get(name) for name in names}
    with tempfile.TemporaryDirectory(prefix="remit-eval-", ignore_cleanup_errors=True) as folder:
        os.environ.update({**_OWN_SETTINGS, "REMIT_HOME": folder})
        try:
            with keep_data_in(Path(folder)) as refused:
                try:
                    yield Path(folder)
                finally:
                    if refused:
                        raise SetupError(refused[0])
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


@contextmanager
def open_state(application: str) -> Generator[sqlite3.Connection | None]:
    """The database of an application, only to read; None if there is none yet: it may be created on first use.

    Raises:
        SetupError: it cannot be read, or what the block asks fails.
    """
    path = data_location(os.environ, application)
    if not isinstance(path, Path) or not path.exists():
        yield None
        return
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise SetupError(f"the database of {application!r} cannot be read: {error}") from error


def query_state(application: str, sql: str) -> list[Any] | None:
    """The rows of a query of the application's database, as lists; a single column as plain values.

    None if there is no database yet.

    Raises:
        SetupError: the query fails, or does not only read.
    """
    with open_state(application) as state:
        if state is None:
            return None
        try:
            rows = [list(row) for row in state.execute(sql)]
        except sqlite3.Error as error:
            raise SetupError(f"the query {sql!r} failed: {error}") from error
    return [row[0] for row in rows] if rows and len(rows[0]) == 1 else rows


def is_same(before: list[Any] | None, after: list[Any] | None) -> bool:
    """Whether a query has the same result as before. A database created in the meantime must be empty."""
    if before is None and after is not None:
        rows: list[list[Any]] = [row if isinstance(row, list) else [row] for row in after]
        return not any(value for row in rows for value in row)
    return before == after


def has_result(rows: list[Any], expected: object) -> bool:
    """Whether a query returned the expected result. A value represents one row with one column."""
    return rows == (expected if isinstance(expected, list) else [expected])
