"""Payloads and replies of the operations on the site that visitors see."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from remit.tools import Reference
from remit_cms.models import DocumentReference, OmittedIfNone, OptionalParam, Payload, Reply, RevisionNumber

_ChangeSetReference = Annotated[str, Field(min_length=1, max_length=200), Reference("change-set")]

_SET = "Id or name of a change set; without it and pageId, that of this conversation"

_AT = "Show the whole site as it will be then, by what is scheduled, {year}-{month}-{day}T{hour}:{minute}"


class CreatePreviewLink(Payload):
    """What the link shows: a revision of one page, or the edits of a change set, or else those of the conversation.

    With ``at``, it is the site at a time to come, by all that is scheduled.
    """

    page_id: OptionalParam[DocumentReference] = Field(default=None, description="Id, slug or exact title of the page")
    revision: OptionalParam[RevisionNumber] = Field(default=None, description="Its revision; the newest if omitted")
    change_set_id: OptionalParam[_ChangeSetReference] = Field(default=None, description=_SET)
    at: OptionalParam[str] = Field(default=None, description=_AT, min_length=1, max_length=64)
    hours: int = Field(default=24, description="Hours until it expires (1-720)", ge=1, le=720)

    @model_validator(mode="after")
    def _require_one(self) -> Self:
        if self.page_id is not None and self.change_set_id is not None:
            raise ValueError("give the pageId of a page, or the changeSetId of a change set, not both")
        if self.at is not None and (self.page_id is not None or self.change_set_id is not None):
            raise ValueError("at shows the whole site at a time; leave out pageId and changeSetId, or at")
        if self.revision is not None and self.page_id is None:
            raise ValueError("a revision belongs to a page; give its pageId")
        return self


class PreviewLinkReply(Reply):
    """The address of a preview, and when it expires."""

    url: str
    expires_at: str
    pages: list[str]
    remarks: OmittedIfNone[list[str]] = None


class ExportSite(Payload):
    """How to write the site."""

    zip: bool = Field(default=False, description="Write one ZIP file in place of a folder")


class ExportReply(Reply):
    """Where the site was written, and how much of it there is."""

    path: str
    pages: int
    images: int
    skipped: OmittedIfNone[list[str]] = None
