"""Derives conversation rows from the headers of runs, and changes them. Both stores use this code, so they agree."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final, cast

from msgspec import Struct

from remit.errors import RequestConflictError, RequestNotFoundError
from remit.journal.index import check_conversation_free
from remit.journal.ports import ConversationChange, ConversationFilter, ConversationKey, ConversationRow, RunRow
from remit.record.items import DETACHED, RunOpened
from remit.shown import show_value

EVERYONE: Final = "*"
"""Shares a conversation with every principal of the tenant."""

MAX_TITLE_CHARS: Final = 80


def conversation_key(run: RunOpened | RunRow) -> ConversationKey:
    """The key of the conversation of a run."""
    return ConversationKey(run.tenant, run.application, run.conversation)


def first_message(arguments: str) -> str:
    """The beginning of the first text in a run's arguments (JSON); empty if there is none."""
    try:
        values = cast("dict[str, Any]", json.loads(arguments)).values()
    except (ValueError, AttributeError, RecursionError):
        return ""
    return shorten_title(next((each for each in values if isinstance(each, str)), ""))


def shorten_title(text: str) -> str:
    """The beginning of a text in one line, as a title."""
    text = " ".join(text.split())
    return text if len(text) <= MAX_TITLE_CHARS else f"{text[: MAX_TITLE_CHARS - 1]}…"


def open_in_conversation(row: ConversationRow | None, run: RunRow, arguments: str) -> ConversationRow:
    """The row of a conversation after a run that is not a direct call is opened in it."""
    if row is not None:
        return replace(row, active=run.opened, latest=run.run, status=run.status)
    return ConversationRow(
        tenant=run.tenant,
        application=run.application,
        conversation=run.conversation,
        owner=run.principal,
        target=run.target,
        given_title="",
        first_message=first_message(arguments),
        shared={},
        opened=run.opened,
        active=run.opened,
        first=run.run,
        latest=run.run,
        status=run.status,
    )


def check_not_deleted(row: ConversationRow | None) -> None:
    """Refuse a message to a deleted conversation.

    Raises:
        RequestError: the conversation was deleted.
    """
    if row is not None and row.deletion:
        raise RequestConflictError(f"conversation {row.conversation!r} was deleted; use another name")


def change_row(
    row: ConversationRow | None, key: ConversationKey, unfinished: str, change: ConversationChange
) -> ConversationRow:
    """The row of a conversation after a change. ``unfinished`` is one of its unfinished runs, if any.

    Raises:
        RequestError: the conversation does not exist or was deleted, or its deletion must wait for an unfinished run.
    """
    deletion = change.get("deletion", "")
    if row is None or row.deletion == "done" or (row.deletion and not deletion):
        raise RequestNotFoundError(f"conversation {show_value(key.conversation)} does not exist")
    if "title" in change:
        row = replace(row, given_title=change["title"])
    if "share" in change:
        name, access = change["share"]
        others = {each: may for each, may in row.shared.items() if each != name}
        row = replace(row, shared={**others, name: access} if access else others)
    if deletion and unfinished:
        raise RequestConflictError(
            f"conversation {key.conversation!r} is busy: run {unfinished} has not ended; cancel it first"
        )
    if deletion:
        row = replace(row, given_title="", first_message="", shared={}, deletion=deletion)
    return row


def list_rows(rows: Iterable[ConversationRow], conversation_filter: ConversationFilter) -> list[ConversationRow]:
    """List a page of conversations for the in-memory store, the most recently active first."""
    wanted = {
        name: value
        for name, value in conversation_filter.items()
        if name in ("tenant", "application", "conversation", "owner") and value
    }
    member, other_than = conversation_filter.get("member"), conversation_filter.get("other_than")
    before = conversation_filter.get("before")
    found = (
        row
        for row in rows
        if not row.deletion
        and all(getattr(row, name) == value for name, value in wanted.items())
        and (not other_than or row.owner != other_than)
        and (not member or row.owner == member or row.shared)
        and (before is None or (row.active, row.key) < before)
    )
    ordered = sorted(found, key=lambda row: (row.active, row.key), reverse=True)
    return ordered[: conversation_filter.get("limit", 50)]


class _Talk(Struct):
    run_count: int = 0
    row: ConversationRow | None = None


class ConversationsInMemory:
    """The conversations of an in-memory store. ``find_run`` returns the row of a run."""

    def __init__(self, find_run: Callable[[str], RunRow | None]) -> None:
        self._find_run = find_run
        self._talks: dict[ConversationKey, _Talk] = {}

    def latest_run(self, key: ConversationKey) -> RunRow | None:
        """The last run that was opened in a conversation, without direct calls."""
        row = self.find(key)
        return self._find_run(row.latest) if row else None

    def find(self, key: ConversationKey) -> ConversationRow | None:
        """The row of a conversation, with the status of its newest run."""
        talk = self._talks.get(key)
        run = self._find_run(talk.row.latest) if talk and talk.row else None
        return replace(talk.row, status=run.status) if run and talk and talk.row else None

    def list(self, conversation_filter: ConversationFilter) -> list[ConversationRow]:
        """A page of conversations."""
        return list_rows((row for key in self._talks if (row := self.find(key))), conversation_filter)

    def change(self, key: ConversationKey, unfinished: str, change: ConversationChange) -> None:
        """Change a conversation."""
        row = change_row(self.find(key), key, unfinished, change)
        self._talks[key].row = row

    def check_open(self, run: RunRow, find_unfinished: Callable[[ConversationKey], str]) -> None:
        """Refuse a run that cannot be opened in its conversation; see `check_conversation_free`."""
        if run.after != DETACHED:
            key = conversation_key(run)
            row = self.find(key)
            check_not_deleted(row)
            check_conversation_free(run, self._find_run(row.latest) if row else None, lambda: find_unfinished(key))

    def open(self, run: RunRow, arguments: str) -> int:
        """Add a run, and return its number in its conversation."""
        talk = self._talks.setdefault(conversation_key(run), _Talk())
        talk.run_count += 1
        if run.after != DETACHED:
            talk.row = open_in_conversation(talk.row, run, arguments)
        return talk.run_count

    def erase_header(self, run: RunRow) -> bool:
        """Erase the copy of the first message if ``run`` sent it, and return whether it did."""
        talk = self._talks.get(conversation_key(run))
        if not (talk and talk.row and talk.row.first == run.run):
            return False
        talk.row = replace(talk.row, first_message="")
        return True
