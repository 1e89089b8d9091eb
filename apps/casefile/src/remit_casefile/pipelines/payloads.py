"""Payloads and results of pipelines."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from remit_casefile.workspace.payloads import CasefileId, Payload, Result


class FileMailPayload(Payload):
    """The mail to file, and the casefile."""

    casefile_id: CasefileId
    query: str = Field(
        description="As in Gmail's search box: from:ann@example.com subject:invoice newer_than:7d",
        min_length=1,
        max_length=2000,
    )
    limit: int = Field(default=20, description="Most messages to file, the newest (1-100)", ge=1, le=100)


class FiledMailPayload(Result):
    """The filed messages."""

    casefile_id: str = Field(description="Id of the casefile")
    found: int = Field(description="How many messages were found and read")
    stored: int = Field(description="How many are new in the casefile")
    skipped: int = Field(description="How many were there already")
    noted: bool = Field(description="Whether the casefile's notes say it")
    steps: dict[str, Any] = Field(description="How many steps were executed, succeeded and failed, and why they failed")
