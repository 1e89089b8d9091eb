"""Grants and scheduled calls."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, field

from remit.record.grant import GrantRow
from remit.server.documents.document import Asked, Document, JsonObject, PageSize, no_json


class GrantDocument(Document):
    """Approval given in advance: for how many calls of which tool, by which principal, until when.

    ``arguments`` is the pattern that the arguments of a call must match, as JSON.
    """

    id: str
    tool: str
    arguments: str
    principal: str
    by: str
    given: float
    expires: float
    count: int
    used: int
    revoked_by: str
    permission: str
    reason: str
    target: str

    @staticmethod
    def of(row: GrantRow) -> GrantDocument:
        """The document of a grant."""
        grant = row.grant
        return GrantDocument(
            id=grant.id,
            tool=grant.tool,
            arguments=grant.arguments,
            principal=grant.principal,
            by=grant.by,
            given=grant.given,
            expires=grant.expires,
            count=grant.count,
            used=row.used,
            revoked_by=row.revoked_by,
            permission=grant.who,
            reason=grant.reason,
            target=grant.target,
        )


class GrantsQuery(Asked):
    """Which grants to list, oldest first."""

    after: str = ""
    limit: PageSize = 50


class SchedulesQuery(Asked):
    """Which scheduled calls to list, newest first."""

    target: str = ""
    before: str = ""
    limit: PageSize = 50


class NewGrant(Asked):
    """A grant of ``count`` calls of a principal within ``expiresIn`` seconds. ``arguments`` is their pattern."""

    tool: str
    principal: str
    count: Annotated[int, Meta(ge=1, le=1_000_000)]
    expires_in: Annotated[float, Meta(gt=0, le=1e9)]
    arguments: JsonObject = field(default_factory=no_json)
    reason: str = ""
    target: str = ""
    permission: str = ""


class NewSchedule(Asked):
    """A call at a time with a time zone, and again by a recurrence rule of RFC 5545 if ``every`` has one."""

    tool: str
    at: Annotated[datetime, Meta(tz=True)]
    arguments: JsonObject = field(default_factory=no_json)
    every: str = ""
    missed: Literal["once", "skip", "all"] = "once"
    conversation: str = ""
    target: str = ""
