"""Reads a casefile's copies, without requests to Google."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from pydantic import JsonValue
from sqlalchemy import ColumnElement, func, or_, select

from remit import LeafContext
from remit.errors import NotFoundError
from remit_casefile.casefiles.access import Level, require_casefile
from remit_casefile.google.payloads.drive import FileView
from remit_casefile.google.payloads.gmail import MessageView
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import DriveFile, GmailLabel, GmailMessage, SheetRange, Sync
from remit_casefile.storage.transactions import View, open_view
from remit_casefile.workspace.fetching import range_id
from remit_casefile.workspace.payloads import Source, SyncState
from remit_casefile.workspace.reading_payloads import (
    CasefileCellsPayload,
    CasefileFilesPayload,
    CasefileMessagesPayload,
    CellsView,
    GetCasefileCellsPayload,
    GetCasefileMessagePayload,
    ListCasefileFilesPayload,
    ListCasefileMessagesPayload,
    MessageBrief,
    Page,
)

_SNIPPET_LENGTH: Final = 200
CopyTable: TypeAlias = type[GmailMessage] | type[DriveFile] | type[SheetRange]
ListPayload: TypeAlias = ListCasefileMessagesPayload | ListCasefileFilesPayload | GetCasefileCellsPayload
_TABLES: Final[Mapping[Source, CopyTable]] = {"gmail": GmailMessage, "drive": DriveFile, "sheets": SheetRange}


class CopyReader:
    """The copies in casefiles, for reading."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list_casefile_messages(
        self, ctx: LeafContext, payload: ListCasefileMessagesPayload
    ) -> CasefileMessagesPayload:
        """List or search the mail stored in a casefile, newest first. Sends no request to Google."""
        async with open_view(self._database, ctx) as view:
            await require_casefile(view, payload.casefile_id, Level.VIEWER)
            where = _match_conditions(
                payload.casefile_id, GmailMessage, payload.query, "sender", "to", "cc", "subject", "text"
            )
            newest = GmailMessage.data["received_at"].as_string().desc()
            found, page = await _load_page(view, payload, "gmail", where, newest)
            names = await _load_label_names(view, payload.casefile_id)
        messages = [_message_brief(MessageView.model_validate(data), names) for data in found]
        return CasefileMessagesPayload(messages=messages, **dict(page))

    async def get_casefile_message(self, ctx: LeafContext, payload: GetCasefileMessagePayload) -> MessageView:
        """Read one message stored in a casefile."""
        async with open_view(self._database, ctx) as view:
            await require_casefile(view, payload.casefile_id, Level.VIEWER)
            row = await view.session.get(GmailMessage, (payload.casefile_id, payload.message_id))
        if row is None:
            raise NotFoundError(
                f"No message '{payload.message_id}' in {payload.casefile_id}; "
                "list its messages with list_casefile_messages."
            )
        return MessageView.model_validate(row.data)

    async def list_casefile_files(self, ctx: LeafContext, payload: ListCasefileFilesPayload) -> CasefileFilesPayload:
        """List the files stored in a casefile by name, or search their names. Sends no request to Google."""
        async with open_view(self._database, ctx) as view:
            await require_casefile(view, payload.casefile_id, Level.VIEWER)
            where = _match_conditions(payload.casefile_id, DriveFile, payload.query, "name")
            found, page = await _load_page(view, payload, "drive", where, DriveFile.data["name"].as_string())
        files = [FileView.model_validate(data) for data in found]
        return CasefileFilesPayload(files=files, **dict(page))

    async def get_casefile_cells(self, ctx: LeafContext, payload: GetCasefileCellsPayload) -> CasefileCellsPayload:
        """Read the cells stored in a casefile, of one spreadsheet or of all. Sends no request to Google."""
        async with open_view(self._database, ctx) as view:
            await require_casefile(view, payload.casefile_id, Level.VIEWER)
            where = _match_conditions(payload.casefile_id, SheetRange, None)
            if payload.spreadsheet_id is not None:
                where.append(SheetRange.id.startswith(range_id(payload.spreadsheet_id, ""), autoescape=True))
            found, page = await _load_page(view, payload, "sheets", where)
        ranges = [CellsView.model_validate(data) for data in found]
        return CasefileCellsPayload(ranges=ranges, **dict(page))


def _match_conditions(casefile_id: str, table: CopyTable, query: str | None, *fields: str) -> list[ColumnElement[bool]]:
    """The condition that a copy is in the casefile, and has every word of the query in one of the fields."""
    conditions: list[ColumnElement[bool]] = [table.casefile == casefile_id]
    for word in (query or "").split():
        # SQLite knows no case beyond ASCII, so that a word is looked for as people write it.
        spellings = {word, word.lower(), word.upper(), word.capitalize()}
        texts = [table.data[field].as_string() for field in fields]
        conditions.append(or_(*(text.contains(each, autoescape=True) for text in texts for each in spellings)))
    return conditions


async def _load_page(
    view: View, payload: ListPayload, source: Source, where: list[ColumnElement[bool]], *order: ColumnElement[str]
) -> tuple[Sequence[dict[str, JsonValue]], Page]:
    """The copies on the requested page, in the given order or by id, and the fields of every list."""
    table = _TABLES[source]
    query = select(table.data).where(*where).order_by(*order, table.id).offset(payload.offset).limit(payload.limit)
    total = await view.session.scalar(select(func.count()).select_from(table).where(*where)) or 0
    sync = await _load_sync_state(view, payload.casefile_id, source)
    page = Page(total_count=total, offset=payload.offset, limit=payload.limit, sync=sync)
    return (await view.session.scalars(query)).all(), page


async def _load_label_names(view: View, casefile_id: str) -> dict[str, str]:
    query = select(GmailLabel.id, GmailLabel.data["name"].as_string()).where(GmailLabel.casefile == casefile_id)
    return {row[0]: row[1] for row in await view.session.execute(query)}


async def _load_sync_state(view: View, casefile_id: str, source: Source) -> SyncState | None:
    row = await view.session.get(Sync, (casefile_id, source))
    if row is None:
        return None
    state = {"status": row.status, "following": row.scope, "synced_at": row.synced_at, "error": row.error}
    return SyncState.model_validate(state)


def _message_brief(message: MessageView, names: dict[str, str]) -> MessageBrief:
    return MessageBrief(
        id=message.id,
        thread_id=message.thread_id,
        received_at=message.received_at,
        sender=message.sender,
        subject=message.subject,
        snippet=message.snippet or message.text[:_SNIPPET_LENGTH],
        labels=[names.get(label, label) for label in message.label_ids],
    )
