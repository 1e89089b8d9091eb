"""Wakes the streams of this process that follow a run when an item is stored or a model writes here."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Generator, Sequence
from typing import Final

from remit.journal.ledger import StoredCallback
from remit.record.items import Position

ItemCallback = Callable[[Position], None]
"""Called with each item of a runtime's runs after it is stored."""


class RunChanged(asyncio.Event):
    """Set on news of a run. ``has_items``: the news includes items, not only pieces of answers."""

    def __init__(self, *, pieces: bool = True) -> None:
        super().__init__()
        self.has_items = False
        self.wants_pieces = pieces

    def set_for_items(self) -> None:
        """Set the event because items were stored."""
        self.has_items = True
        self.set()

    def reset(self) -> bool:
        """Clear the event; return whether items were stored."""
        self.clear()
        has_items, self.has_items = self.has_items, False
        return has_items


_LOG: Final = logging.getLogger(__name__)

_WATCHERS: Final[dict[str, list[tuple[asyncio.AbstractEventLoop, RunChanged]]]] = {}
"""The streams by run. Runs and streams may have separate event loops in other threads."""
_LOCK: Final = threading.Lock()


@contextlib.contextmanager
def watch_run(run: str, *, pieces: bool = True) -> Generator[RunChanged]:
    """An event that is set whenever this process stored an item of the run, or a model wrote a piece of an answer.

    Without ``pieces``, the event is set only for items, and no model writes pieces for it.
    """
    watcher = (asyncio.get_running_loop(), RunChanged(pieces=pieces))
    with _LOCK:
        _WATCHERS.setdefault(run, []).append(watcher)
    try:
        yield watcher[1]
    finally:
        with _LOCK:
            _WATCHERS[run].remove(watcher)
            if not _WATCHERS[run]:
                del _WATCHERS[run]


def wake_streams_and(on_item: ItemCallback | None) -> StoredCallback:
    """The callback of a runtime for stored items: wakes the streams of the run, then calls ``on_item``.

    Exceptions of ``on_item`` are logged, because an observer must not end a run.
    """

    def announce(positions: Sequence[Position]) -> None:
        if positions[0].run in _WATCHERS:
            wake_streams(positions[0].run, for_items=True)
        if on_item is None:
            return
        for position in positions:
            try:
                on_item(position)
            except Exception:  # noqa: BLE001 - the run continues after any error
                _LOG.exception("on_item failed for %s", position.run)

    return announce


def is_watched(run: str) -> bool:
    """Whether a stream of this process follows the run."""
    return run in _WATCHERS and any(event.wants_pieces for _, event in list(_WATCHERS.get(run, ())))


def wake_streams(run: str, *, for_items: bool = False) -> None:
    """Wake the streams of this process that follow the run."""
    if run not in _WATCHERS:
        return
    with _LOCK:
        watchers = list(_WATCHERS.get(run, ()))
    here = _running_loop()
    for loop, event in watchers:
        if not for_items and (event.is_set() or not event.wants_pieces):
            continue  # the stream has not yet read the earlier news, and will then read everything
        set_event = event.set_for_items if for_items else event.set
        if loop is here:
            set_event()
            continue
        with contextlib.suppress(RuntimeError):  # its loop was closed
            loop.call_soon_threadsafe(set_event)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:  # a thread without an event loop
        return None
