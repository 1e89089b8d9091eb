"""Stores messages, files and cells that a user selects in a casefile."""

from __future__ import annotations

from remit import LeafContext
from remit_casefile.casefiles.access import Level, require_casefile
from remit_casefile.google.sync import SyncCursor
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import DriveFile, GmailLabel, GmailMessage, GmailThread, SheetRange
from remit_casefile.storage.transactions import Edit, edit_once
from remit_casefile.workspace.copies import Copies, CopyCounts, get_or_add_sync
from remit_casefile.workspace.fetching import cells_view, range_id
from remit_casefile.workspace.payloads import Source
from remit_casefile.workspace.storing_payloads import (
    StoredMessagesPayload,
    StoredPayload,
    StoreDriveFilesPayload,
    StoreGmailMessagesPayload,
    StoreSheetDataPayload,
)


class CopyStorer:
    """Stores copies by id; each call is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def store_gmail_messages(self, ctx: LeafContext, payload: StoreGmailMessagesPayload) -> StoredMessagesPayload:
        """Store messages in a casefile permanently: they stay there when they are deleted in Gmail."""
        SyncCursor.parse(payload.sync_token)

        async def work(edit: Edit) -> StoredMessagesPayload:
            await require_casefile(edit, payload.casefile_id, Level.EDITOR)
            mail = {each.id: each for each in payload.messages}
            stored = await Copies(edit, payload.casefile_id, GmailMessage).put(
                mail, overwrite=payload.overwrite, kept=True
            )
            counts = [
                await Copies(edit, payload.casefile_id, table).put(
                    {each.id: each for each in of}, overwrite=True, kept=True
                )
                for table, of in ((GmailThread, payload.threads), (GmailLabel, payload.labels))
            ]
            threads, labels = (each.stored + each.updated for each in counts)
            result = await _record_stored(edit, payload.casefile_id, "gmail", stored, payload.sync_token)
            return StoredMessagesPayload(**dict(result), threads_stored=threads, labels_stored=labels)

        return await edit_once(self._database, ctx, payload, StoredMessagesPayload, work)

    async def store_drive_files(self, ctx: LeafContext, payload: StoreDriveFilesPayload) -> StoredPayload:
        """Store files in a casefile permanently: name, type, size and link of each, not the content."""
        SyncCursor.parse(payload.sync_token)

        async def work(edit: Edit) -> StoredPayload:
            await require_casefile(edit, payload.casefile_id, Level.EDITOR)
            files = {each.id: each for each in payload.files}
            stored = await Copies(edit, payload.casefile_id, DriveFile).put(
                files, overwrite=payload.overwrite, kept=True
            )
            return await _record_stored(edit, payload.casefile_id, "drive", stored, payload.sync_token)

        return await edit_once(self._database, ctx, payload, StoredPayload, work)

    async def store_sheet_data(self, ctx: LeafContext, payload: StoreSheetDataPayload) -> StoredPayload:
        """Store cells of spreadsheets in a casefile permanently. sync_sheets updates them."""

        async def work(edit: Edit) -> StoredPayload:
            await require_casefile(edit, payload.casefile_id, Level.EDITOR)
            cells = {
                range_id(each.spreadsheet_id, of.range): cells_view(each.spreadsheet_id, of.range, of)
                for each in payload.sheet_payloads
                for of in each.value_ranges
            }
            stored = await Copies(edit, payload.casefile_id, SheetRange).put(
                cells, overwrite=payload.overwrite, kept=True
            )
            return await _record_stored(edit, payload.casefile_id, "sheets", stored, payload.sync_token)

        return await edit_once(self._database, ctx, payload, StoredPayload, work)


async def _record_stored(
    edit: Edit, casefile_id: str, source: Source, counts: CopyCounts, sync_token: str | None
) -> StoredPayload:
    """Store the token for the next sync, and return the result."""
    row = await get_or_add_sync(edit, casefile_id, source)
    row.token = sync_token or row.token
    row.synced_at = edit.now
    edit.add_change("casefile", casefile_id, source)
    return StoredPayload(
        casefile_id=casefile_id,
        **counts._asdict(),
        sync_status="completed",
        sync_token=sync_token,
        synced_at=edit.now,
    )
