"""Payloads and results of pipelines."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from remit_casefile.workspace.payloads import CasefileId, Payload, Result


class FileMailPayload(Payload):
    """The mail to file, and the casefile."""

    casefile_id: CasefileId
    query: str = Field(
        description="As in Gmail's search box: from:{address} subject:{words} newer_than:{days}d",
        min_length=1,
        max_length=2000,
    )
    limit: int = Field(default=20, description="Most messages to file, the newest (1-100)", ge=1, le=100)


class NoteMailPayload(Payload):
    """The line to add to the notes of a casefile."""

    casefile_id: CasefileId
    query: str = Field(description="What was searched for")
    stored: int = Field(description="How many messages are new in the casefile")


class FiledMailPayload(Result):
    """The filed messages."""

    casefile_id: str = Field(description="Id of the casefile")
    found: int = Field(description="How many messages were found and read")
    unread: int = Field(description="How many more were found that could not be read; steps says why")
    stored: int = Field(description="How many are new in the casefile")
    skipped: int = Field(description="How many were there already")
    noted: bool = Field(description="Whether the casefile's notes say it; nothing new is not noted")
    steps: dict[str, Any] = Field(description="How many steps were executed, succeeded and failed, and why they failed")
