"""Wakes the watchers of an SQL journal: at once for this process's changes, by one thread for other processes'."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Generator
from typing import Any, Final

from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from remit.errors import JournalError
from remit.journal.changes import ChangeSignal
from remit.journal.sql.change_number import ANY_RUN, CHANNEL

POLL_SECONDS: Final = 0.5
"""Seconds between two checks of a SQLite journal for changes by other processes."""

_WATCH_SECONDS: Final = 60.0
"""Seconds for which writers in Postgres know that this process watches."""

_RENEW_SECONDS: Final = 20.0
_SETTLE_SECONDS: Final = 2.0
"""Seconds for which a transaction may last that began before this process watched."""

_RETRY_SECONDS: Final = 1.0

_SELECT_NUMBER: Final = text("SELECT number FROM remit_changes")
_LISTEN: Final = text(f"LISTEN {CHANNEL}")
_SET_WATCH: Final = text(
    f"INSERT INTO remit_watches (run, until) "  # noqa: S608 - our own names
    f"VALUES ('{ANY_RUN}', extract(epoch FROM clock_timestamp()) + {_WATCH_SECONDS}) "
    "ON CONFLICT (run) DO UPDATE SET until = excluded.until"
)


class ChangeWatch(ChangeSignal):
    """Wakes watchers. While there are any, a single thread looks for changes by other processes."""

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self._engine = engine
        self._count = 0
        self._stopping: threading.Event | None = None
        self._starting = threading.Lock()

    @contextlib.contextmanager
    def watch(self) -> Generator[asyncio.Event]:
        """An event that `wake` sets."""
        with super().watch() as event:
            self._enter()
            try:
                yield event
            finally:
                self._leave()

    def close(self) -> None:
        """End the thread."""
        if self._stopping is not None:
            self._stopping.set()

    def _enter(self) -> None:
        with self._starting:
            self._count += 1
            if self._stopping is None or self._stopping.is_set():
                self._stopping = threading.Event()
                threading.Thread(
                    target=self._run, args=(self._stopping,), name="remit-journal-changes", daemon=True
                ).start()

    def _leave(self) -> None:
        with self._starting:
            self._count -= 1
            if self._count == 0:
                self.close()

    def _run(self, stopping: threading.Event) -> None:
        follow = self._listen if self._engine.dialect.name == "postgresql" else self._poll
        while not stopping.is_set():
            with contextlib.suppress(SQLAlchemyError, JournalError, OSError):
                follow(stopping)
            self.wake()  # changes in between are read now, and readers learn why the journal cannot be read
            stopping.wait(_RETRY_SECONDS)

    def _poll(self, stopping: threading.Event) -> None:
        known: object = None
        while not stopping.wait(POLL_SECONDS):
            with self._engine.connect().execution_options(remit_reads=True) as connection:
                number = connection.scalar(_SELECT_NUMBER)
            if number != known:
                known = number
                self.wake()

    def _listen(self, stopping: threading.Event) -> None:
        """Wait for what commits tell. A transaction that began before this process watched tells nothing."""
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            driver: Any = connection.connection.driver_connection
            connection.detach()
            connection.execute(_LISTEN)
            began, renew_at = time.monotonic(), 0.0
            while not stopping.is_set():
                now = time.monotonic()
                if now >= renew_at:
                    connection.execute(_SET_WATCH)
                    renew_at = now + _RENEW_SECONDS
                    self.wake()
                told = list(driver.notifies(timeout=POLL_SECONDS, stop_after=1))
                if told or now < began + _SETTLE_SECONDS:
                    self.wake()
