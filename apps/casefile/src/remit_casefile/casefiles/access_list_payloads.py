"""Payloads and envelopes of the methods on access lists."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from remit.tools import entity
from remit_casefile.casefiles.access import LevelName
from remit_casefile.casefiles.payloads import CasefileId, Payload, Result
from remit_casefile.casefiles.texts import PRINTABLE, PersonName

_User = Annotated[str, Field(min_length=1, max_length=200)]
_Notes = Annotated[str, Field(max_length=1000), PRINTABLE]


class GrantPermissionPayload(Payload):
    """A permission for a user. It replaces the user's earlier permission."""

    casefile_id: CasefileId
    target_user_id: PersonName = Field(description="The user who gets the permission")
    permission: LevelName = Field(description="viewer reads, editor writes too, admin shares too, owner deletes too")
    expires_at: AwareDatetime | None = Field(default=None, description="Until when, with a time zone; null for no end")
    notes: _Notes = Field(default="", description="Why")


@entity("grant", id="user_id", name="user_id")
class GrantView(Result):
    """An entry of an access list. An expired entry allows nothing."""

    user_id: str
    permission: LevelName
    granted_by: str
    granted_at: AwareDatetime
    expires_at: AwareDatetime | None
    expired: bool
    notes: str


class PermissionGrantedPayload(Result):
    """The granted permission."""

    casefile_id: str
    grant: GrantView


class RevokePermissionPayload(Payload):
    """The user whose permission to revoke."""

    casefile_id: CasefileId
    target_user_id: _User = Field(description="The user who loses the permission")


class PermissionRevokedPayload(Result):
    """The revoked permission."""

    casefile_id: str
    target_user_id: str
    permission: LevelName


class ListPermissionsPayload(Payload):
    """The casefile whose access list to read."""

    casefile_id: CasefileId


class PermissionsPayload(Result):
    """An access list. ``public_access`` is the level of all users of the tenant."""

    casefile_id: str
    owner_id: str
    public_access: LevelName | None
    grants: list[GrantView]


class CheckPermissionPayload(Payload):
    """The user, and the level to check."""

    casefile_id: CasefileId
    user_id: _User | None = Field(default=None, description="Who; yourself if left out")
    required_permission: LevelName = Field(description="Which level they would need")


class PermissionCheckedPayload(Result):
    """A user's level. ``permission`` is null if the user may not see the casefile."""

    casefile_id: str
    user_id: str
    permission: LevelName | None
    can_read: bool
    can_write: bool
    can_share: bool
    can_delete: bool
    has_required_permission: bool


class SetPublicAccessPayload(Payload):
    """The level for all users of the tenant."""

    casefile_id: CasefileId
    level: Literal["viewer", "editor"] | None = Field(description="viewer reads, editor writes too; null for nothing")


class PublicAccessPayload(Result):
    """The new and the previous level of all users of the tenant."""

    casefile_id: str
    public_access: LevelName | None
    before: LevelName | None
