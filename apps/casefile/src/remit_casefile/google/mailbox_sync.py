"""Keeps copies of a mailbox in sync: everything once, then changes, without losing any."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from remit.errors import CallError, NotFoundError
from remit_casefile.google.errors import BusyError
from remit_casefile.google.gmail import GmailClient
from remit_casefile.google.payloads.gmail import GetMessage, ListMessages, MessageList, MessageView
from remit_casefile.google.payloads.sync import MailboxSyncResult, Missing
from remit_casefile.google.sync import SyncCursor, make_missing, read_pages, retry_while_busy
from remit_casefile.google.wire import HistoryPage
from remit_casefile.google.write_confirmation import WaitSchedule

_EXCLUDED_LABELS: Final = frozenset({"SPAM", "TRASH"})
_BATCH_SIZE: Final = 8
_DEFERRED_MESSAGE: Final = "one sync reads no more than so many; the next one goes on"


class MailboxSync:
    """Syncs one mailbox, or its messages with one label.

    A token holds a Gmail history id and the ids of messages that could not be read. Gmail drops old history; then
    everything is read again, and ``full`` is set.

    Args:
        gmail: the mailbox.
        label_id: only messages with this label; None for all.
        max_messages: how many messages one sync reads; later syncs read the rest. None for no limit.
        schedule: how long to wait when Google throttles.
    """

    def __init__(
        self,
        gmail: GmailClient,
        *,
        label_id: str | None = None,
        max_messages: int | None = None,
        schedule: WaitSchedule | None = None,
    ) -> None:
        self._gmail = gmail
        self._max_messages = max_messages
        self._labels = [] if label_id is None else [label_id]
        self._schedule = schedule or WaitSchedule(sleep=asyncio.sleep)

    async def sync(self, sync_token: str | None = None) -> MailboxSyncResult:
        """The changes since the sync that returned the token; without one, everything.

        Raises:
            CallError: nothing could be read. The given token stays valid.
        """
        cursor = SyncCursor.parse(sync_token)
        if cursor.since is not None:
            try:
                return await self._sync_changes(cursor.since, cursor.pending)
            except NotFoundError:  # of the first page of history alone: it is too long ago
                pass
        return await self._sync_all()

    async def _sync_all(self) -> MailboxSyncResult:
        until = (await retry_while_busy(self._gmail.get_profile, self._schedule)).history_id

        async def fetch(token: str | None) -> MessageList:
            return await self._gmail.list_messages(
                ListMessages(label_ids=self._labels, max_results=500, page_token=token)
            )

        found = await read_pages(fetch, self._schedule)
        ids = dict.fromkeys(message.id for page in found.pages for message in page.messages)
        read = await self._read_messages(ids)
        is_complete = found.error is None
        removed = set(read.removed)
        return read.to_sync_result(
            full=True,
            since=until if is_complete else None,
            present=[each for each in ids if each not in removed] if is_complete else None,
            missing=found.missing_parts("the list of messages"),
        )

    async def _sync_changes(self, since: str, pending: Iterable[str]) -> MailboxSyncResult:
        async def fetch(token: str | None) -> HistoryPage:
            return await self._gmail.list_history(since, token)

        found = await read_pages(fetch, self._schedule)
        records = [record for page in found.pages for record in page.history]
        deleted = dict.fromkeys(change.message.id for record in records for change in record.messages_deleted)
        touched = dict.fromkeys(pending)
        for record in records:
            for change in (*record.messages_added, *record.labels_added, *record.labels_removed):
                touched[change.message.id] = None
        read = await self._read_messages([each for each in touched if each not in deleted])
        read.removed[:0] = deleted
        # Of several pages the first tells the earliest time: what changed while they were read comes again.
        return read.to_sync_result(
            full=False,
            since=found.pages[0].history_id if found.error is None else since,
            present=None,
            missing=found.missing_parts("the history"),
        )

    async def _read_messages(self, ids: Iterable[str]) -> _ReadResult:
        """Read messages, several at once. If throttling persists, the rest is left to the next sync."""
        due = list(ids)
        batch_ids = due[: self._max_messages]
        read = _ReadResult(deferred=due[len(batch_ids) :])
        for start in range(0, len(batch_ids), _BATCH_SIZE):
            batch = batch_ids[start : start + _BATCH_SIZE]
            if read.busy_error is not None:
                read.missing += [make_missing(each, read.busy_error) for each in batch]
            else:
                for each, answer in zip(batch, await asyncio.gather(*map(self._fetch_message, batch)), strict=True):
                    read.add_answer(each, answer, self._labels)
        return read

    async def _fetch_message(self, message_id: str) -> MessageView | CallError:
        try:
            return await retry_while_busy(
                lambda: self._gmail.get_message(GetMessage(message_id=message_id)), self._schedule
            )
        except CallError as error:
            return error


class _ReadResult:
    """The results of reading messages."""

    def __init__(self, *, deferred: Sequence[str]) -> None:
        self.deferred = deferred
        self.messages = list[MessageView]()
        self.removed = list[str]()
        self.missing = list[Missing]()
        self.busy_error: BusyError | None = None

    def add_answer(self, message_id: str, answer: MessageView | CallError, scope: Sequence[str]) -> None:
        """Sort in one answer."""
        if isinstance(answer, NotFoundError):
            self.removed.append(message_id)
        elif isinstance(answer, CallError):
            self.missing.append(make_missing(message_id, answer))
            if isinstance(answer, BusyError):
                self.busy_error = answer
        elif _EXCLUDED_LABELS.intersection(answer.label_ids) or not set(scope) <= set(answer.label_ids):
            self.removed.append(message_id)
        else:
            self.messages.append(answer)

    def to_sync_result(
        self, *, full: bool, since: str | None, present: list[str] | None, missing: list[Missing]
    ) -> MailboxSyncResult:
        """The sync result, with a token whose pending ids are the messages that could not be read."""
        cursor = SyncCursor(since=since, pending=(*(each.what for each in self.missing), *self.deferred))
        missing_parts = [*missing, *self.missing]
        if self.deferred:
            missing_parts.append(
                Missing(what=f"{len(self.deferred)} more messages", code=BusyError.code, error=_DEFERRED_MESSAGE)
            )
        return MailboxSyncResult(
            status="partial" if missing_parts else "completed",
            full=full,
            messages=self.messages,
            removed=self.removed,
            present=present,
            missing=missing_parts,
            sync_token=cursor.token,
        )
