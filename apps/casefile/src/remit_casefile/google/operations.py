"""The operations on Gmail, Drive and Sheets, each with the account of its caller. A model reads the docstrings."""

from __future__ import annotations

from typing import Protocol

from remit import LeafContext
from remit.tools import Changed
from remit_casefile.google.clients import Clients
from remit_casefile.google.payloads.drive import (
    DownloadFile,
    ExportFile,
    FileContent,
    FileList,
    FileView,
    GetFile,
    ListFiles,
    UploadFile,
)
from remit_casefile.google.payloads.gmail import (
    GetMessage,
    ListMessages,
    MessageList,
    MessageView,
    SearchMessages,
    SendMessage,
    SentMessage,
)
from remit_casefile.google.payloads.sheets import (
    AppendedValues,
    AppendValues,
    BatchGet,
    UpdatedValues,
    UpdateValues,
    ValueRanges,
)


def emit_change(ctx: LeafContext, kind: str, object_id: str, *fields: str) -> None:
    """Report a change at Google, unless its id is unknown: the change cannot be looked up then, but has happened."""
    if object_id:
        ctx.emit(Changed(kind, object_id, fields=fields))


class ClientsOfCaller(Protocol):
    """Finds the clients of the caller's account."""

    def of(self, ctx: LeafContext, /) -> Clients:
        """The clients of the account with which this call works."""
        ...


class GmailOperations:
    """The mailbox of the caller's account."""

    def __init__(self, clients: ClientsOfCaller) -> None:
        self._clients = clients

    async def list_messages(self, ctx: LeafContext, payload: ListMessages) -> MessageList:
        """List the ids of messages in the mailbox, newest first."""
        return await self._clients.of(ctx).gmail.list_messages(payload)

    async def search_messages(self, ctx: LeafContext, payload: SearchMessages) -> MessageList:
        """Search the mailbox like Gmail's search box. Returns the ids of the messages found, newest first."""
        return await self._clients.of(ctx).gmail.search_messages(payload)

    async def get_message(self, ctx: LeafContext, payload: GetMessage) -> MessageView:
        """Read one message: sender, subject, text and the names of attached files."""
        return await self._clients.of(ctx).gmail.get_message(payload)

    async def send_message(self, ctx: LeafContext, payload: SendMessage) -> SentMessage:
        """Send a message from the mailbox, as plain text. It cannot be recalled."""
        sent = await self._clients.of(ctx).gmail.send_message(ctx, payload)
        emit_change(ctx, "mail", sent.id)
        return sent


class DriveOperations:
    """The files that the caller's account may see."""

    def __init__(self, clients: ClientsOfCaller) -> None:
        self._clients = clients

    async def list_files(self, ctx: LeafContext, payload: ListFiles) -> FileList:
        """List the files of one folder, or all: name, type, size and time of change. Files in the trash are omitted."""
        return await self._clients.of(ctx).drive.list_files(payload)

    async def get_file(self, ctx: LeafContext, payload: GetFile) -> FileView:
        """Read the metadata of a file: name, type, size, time of change and folder. The content is not included."""
        return await self._clients.of(ctx).drive.get_file(payload)

    async def download_file(self, ctx: LeafContext, payload: DownloadFile) -> FileContent:
        """Download the content of a file. Google documents must be exported instead.

        Ask for an artifact to pass large content on.
        """
        return await self._clients.of(ctx).drive.download_file(payload)

    async def export_file(self, ctx: LeafContext, payload: ExportFile) -> FileContent:
        """Export a Google document, spreadsheet or presentation as another type."""
        return await self._clients.of(ctx).drive.export_file(payload)

    async def upload_file(self, ctx: LeafContext, payload: UploadFile) -> FileView:
        """Upload a new file. An existing file of the same name is kept beside it."""
        uploaded = await self._clients.of(ctx).drive.upload_file(ctx, payload)
        emit_change(ctx, "drive_file", uploaded.id)
        return uploaded


class SheetsOperations:
    """The spreadsheets that the caller's account may see."""

    def __init__(self, clients: ClientsOfCaller) -> None:
        self._clients = clients

    async def batch_get(self, ctx: LeafContext, payload: BatchGet) -> ValueRanges:
        """Read one or more ranges of cells in a spreadsheet."""
        return await self._clients.of(ctx).sheets.batch_get(payload)

    async def update_values(self, ctx: LeafContext, payload: UpdateValues) -> UpdatedValues:
        """Write cells of a spreadsheet. Existing values are overwritten."""
        updated = await self._clients.of(ctx).sheets.update_values(payload)
        emit_change(ctx, "sheet", payload.spreadsheet_id, updated.updated_range or payload.range)
        return updated

    async def append_values(self, ctx: LeafContext, payload: AppendValues) -> AppendedValues:
        """Append rows to a table in a spreadsheet. Two calls append them twice."""
        appended = await self._clients.of(ctx).sheets.append_values(payload)
        emit_change(ctx, "sheet", payload.spreadsheet_id, appended.updates.updated_range or payload.range)
        return appended
