"""Wakes the streams of this process that follow a run, as soon as an item of it is stored here."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Generator
from typing import Final

from remit.contracts.items import Position
from remit.journal.ledger import ItemCallback

_WATCHERS: Final[dict[str, list[tuple[asyncio.AbstractEventLoop, asyncio.Event]]]] = {}
"""The streams by run. Runs and streams may have event loops of their own, in other threads."""
_LOCK: Final = threading.Lock()


@contextlib.contextmanager
def watch_run(run: str) -> Generator[asyncio.Event]:
    """An event that is set whenever an item of the run was stored by this process."""
    watcher = (asyncio.get_running_loop(), asyncio.Event())
    with _LOCK:
        _WATCHERS.setdefault(run, []).append(watcher)
    try:
        yield watcher[1]
    finally:
        with _LOCK:
            _WATCHERS[run].remove(watcher)
            if not _WATCHERS[run]:
                del _WATCHERS[run]


def wake_streams_and(on_item: ItemCallback | None) -> ItemCallback:
    """The callback of a runtime for stored items: wakes the streams of the run, then calls ``on_item``."""

    def announce(position: Position) -> None:
        with _LOCK:
            watchers = list(_WATCHERS.get(position.run, ()))
        for loop, event in watchers:
            with contextlib.suppress(RuntimeError):  # its loop was closed
                loop.call_soon_threadsafe(event.set)
        if on_item is not None:
            on_item(position)

    return announce
