"""Payloads and envelopes for reading copies."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from remit.tools import entity
from remit_casefile.google.payloads.base import GoogleId
from remit_casefile.google.payloads.drive import FileView
from remit_casefile.google.payloads.sheets import Cell
from remit_casefile.workspace.payloads import CasefileId, Limit, Offset, Payload, Result, SyncState


class ListCasefileMessagesPayload(Payload):
    """The messages to list."""

    casefile_id: CasefileId
    query: str | None = Field(
        default=None,
        description="Only messages with all of these words in sender, recipients, subject or text",
        min_length=1,
        max_length=200,
    )
    limit: Limit = 20
    offset: Offset = 0


class GetCasefileMessagePayload(Payload):
    """The message to read."""

    casefile_id: CasefileId
    message_id: GoogleId = Field(description="Id of the message")


class ListCasefileFilesPayload(Payload):
    """The files to list."""

    casefile_id: CasefileId
    query: str | None = Field(
        default=None, description="Only files with all of these words in their name", min_length=1, max_length=200
    )
    limit: Limit = 50
    offset: Offset = 0


class GetCasefileCellsPayload(Payload):
    """The cells to read."""

    casefile_id: CasefileId
    spreadsheet_id: GoogleId | None = Field(default=None, description="Only cells of this spreadsheet")
    limit: Limit = 10
    offset: Offset = 0


@entity("message", name="subject")
class MessageBrief(Result):
    """A message in a list."""

    id: str = Field(description="Id of the message")
    thread_id: str = Field(description="Id of its thread")
    received_at: datetime | None = Field(description="When Gmail took it in")
    sender: str = Field(description="From whom it says it is")
    subject: str = Field(description="Its subject")
    snippet: str = Field(description="How its text begins")
    labels: list[str] = Field(description="Names of its labels, where the casefile has them, or else their ids")


class CellsView(Result):
    """Cells of a casefile."""

    spreadsheet_id: str = Field(description="Id of the spreadsheet")
    range: str = Field(description="The cells, in A1 notation")
    values: list[list[Cell]] = Field(description="Their values, row by row")


class Page(Result):
    """The common fields of lists."""

    total_count: int = Field(description="How many there are in all")
    offset: int = Field(description="How many were passed over")
    limit: int = Field(description="Most that were to be given")
    sync: SyncState | None = Field(description="How the copies stand; null where nothing was ever synced")


class CasefileMessagesPayload(Page):
    """A page of messages, newest first."""

    messages: list[MessageBrief] = Field(description="The messages")


class CasefileFilesPayload(Page):
    """A page of files, by name."""

    files: list[FileView] = Field(description="The files")


class CasefileCellsPayload(Page):
    """A page of cells."""

    ranges: list[CellsView] = Field(description="The cells")
