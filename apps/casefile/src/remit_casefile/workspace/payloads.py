"""Common payloads of the operations on a casefile's copies."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

Source: TypeAlias = Literal["gmail", "drive", "sheets"]
"""Where copies come from."""

CasefileId = Annotated[str, Field(description="Id of the casefile: cf_...", min_length=1, max_length=64)]
"""Which casefile. One of another form is not found, like one that is not there."""

Limit = Annotated[int, Field(description="Most to give (1-100)", ge=1, le=100)]
"""How long a page of a list is."""

Offset = Annotated[int, Field(description="How many to pass over", ge=0)]
"""Where a page of a list begins."""


class Payload(BaseModel):
    """Base of request payloads: declared fields only."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Result(BaseModel):
    """Base of response payloads."""

    model_config = ConfigDict(frozen=True)


class CopyResult(Result):
    """The common result of writes of copies."""

    casefile_id: str = Field(description="Id of the casefile")
    stored: int = Field(description="How many are new in the casefile")
    updated: int = Field(description="How many were there and are other than before")
    skipped: int = Field(description="How many were there and stayed as they are")
    sync_status: Literal["completed", "partial", "failed"] = Field(description="partial: the rest is still to come")
    synced_at: datetime | None = Field(description="When the casefile got its last copies")


class SyncState(Result):
    """The sync state of a casefile's copies."""

    status: Literal["idle", "syncing", "error"] = Field(
        description="syncing: one has begun and not ended; error: the last one brought nothing"
    )
    following: str = Field(description="The label or folder that is followed; empty for everything")
    synced_at: datetime | None = Field(description="When copies last came")
    error: str | None = Field(description="Why the last sync brought nothing")
