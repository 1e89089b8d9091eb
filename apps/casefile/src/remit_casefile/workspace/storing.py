"""Keeps in a casefile what somebody chose to: messages, files, cells."""

from __future__ import annotations

from remit import LeafContext
from remit.inventory import method
from remit_casefile.casefiles.access import Level, casefile_at
from remit_casefile.google.sync import Mark
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import DriveFile, GmailLabel, GmailMessage, GmailThread, SheetRange
from remit_casefile.storage.work import Edit, editing
from remit_casefile.workspace.copies import Copies, Counts, sync_of
from remit_casefile.workspace.fetching import range_id, view
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


class Storing:
    """Stores by id, each call in one transaction: all of it, or nothing."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @method
    async def store_gmail_messages(
        self, ctx: LeafContext, request: StoreGmailMessagesRequest
    ) -> StoreGmailMessagesResponse:
        """Keep messages in a casefile, for good: they stay there when they are deleted in Gmail."""
        asked = request.payload
        Mark.of(asked.sync_token)

        async def work(edit: Edit) -> StoredMessagesPayload:
            await casefile_at(edit, asked.casefile_id, Level.EDITOR, request.operation)
            mail = {each.id: each for each in asked.messages}
            stored = await Copies(edit, asked.casefile_id, GmailMessage).put(mail, overwrite=asked.overwrite, kept=True)
            beside = [
                await Copies(edit, asked.casefile_id, table).put(
                    {each.id: each for each in of}, overwrite=True, kept=True
                )
                for table, of in ((GmailThread, asked.threads), (GmailLabel, asked.labels))
            ]
            threads, labels = (each.stored + each.updated for each in beside)
            said = await _said(edit, asked.casefile_id, "gmail", stored, asked.sync_token)
            return StoredMessagesPayload(**dict(said), threads_stored=threads, labels_stored=labels)

        done = await editing(self._database, ctx, request, StoredMessagesPayload, work)
        return StoreGmailMessagesResponse.completed(request, done)

    @method
    async def store_drive_files(self, ctx: LeafContext, request: StoreDriveFilesRequest) -> StoreDriveFilesResponse:
        """Keep files in a casefile, for good: name, type, size and link of each, not its content."""
        asked = request.payload
        Mark.of(asked.sync_token)

        async def work(edit: Edit) -> StoredPayload:
            await casefile_at(edit, asked.casefile_id, Level.EDITOR, request.operation)
            files = {each.id: each for each in asked.files}
            stored = await Copies(edit, asked.casefile_id, DriveFile).put(files, overwrite=asked.overwrite, kept=True)
            return await _said(edit, asked.casefile_id, "drive", stored, asked.sync_token)

        done = await editing(self._database, ctx, request, StoredPayload, work)
        return StoreDriveFilesResponse.completed(request, done)

    @method
    async def store_sheet_data(self, ctx: LeafContext, request: StoreSheetDataRequest) -> StoreSheetDataResponse:
        """Keep cells of spreadsheets in a casefile, for good. sync_sheets reads them anew."""
        asked = request.payload

        async def work(edit: Edit) -> StoredPayload:
            await casefile_at(edit, asked.casefile_id, Level.EDITOR, request.operation)
            cells = {
                range_id(each.spreadsheet_id, of.range): view(each.spreadsheet_id, of.range, of)
                for each in asked.sheet_payloads
                for of in each.value_ranges
            }
            stored = await Copies(edit, asked.casefile_id, SheetRange).put(cells, overwrite=asked.overwrite, kept=True)
            return await _said(edit, asked.casefile_id, "sheets", stored, asked.sync_token)

        done = await editing(self._database, ctx, request, StoredPayload, work)
        return StoreSheetDataResponse.completed(request, done)


async def _said(edit: Edit, casefile_id: str, source: Source, counts: Counts, sync_token: str | None) -> StoredPayload:
    """What was stored, with the token for the next sync written down."""
    row = await sync_of(edit, casefile_id, source)
    row.token = sync_token or row.token
    row.synced_at = edit.now
    return StoredPayload(
        casefile_id=casefile_id,
        **counts._asdict(),
        sync_status="completed",
        sync_token=sync_token,
        synced_at=edit.now,
    )
