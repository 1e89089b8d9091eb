"""Payloads and envelopes for storing copies."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from remit_casefile.google.payloads.base import GoogleId
from remit_casefile.google.payloads.drive import FileView
from remit_casefile.google.payloads.gmail import MessageView
from remit_casefile.google.payloads.sheets import ValueRanges
from remit_casefile.workspace.payloads import CasefileId, CopyResult, Payload

_SyncToken = Annotated[str, Field(min_length=1, max_length=100_000)]
_TOKEN = "Token of the sync that gave them, so that the next sync goes on from there"  # noqa: S105 - a description
_OVERWRITE = "Whether what is in the casefile already is replaced; if not, it is skipped"


class ThreadView(Payload):
    """A thread of mail."""

    id: GoogleId = Field(description="Id of the thread")
    snippet: str = Field(default="", description="How its last message begins", max_length=2000)


class LabelView(Payload):
    """A label of mail."""

    id: GoogleId = Field(description="Id of the label, as messages name it")
    name: str = Field(description="What people call it", min_length=1, max_length=500)


class StoreGmailMessagesPayload(Payload):
    """Messages to store in a casefile."""

    casefile_id: CasefileId
    messages: list[MessageView] = Field(description="The messages, as gmail_get_message gives them", max_length=500)
    threads: list[ThreadView] = Field(
        default_factory=list[ThreadView], description="Threads of the messages", max_length=500
    )
    labels: list[LabelView] = Field(
        default_factory=list[LabelView], description="Names of the labels of the messages", max_length=500
    )
    sync_token: _SyncToken | None = Field(default=None, description=_TOKEN)
    overwrite: bool = Field(default=False, description=_OVERWRITE)


class StoreDriveFilesPayload(Payload):
    """Files to store in a casefile: their metadata, not their content."""

    casefile_id: CasefileId
    files: list[FileView] = Field(description="The files, as drive_get_file gives them", max_length=500)
    sync_token: _SyncToken | None = Field(default=None, description=_TOKEN)
    overwrite: bool = Field(default=False, description=_OVERWRITE)


class StoreSheetDataPayload(Payload):
    """Cells to store in a casefile."""

    casefile_id: CasefileId
    sheet_payloads: list[ValueRanges] = Field(description="Cells, as sheets_batch_get gives them", max_length=50)
    sync_token: _SyncToken | None = Field(default=None, description="A mark of your own; cells are read anew each time")
    overwrite: bool = Field(default=False, description=_OVERWRITE)


class StoredPayload(CopyResult):
    """The stored copies."""

    sync_token: str | None = Field(description="The token that was given, for the next sync to go on from")


class StoredMessagesPayload(StoredPayload):
    """The stored mail."""

    threads_stored: int = Field(description="How many threads are new or other than before")
    labels_stored: int = Field(description="How many labels are new or other than before")
