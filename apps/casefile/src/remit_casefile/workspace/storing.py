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
    StoreDriveFilesRequest,
    StoreDriveFilesResponse,
    StoreGmailMessagesRequest,
    StoreGmailMessagesResponse,
    StoreSheetDataRequest,
    StoreSheetDataResponse,
)


class CopyStorer:
    """Stores copies by id; each call is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def store_gmail_messages(
        self, ctx: LeafContext, request: StoreGmailMessagesRequest
    ) -> StoreGmailMessagesResponse:
        """Store messages in a casefile permanently: they stay there when they are deleted in Gmail."""
        payload = request.payload
        SyncCursor.parse(payload.sync_token)

        async def work(edit: Edit) -> StoredMessagesPayload:
            await require_casefile(edit, payload.casefile_id, Level.EDITOR, request.operation)
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

        done = await edit_once(self._database, ctx, request, StoredMessagesPayload, work)
        return StoreGmailMessagesResponse.completed(request, done)

    async def store_drive_files(self, ctx: LeafContext, request: StoreDriveFilesRequest) -> StoreDriveFilesResponse:
        """Store files in a casefile permanently: name, type, size and link of each, not the content."""
        payload = request.payload
        SyncCursor.parse(payload.sync_token)

        async def work(edit: Edit) -> StoredPayload:
            await require_casefile(edit, payload.casefile_id, Level.EDITOR, request.operation)
            files = {each.id: each for each in payload.files}
            stored = await Copies(edit, payload.casefile_id, DriveFile).put(
                files, overwrite=payload.overwrite, kept=True
            )
            return await _record_stored(edit, payload.casefile_id, "drive", stored, payload.sync_token)

        done = await edit_once(self._database, ctx, request, StoredPayload, work)
        return StoreDriveFilesResponse.completed(request, done)

    async def store_sheet_data(self, ctx: LeafContext, request: StoreSheetDataRequest) -> StoreSheetDataResponse:
        """Store cells of spreadsheets in a casefile permanently. sync_sheets updates them."""
        payload = request.payload

        async def work(edit: Edit) -> StoredPayload:
            await require_casefile(edit, payload.casefile_id, Level.EDITOR, request.operation)
            cells = {
                range_id(each.spreadsheet_id, of.range): cells_view(each.spreadsheet_id, of.range, of)
                for each in payload.sheet_payloads
                for of in each.value_ranges
            }
            stored = await Copies(edit, payload.casefile_id, SheetRange).put(
                cells, overwrite=payload.overwrite, kept=True
            )
            return await _record_stored(edit, payload.casefile_id, "sheets", stored, payload.sync_token)

        done = await edit_once(self._database, ctx, request, StoredPayload, work)
        return StoreSheetDataResponse.completed(request, done)


async def _record_stored(
    edit: Edit, casefile_id: str, source: Source, counts: CopyCounts, sync_token: str | None
) -> StoredPayload:
    """Store the token for the next sync, and return the result."""
    row = await get_or_add_sync(edit, casefile_id, source)
    row.token = sync_token or row.token
    row.synced_at = edit.now
    return StoredPayload(
        casefile_id=casefile_id,
        **counts._asdict(),
        sync_status="completed",
        sync_token=sync_token,
        synced_at=edit.now,
    )
