"""The order of changes to the rows of conversations, questions and runs."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import AbstractContextManager
from enum import IntEnum
from math import inf, isfinite
from typing import Final, NamedTuple, Protocol, TypeAlias
from urllib.parse import quote, unquote

from remit.core.checks import check_text
from remit.errors import RequestError
from remit.journal.conversation_row import ConversationRow
from remit.journal.question_row import QuestionRow
from remit.journal.run_row import RunRow

ChangedRow: TypeAlias = ConversationRow | QuestionRow | RunRow

_MAX_NUMBER: Final = 2**63
_MAX_PARTS: Final = 10_000


class ChangeKind(IntEnum):
    """The kinds of changes. Within one transaction, conversations come first and runs last."""

    CONVERSATION = 0
    QUESTION = 1
    RUN = 2


class Snapshot(NamedTuple):
    """The transactions of a store that had ended at the moment ``at`` (seconds since the epoch).

    Transactions are numbered when they begin, so a higher number may end first. All below ``low`` had ended, and all
    below ``high`` except those in ``running``.
    """

    low: int
    high: int
    running: tuple[int, ...]
    at: float

    def has(self, number: int) -> bool:
        """Whether a transaction had ended."""
        return number < self.low or (number < self.high and number not in self.running)

    def __str__(self) -> str:
        return f"{self.low}:{self.high}:{','.join(map(str, self.running))}:{self.at!r}"


class ChangeKey(NamedTuple):
    """The order of changes between two snapshots: by transaction, followed by expired questions in order of time."""

    is_expiry: bool
    order: float
    kind: ChangeKind
    id: str

    def __str__(self) -> str:
        return f"{self.is_expiry:d}:{self.order!r}:{self.kind:d}:{quote(self.id, safe='', errors='surrogatepass')}"


class Place(NamedTuple):
    """A place in the order of changes: after all changes in ``since`` and, of those in ``until``, after ``last``."""

    since: Snapshot
    until: Snapshot | None = None
    last: ChangeKey | None = None

    def __str__(self) -> str:
        return "/".join(str(each) for each in self if each is not None)


class Change(NamedTuple):
    """A changed row in its present state, and the place after it."""

    row: ChangedRow
    place: Place


class ChangePage(NamedTuple):
    """Changes in order, and the place after them.

    ``is_last`` means that no further changes exist now. The next question then expires in ``expires_in`` seconds,
    unless it is decided before.
    """

    changes: Sequence[Change]
    place: Place
    is_last: bool = True
    expires_in: float = inf


class ChangeIndex(Protocol):
    """The index of changes for watchers.

    Each row of a conversation, a question or a run holds the number of the last transaction that changed it.
    """

    async def read_changes(self, tenant: str, place: Place | None, limit: int) -> ChangePage:
        """Read up to ``limit`` rows of a tenant that changed after a place. Without a place, only read the place.

        A row that has changed several times comes once, as it is now. No change is omitted and none comes twice, in
        whatever order transactions end. A question that expires counts as changed then. Runs whose header was erased
        and deleted conversations are omitted.

        Raises:
            RequestError: the place is not from this store, or the store was restored from an older backup.
        """
        ...

    def watch_changes(self) -> AbstractContextManager[asyncio.Event]:
        """An event that is set after each change, including changes by other processes, and sometimes spuriously."""
        ...


class ChangeSignal:
    """Wakes the watchers of a store in this process, which may run on event loops of other threads."""

    def __init__(self) -> None:
        self._watchers: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def watch(self) -> Generator[asyncio.Event]:
        """An event that `wake` sets."""
        watcher = (asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._watchers.append(watcher)
        try:
            yield watcher[1]
        finally:
            with self._lock:
                self._watchers.remove(watcher)

    def wake(self) -> None:
        """Set the events, from any thread."""
        if not self._watchers:
            return
        with self._lock:
            watchers = list(self._watchers)
        for loop, event in watchers:
            with contextlib.suppress(RuntimeError):  # the watcher's loop was closed
                loop.call_soon_threadsafe(event.set)


def parse_place(text: str) -> Place | None:
    """Parse a place from text; None for an empty text.

    Raises:
        RequestError: the text is not a place.
    """
    check_text("after", text, RequestError)
    if not text:
        return None
    try:
        since, *rest = text.split("/")
        if not rest:
            return Place(_parse_snapshot(since))
        until, last = rest
        return Place(_parse_snapshot(since), _parse_snapshot(until), _parse_key(last))
    except ValueError:
        raise RequestError(f"after is {text[:100]!r}; give the after of an event, or none to watch from now") from None


def check_place(place: Place, now: Snapshot) -> None:
    """Refuse a place that lies in the future.

    Raises:
        RequestError: says what to do.
    """
    if max(each.high for each in (place.since, place.until) if each is not None) > now.high:
        raise RequestError("after is a place of another journal, or of this one before it was restored; watch from now")


def make_page(
    place: Place, until: Snapshot, found: Iterable[tuple[ChangeKey, ChangedRow | None]], limit: int, expires_in: float
) -> ChangePage:
    """Make a page of the rows found between a place and a snapshot, given the first ``limit`` of each kind in order.

    None stands for a row that cannot be read.
    """
    ordered = sorted(found, key=lambda each: each[0])[:limit]
    places = [Place(place.since, until, key) for key, _ in ordered]
    is_whole = len(ordered) < limit
    if is_whole and places:
        places[-1] = Place(until)
    changes = [Change(row, behind) for (_, row), behind in zip(ordered, places, strict=True) if row is not None]
    is_last = is_whole and place.until is None
    return ChangePage(changes, Place(until) if is_whole else places[-1], is_last, expires_in)


def _parse_snapshot(text: str) -> Snapshot:
    low, high, running, at = text.split(":")
    numbers = [int(each) for each in running.split(",", _MAX_PARTS) if each]
    snapshot = Snapshot(int(low), int(high), tuple(numbers), float(at))
    if not 0 <= snapshot.low <= snapshot.high < _MAX_NUMBER or not isfinite(snapshot.at):
        raise ValueError
    if any(not snapshot.low <= each < snapshot.high for each in numbers):
        raise ValueError
    return snapshot


def _parse_key(text: str) -> ChangeKey:
    is_expiry, order, kind, name = text.split(":")
    key = ChangeKey(bool(int(is_expiry)), float(order), ChangeKind(int(kind)), unquote(name, errors="surrogatepass"))
    if not isfinite(key.order):
        raise ValueError
    return key if key.is_expiry else key._replace(order=int(order))
