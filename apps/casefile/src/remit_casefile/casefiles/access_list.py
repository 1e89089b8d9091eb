"""The methods on access lists. A model reads each docstring before it calls."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select

from remit import LeafContext
from remit.errors import DeniedError, InvalidArgumentsError, MissingCapabilityError, NotFoundError
from remit.runtime import PrincipalDirectory
from remit_casefile.casefiles.access import EffectiveAccess, Level, resolve_access, resolve_level
from remit_casefile.casefiles.access_list_payloads import (
    CheckPermissionPayload,
    GrantPermissionPayload,
    ListPermissionsPayload,
    PermissionCheckedPayload,
    PermissionGrantedPayload,
    PermissionRevokedPayload,
    PermissionsPayload,
    PublicAccessPayload,
    RevokePermissionPayload,
    SetPublicAccessPayload,
)
from remit_casefile.casefiles.views import grant_view
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import Casefile, Grant
from remit_casefile.storage.transactions import Edit, edit_once, open_view


class AccessList:
    """The access lists of casefiles.

    Args:
        directory: finds a user by name and tenant; without one, every grant is refused.
    """

    def __init__(self, database: Database, directory: PrincipalDirectory | None) -> None:
        self._database = database
        self._directory = directory

    async def grant_permission(self, ctx: LeafContext, payload: GrantPermissionPayload) -> PermissionGrantedPayload:
        """Allow a user to read (viewer), write (editor), share (admin) or delete (owner) a casefile, until a time."""

        async def work(edit: Edit) -> PermissionGrantedPayload:
            casefile = await edit.get_casefile(payload.casefile_id)
            own = await resolve_access(edit, casefile, edit.person)
            found = await _find_changeable_grant(edit, casefile, payload.target_user_id, own)
            self._check_user_exists(edit, payload.target_user_id)
            _check_no_escalation(own, Level.parse(payload.permission), payload.expires_at)
            if payload.expires_at is not None and payload.expires_at <= edit.now:
                raise InvalidArgumentsError(
                    f"expires_at is over: it is {edit.now.isoformat()} now. Nothing was granted."
                )
            grant = found or Grant(casefile=casefile.id, user=payload.target_user_id)
            grant.level, grant.notes = payload.permission, payload.notes
            grant.granted_by, grant.granted_at = edit.person, edit.now
            grant.expires_at = payload.expires_at
            edit.session.add(grant)
            edit.add_change("casefile", casefile.id, "grants", name=casefile.title)
            return PermissionGrantedPayload(casefile_id=casefile.id, grant=grant_view(edit, grant))

        return await edit_once(self._database, ctx, payload, PermissionGrantedPayload, work)

    def _check_user_exists(self, edit: Edit, name: str) -> None:
        if self._directory is None:
            raise MissingCapabilityError("grant_permission cannot run: the application was built without users=")
        if self._directory(name, edit.tenant) is None:
            raise NotFoundError(f"No user '{name}'. Nothing was granted; check the sign-in name with an administrator.")

    async def revoke_permission(self, ctx: LeafContext, payload: RevokePermissionPayload) -> PermissionRevokedPayload:
        """Revoke a user's permission on a casefile, effective from the user's next call."""

        async def work(edit: Edit) -> PermissionRevokedPayload:
            casefile = await edit.get_casefile(payload.casefile_id)
            own = await resolve_access(edit, casefile, edit.person)
            found = await _find_changeable_grant(edit, casefile, payload.target_user_id, own)
            if found is None:
                raise NotFoundError(f"{payload.target_user_id} has no grant on casefile '{casefile.id}'.")
            await edit.session.delete(found)
            edit.add_change("casefile", casefile.id, "grants", name=casefile.title)
            return PermissionRevokedPayload.model_validate(
                {"casefile_id": casefile.id, "target_user_id": payload.target_user_id, "permission": found.level}
            )

        return await edit_once(self._database, ctx, payload, PermissionRevokedPayload, work)

    async def set_public_access(self, ctx: LeafContext, payload: SetPublicAccessPayload) -> PublicAccessPayload:
        """Allow all users of the tenant to read (viewer) or write (editor) a casefile; null revokes this."""
        level = payload.level

        async def work(edit: Edit) -> PublicAccessPayload:
            casefile = await edit.get_casefile(payload.casefile_id)
            own, before = await resolve_access(edit, casefile, edit.person), casefile.public_access
            if level is not None and own.expires_at is not None:
                raise DeniedError(
                    f"your own grant ends at {own.expires_at.isoformat()}, and public access has no end; "
                    "ask a person whose grant has no end"
                )
            if level != before:
                casefile.public_access, casefile.updated_at = level, edit.now
                edit.add_change("casefile", casefile.id, "public_access", name=casefile.title)
            return PublicAccessPayload.model_validate(
                {"casefile_id": casefile.id, "public_access": level, "before": before}
            )

        return await edit_once(self._database, ctx, payload, PublicAccessPayload, work)

    async def list_permissions(self, ctx: LeafContext, payload: ListPermissionsPayload) -> PermissionsPayload:
        """Read the access list of a casefile: its owner, the level of all users, and the users with permissions."""
        async with open_view(self._database, ctx) as view:
            casefile = await view.get_casefile(payload.casefile_id)
            query = select(Grant).where(Grant.casefile == casefile.id).order_by(Grant.user)
            grants = [grant_view(view, grant) for grant in await view.session.scalars(query)]
            return PermissionsPayload.model_validate(
                {
                    "casefile_id": casefile.id,
                    "owner_id": casefile.owner,
                    "public_access": casefile.public_access,
                    "grants": grants,
                }
            )

    async def check_permission(self, ctx: LeafContext, payload: CheckPermissionPayload) -> PermissionCheckedPayload:
        """Check a user's access level on a casefile, and whether it includes a required level."""
        async with open_view(self._database, ctx) as view:
            person = payload.user_id or view.person
            level = await resolve_level(view, await view.get_casefile(payload.casefile_id), person)
            return PermissionCheckedPayload.model_validate(
                {
                    "casefile_id": payload.casefile_id,
                    "user_id": person,
                    "permission": None if level is Level.NONE else level.label,
                    "can_read": level >= Level.VIEWER,
                    "can_write": level >= Level.EDITOR,
                    "can_share": level >= Level.ADMIN,
                    "can_delete": level >= Level.OWNER,
                    "has_required_permission": level >= Level.parse(payload.required_permission),
                }
            )


async def _find_changeable_grant(edit: Edit, casefile: Casefile, target: str, own: EffectiveAccess) -> Grant | None:
    """The grant of ``target`` if a user with access ``own`` may change it; None if there is none.

    Raises:
        DeniedError: the target is the owner, the caller, or has a higher level than the caller.
    """
    if target == casefile.owner:
        raise DeniedError(f"{target} owns casefile '{casefile.id}': that is neither granted nor revoked")
    found = await edit.session.get(Grant, (casefile.id, target))
    if found is not None and Level.parse(found.level) > own.level:
        raise DeniedError(
            f"{target} is {found.level} of casefile '{casefile.id}', which is above your {own.level.label}"
        )
    return found


def _check_no_escalation(own: EffectiveAccess, level: Level, until: datetime | None) -> None:
    """Reject granting more, or for longer, than the caller has.

    Raises:
        DeniedError: names what the caller has.
    """
    if level > own.level:
        raise DeniedError(f"you are {own.level.label} of this casefile, and cannot grant {level.label}, which is more")
    if own.expires_at is not None and (until is None or until > own.expires_at):
        raise DeniedError(f"your own grant ends at {own.expires_at.isoformat()}; give expires_at no later than that")
