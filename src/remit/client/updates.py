"""Watches the runs, questions and conversations that one principal sees, as a stream of changed rows."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Final

from msgspec import Struct

from remit.client.conversation_reader import ConversationReader
from remit.core.call_checks import check_typed_calls
from remit.core.deadline import Deadline
from remit.engine.sharing import has_access
from remit.errors import RequestError
from remit.journal.changes import Change, ChangePage, Place, parse_place
from remit.journal.ports import ConversationRow, QuestionRow, RunRow, Store

_LIMIT: Final = 200
_PAUSE_SECONDS: Final = 0.02
"""The seconds after a change in which further changes and other watchers share one read of the index."""

_MAX_SECONDS: Final = 10.0
"""Seconds after which the index is read even if nothing woke the stream, as when a connection was lost."""

_Reading = asyncio.Future[ChangePage]
_READINGS: Final[dict[tuple[int, int, str, Place], _Reading]] = {}
"""Reads that are about to start, by event loop, store, tenant and place."""


class WatchStart(Struct, frozen=True, gc=False):
    """A stream without a given place begins with the changes after ``after``. Lists that are read now miss nothing."""

    after: str


class RunUpdate(Struct, frozen=True, gc=False):
    """A run was opened, continues, rests or has ended; ``row`` is its row now, and ``after`` the place after it."""

    after: str
    row: RunRow


class QuestionUpdate(Struct, frozen=True, gc=False):
    """A question was asked, decided, used or closed, or has expired; ``row`` is its row now."""

    after: str
    row: QuestionRow


class ConversationUpdate(Struct, frozen=True, gc=False):
    """A conversation was begun, continued, renamed or shared; ``row`` is its row now."""

    after: str
    row: ConversationRow


WatchEvent = WatchStart | RunUpdate | QuestionUpdate | ConversationUpdate


@check_typed_calls(RequestError)
class UpdateReader(ConversationReader):
    """Reads the journal as ``principal``, and watches what changes in it."""

    def watch(self, *, after: str = "") -> AsyncGenerator[WatchEvent]:
        """Yield each changed run, question and conversation of the principal in its new state. The stream never ends.

        These are the rows that `runs`, `questions` and `conversations` list: questions are included, open or settled,
        if the principal may decide them or requested their call. Several changes of a row at once are one event. Each
        event has an ``after``: a stream that starts there misses no change and repeats none, whichever process made the
        changes. Without ``after``, the first event is a `WatchStart` with a place: read the lists when it arrives.
        Leaving the loop ends the stream. Erased runs, deleted conversations and conversations that are no longer shared
        cause no event; reading them fails because they do not exist.

        Raises:
            RequestError: at the call, ``after`` is not a place; at the first event, it is a place in another journal.
        """
        return self._watch(parse_place(after))

    async def place(self) -> str:
        """The place of `watch` that is reached now: a stream that starts there misses nothing that changes later."""
        return str(await self._find_place())

    async def _find_place(self) -> Place:
        return (await self._store.read_changes(self.principal.tenant, None, 0)).place

    async def check_place(self, after: str) -> None:
        """Refuse what `watch` would refuse at its first event, before an answer begins.

        Raises:
            RequestError: it is not a place, or a place in another journal, or in this one before it was restored.
        """
        if place := parse_place(after):
            await self._store.read_changes(self.principal.tenant, place, 1)

    async def _watch(self, place: Place | None) -> AsyncGenerator[WatchEvent]:
        with self._store.watch_changes() as changed:
            if place is None:
                place = await self._find_place()
                yield WatchStart(str(place))
            while True:
                changed.clear()
                page = await asyncio.shield(_read_soon(self._store, self.principal.tenant, place))
                for change in page.changes:
                    if event := await self._find_event(change):
                        yield event
                place = page.place
                if page.is_last:
                    await _wait(changed, min(page.expires_in, _MAX_SECONDS))

    async def _find_event(self, change: Change) -> WatchEvent | None:
        """The event of a change, if the lists of the principal have its row."""
        row, after = change.row, str(change.place)
        if isinstance(row, RunRow):
            return RunUpdate(after, row) if self._lists_run(row) else None
        if isinstance(row, QuestionRow):
            return QuestionUpdate(after, row) if await self._can_see(row.question) else None
        is_seen = self._application in ("", row.application) and has_access(self.principal, row, "read")
        return ConversationUpdate(after, row) if is_seen else None


async def _wait(changed: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError), Deadline(seconds, lambda _error: TimeoutError()):
        await changed.wait()


def _read_soon(store: Store, tenant: str, place: Place) -> _Reading:
    """A read that begins shortly, for all streams that wait at one place.

    A read that has already started might miss a change.
    """
    key = (id(asyncio.get_running_loop()), id(store), tenant, place)

    async def read() -> ChangePage:
        await asyncio.sleep(_PAUSE_SECONDS)
        _READINGS.pop(key, None)
        return await store.read_changes(tenant, place, _LIMIT)

    reading = _READINGS.get(key)
    if reading is None or reading.done():  # its event loop has ended
        reading = _READINGS[key] = asyncio.ensure_future(read())
        reading.add_done_callback(_forget)
    return reading


def _forget(reading: _Reading) -> None:
    """Retrieve the error of a read that no stream waits for any more."""
    if not reading.cancelled():
        reading.exception()
