"""Results of syncs, for code that stores copies of mail and files."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from remit_casefile.google.payloads.base import GoogleModel
from remit_casefile.google.payloads.drive import FileView
from remit_casefile.google.payloads.gmail import MessageView


class Missing(GoogleModel):
    """An item that could not be read. The next sync tries again, from the token of this one."""

    what: str = Field(description="Id of the message, or which part of a list")
    code: str = Field(description="Code of the error")
    error: str = Field(description="What went wrong")


class SyncResult(GoogleModel):
    """The common fields of sync results."""

    status: Literal["completed", "partial"] = Field(description="partial: what is missing comes with a later sync")
    full: bool = Field(description="Whether everything was read anew, because there was no token, or an expired one")
    removed: list[str] = Field(description="Ids of what is gone: deleted, in the trash, or no longer in scope")
    present: list[str] | None = Field(
        description="After a full sync that saw all: the ids of all there is. Every other one is gone. Else null"
    )
    missing: list[Missing] = Field(description="What could not be had")
    sync_token: str = Field(description="What to begin the next sync with; store it along with what came")


class MailboxSyncResult(SyncResult):
    """The changes in a mailbox."""

    messages: list[MessageView] = Field(description="New and changed messages, as they are now")


class DriveSyncResult(SyncResult):
    """The changes of files."""

    files: list[FileView] = Field(description="New and changed files, as they are now")
