"""Keeps copies of a mailbox up to date: everything once, then what changed, and nothing lost on the way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from remit.errors import CallError, NotFoundError
from remit_casefile.google.failures import BusyError
from remit_casefile.google.gmail import GmailClient
from remit_casefile.google.payloads.gmail import GetMessage, ListMessages, MessageList, MessageView
from remit_casefile.google.payloads.sync import MailboxSynced, Missing
from remit_casefile.google.settling import Patience
from remit_casefile.google.sync import Mark, listed, missing, waiting
from remit_casefile.google.wire import HistoryPage

_AWAY: Final = frozenset({"SPAM", "TRASH"})
_AT_ONCE: Final = 8
_LATER: Final = "one sync reads no more than so many; the next one goes on"


class MailboxSync:
    """Syncs one mailbox, or the messages of it that have a label.

    A token holds a history id of Gmail and the ids of messages that could not be read. Gmail forgets old history: then
    everything is read anew, and ``full`` says so.

    Args:
        gmail: the mailbox.
        label_id: only messages that have this label; None for all.
        most: how many messages one sync reads; the rest is left to later ones. None for all at once.
        patience: how long to wait where Google asks to.
    """

    def __init__(
        self,
        gmail: GmailClient,
        *,
        label_id: str | None = None,
        most: int | None = None,
        patience: Patience | None = None,
    ) -> None:
        self._gmail = gmail
        self._most = most
        self._labels = [] if label_id is None else [label_id]
        self._patience = patience or Patience(sleep=asyncio.sleep)

    async def sync(self, sync_token: str | None = None) -> MailboxSynced:
        """What is new since the sync that gave the token; without one, everything.

        Raises:
            CallError: nothing at all could be had. The token given is as good as before.
        """
        mark = Mark.of(sync_token)
        if mark.since is not None:
            try:
                return await self._changes(mark.since, mark.pending)
            except NotFoundError:  # of the first page of history alone: it is too long ago
                pass
        return await self._everything()

    async def _everything(self) -> MailboxSynced:
        until = (await waiting(self._gmail.profile, self._patience)).history_id

        async def fetch(token: str | None) -> MessageList:
            return await self._gmail.list_messages(
                ListMessages(label_ids=self._labels, max_results=500, page_token=token)
            )

        found = await listed(fetch, self._patience)
        ids = dict.fromkeys(message.id for page in found.pages for message in page.messages)
        read = await self._read(ids)
        whole = found.cut is None
        gone = set(read.gone)
        return read.synced(
            full=True,
            since=until if whole else None,
            present=[each for each in ids if each not in gone] if whole else None,
            missing=found.missing("the list of messages"),
        )

    async def _changes(self, since: str, pending: Iterable[str]) -> MailboxSynced:
        async def fetch(token: str | None) -> HistoryPage:
            return await self._gmail.history(since, token)

        found = await listed(fetch, self._patience)
        records = [record for page in found.pages for record in page.history]
        deleted = dict.fromkeys(change.message.id for record in records for change in record.messages_deleted)
        touched = dict.fromkeys(pending)
        for record in records:
            for change in (*record.messages_added, *record.labels_added, *record.labels_removed):
                touched[change.message.id] = None
        read = await self._read([each for each in touched if each not in deleted])
        read.gone[:0] = deleted
        # Of several pages the first tells the earliest time: what changed while they were read comes again.
        return read.synced(
            full=False,
            since=found.pages[0].history_id if found.cut is None else since,
            present=None,
            missing=found.missing("the history"),
        )

    async def _read(self, ids: Iterable[str]) -> _Read:
        """Read messages, some at once. Once Google asks for patience in vain, the rest waits for the next sync."""
        due = list(ids)
        waiting_ids = due[: self._most]
        read = _Read(later=due[len(waiting_ids) :])
        for start in range(0, len(waiting_ids), _AT_ONCE):
            batch = waiting_ids[start : start + _AT_ONCE]
            if read.busy is not None:
                read.missing += [missing(each, read.busy) for each in batch]
            else:
                for each, answer in zip(batch, await asyncio.gather(*map(self._message, batch)), strict=True):
                    read.take(each, answer, self._labels)
        return read

    async def _message(self, message_id: str) -> MessageView | CallError:
        try:
            return await waiting(lambda: self._gmail.get_message(GetMessage(message_id=message_id)), self._patience)
        except CallError as error:
            return error


class _Read:
    """What became of the messages that were to be read."""

    def __init__(self, *, later: Sequence[str]) -> None:
        self.later = later
        self.messages = list[MessageView]()
        self.gone = list[str]()
        self.missing = list[Missing]()
        self.busy: BusyError | None = None

    def take(self, message_id: str, answer: MessageView | CallError, scope: Sequence[str]) -> None:
        """Put an answer where it belongs."""
        if isinstance(answer, NotFoundError):
            self.gone.append(message_id)
        elif isinstance(answer, CallError):
            self.missing.append(missing(message_id, answer))
            if isinstance(answer, BusyError):
                self.busy = answer
        elif _AWAY.intersection(answer.label_ids) or not set(scope) <= set(answer.label_ids):
            self.gone.append(message_id)
        else:
            self.messages.append(answer)

    def synced(
        self, *, full: bool, since: str | None, present: list[str] | None, missing: list[Missing]
    ) -> MailboxSynced:
        """All of it, with the token to go on from: what could not be read is pending in it."""
        mark = Mark(since=since, pending=(*(each.what for each in self.missing), *self.later))
        lacks = [*missing, *self.missing]
        if self.later:
            lacks.append(Missing(what=f"{len(self.later)} more messages", code=BusyError.code, error=_LATER))
        return MailboxSynced(
            status="partial" if lacks else "completed",
            full=full,
            messages=self.messages,
            removed=self.gone,
            present=present,
            missing=lacks,
            sync_token=mark.token,
        )
