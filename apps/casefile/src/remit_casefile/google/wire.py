"""Google's wire models that callers do not see: messages as trees, and change lists."""

from __future__ import annotations

from typing import cast

from pydantic import Field, model_validator

from remit_casefile.google.payloads.base import GoogleModel
from remit_casefile.google.payloads.drive import FileView, is_file


class Header(GoogleModel):
    """One header of a part."""

    name: str
    value: str = ""


class Body(GoogleModel):
    """The content of a part: ``data`` in URL-safe base64, or an attachment to fetch."""

    data: str = ""
    size: int = 0


class Part(GoogleModel):
    """A part of a message, which may hold others."""

    mime_type: str = ""
    filename: str = ""
    headers: list[Header] = Field(default_factory=list[Header])
    body: Body = Body()
    parts: list[Part] = Field(default_factory=list["Part"])


class MessageResource(GoogleModel):
    """A message. ``internal_date`` counts milliseconds."""

    id: str
    thread_id: str = ""
    history_id: str = ""
    label_ids: list[str] = Field(default_factory=list[str])
    internal_date: int | None = None
    snippet: str = ""
    payload: Part = Part()


class Profile(GoogleModel):
    """The state of a mailbox."""

    history_id: str


class MessageId(GoogleModel):
    """A message reference in a change."""

    id: str


class Thread(GoogleModel):
    """The messages of a thread, oldest first, with the headers that were asked for."""

    id: str
    messages: list[MessageResource] = Field(default_factory=list[MessageResource])


class Change(GoogleModel):
    """One kind of change to one message."""

    message: MessageId


class HistoryRecord(GoogleModel):
    """The changes at one time."""

    messages_added: list[Change] = Field(default_factory=list[Change])
    messages_deleted: list[Change] = Field(default_factory=list[Change])
    labels_added: list[Change] = Field(default_factory=list[Change])
    labels_removed: list[Change] = Field(default_factory=list[Change])


class HistoryPage(GoogleModel):
    """Changes to a mailbox. ``history_id`` is the mailbox's at the time of the request."""

    history: list[HistoryRecord] = Field(default_factory=list[HistoryRecord])
    history_id: str
    next_page_token: str | None = None


class StartPageToken(GoogleModel):
    """The token from which changes to a Drive can be listed."""

    start_page_token: str


class FileChange(GoogleModel):
    """A change to a file, with its present metadata if it is still visible and can be read."""

    file_id: str = ""
    removed: bool = False
    file: FileView | None = None
    unreadable: bool = False

    @model_validator(mode="before")
    @classmethod
    def _set_aside(cls, data: object) -> object:
        """Set aside metadata that is no `FileView`, so that one file does not hide the changes to all others."""
        fields = cast("dict[str, object]", data) if isinstance(data, dict) else {}
        if fields.get("file") is None or is_file(fields["file"]):
            return cast("object", data)
        return {**fields, "file": None, "unreadable": True}


class ChangePage(GoogleModel):
    """Changes to a Drive. The last page has the token for later changes."""

    changes: list[FileChange] = Field(default_factory=list[FileChange])
    next_page_token: str | None = None
    new_start_page_token: str | None = None
