"""Payloads and envelopes of the methods on access lists."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from remit.inventory import Request, Response
from remit_casefile.casefiles.access import LevelName
from remit_casefile.casefiles.payloads import CasefileId, Payload, Result
from remit_casefile.casefiles.texts import PRINTABLE, PersonName

_User = Annotated[str, Field(min_length=1, max_length=200)]
_Notes = Annotated[str, Field(max_length=1000), PRINTABLE]


class GrantPermissionPayload(Payload):
    """What somebody is to be allowed. It takes the place of what they were granted before."""

    casefile_id: CasefileId
    target_user_id: PersonName = Field(description="To whom")
    permission: LevelName = Field(description="viewer reads, editor writes too, admin shares too, owner deletes too")
    expires_at: AwareDatetime | None = Field(default=None, description="Until when, with a time zone; null for no end")
    notes: _Notes = Field(default="", description="Why")


class GrantView(Result):
    """An entry of an access list. One that has ``expired`` allows nothing."""

    user_id: str
    permission: LevelName
    granted_by: str
    granted_at: AwareDatetime
    expires_at: AwareDatetime | None
    expired: bool
    notes: str


class PermissionGrantedPayload(Result):
    """What was granted."""

    casefile_id: str
    grant: GrantView


class RevokePermissionPayload(Payload):
    """Whose entry to strike out."""

    casefile_id: CasefileId
    target_user_id: _User = Field(description="From whom")


class PermissionRevokedPayload(Result):
    """What was struck out."""

    casefile_id: str
    target_user_id: str
    permission: LevelName


class ListPermissionsPayload(Payload):
    """Whose access list to read."""

    casefile_id: CasefileId


class PermissionsPayload(Result):
    """An access list. ``public_access`` is what everybody may do."""

    casefile_id: str
    owner_id: str
    public_access: LevelName | None
    grants: list[GrantView]


class CheckPermissionPayload(Payload):
    """Whether somebody has a level."""

    casefile_id: CasefileId
    user_id: _User | None = Field(default=None, description="Who; yourself if left out")
    required_permission: LevelName = Field(description="Which level they would need")


class PermissionCheckedPayload(Result):
    """What somebody may do. ``permission`` is null where they may not even see it."""

    casefile_id: str
    user_id: str
    permission: LevelName | None
    can_read: bool
    can_write: bool
    can_share: bool
    can_delete: bool
    has_required_permission: bool


class SetPublicAccessPayload(Payload):
    """What everybody of the tenant is to be allowed."""

    casefile_id: CasefileId
    level: Literal["viewer", "editor"] | None = Field(description="viewer reads, editor writes too; null for nothing")


class PublicAccessPayload(Result):
    """What everybody of the tenant may do now, and what they might before."""

    casefile_id: str
    public_access: LevelName | None
    before: LevelName | None


class SetPublicAccessRequest(Request[SetPublicAccessPayload], operation="set_public_access"):
    """Asks to allow everybody something."""


class SetPublicAccessResponse(Response[PublicAccessPayload]):
    """Says what was allowed."""


class GrantPermissionRequest(Request[GrantPermissionPayload], operation="grant_permission"):
    """Asks to allow somebody something."""


class GrantPermissionResponse(Response[PermissionGrantedPayload]):
    """Says what was granted."""


class RevokePermissionRequest(Request[RevokePermissionPayload], operation="revoke_permission"):
    """Asks to take it back."""


class RevokePermissionResponse(Response[PermissionRevokedPayload]):
    """Says what was taken back."""


class ListPermissionsRequest(Request[ListPermissionsPayload], operation="list_permissions"):
    """Asks for an access list."""


class ListPermissionsResponse(Response[PermissionsPayload]):
    """Has the access list."""


class CheckPermissionRequest(Request[CheckPermissionPayload], operation="check_permission"):
    """Asks what somebody may do."""


class CheckPermissionResponse(Response[PermissionCheckedPayload]):
    """Says it."""
