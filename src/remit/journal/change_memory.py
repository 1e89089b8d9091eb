"""The order of changes in memory."""

from __future__ import annotations

import abc
import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from math import inf

from remit.journal.changes import (
    ChangedRow,
    ChangeKey,
    ChangeKind,
    ChangePage,
    ChangeSignal,
    Place,
    Snapshot,
    check_place,
    make_page,
)
from remit.journal.conversation_row import ConversationKey, ConversationRow
from remit.journal.index import with_expiry
from remit.journal.question_row import QuestionRow
from remit.journal.run_row import RunRow
from remit.record.arguments import content_digest


class ChangesInMemory(abc.ABC):
    """The order of changes of a store in memory: each change has the next number."""

    _clock: Callable[[], float]
    _questions: dict[str, QuestionRow]

    def __init__(self) -> None:
        self._change_count = 0
        self._changed: dict[tuple[ChangeKind, str | ConversationKey], int] = {}
        self._signal = ChangeSignal()

    def watch_changes(self) -> AbstractContextManager[asyncio.Event]:
        """An event that is set after each change."""
        return self._signal.watch()

    async def read_changes(self, tenant: str, place: Place | None, limit: int) -> ChangePage:
        """Up to ``limit`` rows of a tenant that changed after a place. Without a place, only the current place."""
        now = Snapshot(self._change_count + 1, self._change_count + 1, (), self._clock())
        if place is None:
            return ChangePage((), Place(now))
        check_place(place, now)
        until = place.until or now._replace(at=max(now.at, place.since.at))
        found = [
            (key, row)
            for key, row in [*self._find_changed(place.since, until), *self._find_expired(place.since, until)]
            if (place.last is None or key > place.last) and _tenant_of(row) == tenant
        ]
        later = (row.question.expires for row in self._open_questions(tenant) if row.question.expires > until.at)
        return make_page(place, until, found, limit, min(later, default=inf) - until.at)

    def _mark_changed(self, kind: ChangeKind, name: str | ConversationKey) -> None:
        """Number a change."""
        self._change_count += 1
        self._changed.pop((kind, name), None)
        self._changed[kind, name] = self._change_count
        self._signal.wake()

    def _find_changed(self, since: Snapshot, until: Snapshot) -> Iterator[tuple[ChangeKey, ChangedRow]]:
        for (kind, name), number in reversed(self._changed.items()):
            if since.has(number):
                return
            row: ChangedRow | None
            if isinstance(name, ConversationKey):
                row, name = self._find_talk(name), content_digest("conversation", *name)  # noqa: PLW2901 - as SQL stores it
            elif kind is ChangeKind.RUN:
                row = self._row_of(name)
            else:
                row = with_expiry(self._questions[name], until.at)
            if until.has(number) and row is not None and not _is_gone(row):
                yield ChangeKey(is_expiry=False, order=number, kind=kind, id=name), row

    def _find_expired(self, since: Snapshot, until: Snapshot) -> Iterator[tuple[ChangeKey, QuestionRow]]:
        for name, row in self._questions.items():
            expires, number = row.question.expires, self._changed[ChangeKind.QUESTION, name]
            if row.status == "open" and since.at < expires <= until.at and since.has(number):
                key = ChangeKey(is_expiry=True, order=expires, kind=ChangeKind.QUESTION, id=name)
                yield key, row._replace(status="expired")

    def _open_questions(self, tenant: str) -> Iterator[QuestionRow]:
        return (row for row in self._questions.values() if row.status == "open" and row.question.tenant == tenant)

    @abc.abstractmethod
    def _row_of(self, run: str) -> RunRow | None:
        """The row of a run."""

    @abc.abstractmethod
    def _find_talk(self, key: ConversationKey) -> ConversationRow | None:
        """The row of a conversation."""


def _tenant_of(row: ChangedRow) -> str:
    return row.question.tenant if isinstance(row, QuestionRow) else row.tenant


def _is_gone(row: ChangedRow) -> bool:
    """Whether a run's header was erased, or a conversation deleted."""
    return bool(row.erased) if isinstance(row, RunRow) else isinstance(row, ConversationRow) and bool(row.deletion)
