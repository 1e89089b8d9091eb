"""Database URLs and connection settings, shared by applications' data and the journal."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from remit.core.files import ensure_private_file
from remit.errors import SetupError
from remit.lazy_exports import install_hint

_POSTGRES_DRIVERS: Final = frozenset({"postgres", "postgresql", "postgresql+psycopg"})
_URL_HINT: Final = "write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE"
_POSTGRES_TIMEOUTS: Final = {
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
"""Timeouts for an unreachable server; libpq's defaults wait for hours. Parameters in the URL take precedence."""
_WAL_TIMEOUT: Final = 30.0

AFTER_FORK: Final = "was opened by the process that this one was forked from; open it in this process, or spawn it"
"""The reason why a forked process cannot use its parent's threads and connections."""


def parse_url(url: URL | str, what: str = "the journal") -> URL:
    """Parse the URL of a database.

    Raises:
        SetupError: it is not the URL of a supported database. The message does not repeat the password.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise SetupError(f"the URL of {what} is not valid; {_URL_HINT}") from None
    if parsed.get_backend_name() != "sqlite" and parsed.drivername not in _POSTGRES_DRIVERS:
        raise SetupError(f"{what} cannot be kept in {parsed.drivername}; {_URL_HINT}")
    if "password" in parsed.query:
        raise SetupError(f"the URL of {what} has a password after '?', where it would be visible; put it before '@'")
    return parsed


def describe_location(url: URL) -> str:
    """The location of a database, without the password."""
    if url.get_backend_name() == "sqlite":
        return url.database or "in memory"
    return URL.create("postgresql", url.username, None, url.host, url.port, url.database).render_as_string()


def ensure_private_database(file: Path | None) -> None:
    """Create a SQLite file, or check an existing one and the files beside it, which inherit its permissions.

    Raises:
        SetupError: another user owns it or can write to it. OSError: it cannot be created.
    """
    if file is None or str(file) in (".", ":memory:"):
        return
    ensure_private_file(file)
    for beside in (f"{file}-wal", f"{file}-shm"):
        if os.path.lexists(beside):
            ensure_private_file(Path(beside))


def postgres_timeouts(url: URL) -> dict[str, str]:
    """The libpq timeout parameters that the URL does not set."""
    return {name: value for name, value in _POSTGRES_TIMEOUTS.items() if name not in url.query}


def missing_driver(error: ModuleNotFoundError) -> SetupError:
    """The error for a Postgres driver that is not installed."""
    return SetupError(f"Postgres needs {error.name}; {install_hint('postgres')}")


def enable_wal(cursor: Any, pause: Callable[[], object], now: Callable[[], float] = time.monotonic) -> None:
    """Switch to WAL mode, and retry while the file is locked, since SQLite does not wait for this lock."""
    give_up_at = now() + _WAL_TIMEOUT
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or now() >= give_up_at:
                raise
            pause()
        else:
            return
