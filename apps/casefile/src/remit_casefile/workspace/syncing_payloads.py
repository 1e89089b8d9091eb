"""Payloads and envelopes for syncing."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from remit.inventory import Request, Response
from remit_casefile.google.payloads.base import GoogleId
from remit_casefile.google.payloads.sheets import Range
from remit_casefile.google.payloads.sync import Missing
from remit_casefile.workspace.payloads import CasefileId, CopyResult, Payload

_Ranges = Annotated[list[Range], Field(max_length=100)]


class SyncGmailPayload(Payload):
    """The casefile whose mail to sync."""

    casefile_id: CasefileId
    label_id: GoogleId | None = Field(
        default=None,
        description="Only mail with this label. If omitted, the label of the last sync; at first, the whole mailbox",
    )


class SyncDrivePayload(Payload):
    """The casefile whose files to sync."""

    casefile_id: CasefileId
    folder_id: GoogleId | None = Field(
        default=None,
        description="Only files in this folder. If omitted, the folder of the last sync; at first, all files",
    )


class SyncSheetsPayload(Payload):
    """The casefile whose cells to sync."""

    casefile_id: CasefileId
    spreadsheet_id: GoogleId | None = Field(
        default=None, description="A spreadsheet to read more cells of, with ranges"
    )
    ranges: _Ranges = Field(
        default_factory=list[str], description="Cells of it to read from now on: {sheet}!{first cell}:{last cell}"
    )

    @model_validator(mode="after")
    def _names_cells(self) -> Self:
        if (self.spreadsheet_id is None) != (not self.ranges):
            raise ValueError("give a spreadsheet_id and ranges of it, or neither")
        return self


class SyncedPayload(CopyResult):
    """The changes that a sync made."""

    removed: int = Field(description="How many were gone at Google. What somebody stored by hand stays")
    full: bool = Field(description="Whether everything was read, and not only what changed")
    missing: list[Missing] = Field(description="What could not be had, the first of it. Call again for it")
    missing_count: int = Field(description="How much could not be had")


class SyncGmailRequest(Request[SyncGmailPayload], operation="sync_gmail"):
    """A request to sync a casefile's mail."""


class SyncGmailResponse(Response[SyncedPayload]):
    """The response with the changes."""


class SyncDriveRequest(Request[SyncDrivePayload], operation="sync_drive"):
    """A request to sync a casefile's files."""


class SyncDriveResponse(Response[SyncedPayload]):
    """The response with the changes."""


class SyncSheetsRequest(Request[SyncSheetsPayload], operation="sync_sheets"):
    """A request to sync a casefile's cells."""


class SyncSheetsResponse(Response[SyncedPayload]):
    """The response with the changes."""
