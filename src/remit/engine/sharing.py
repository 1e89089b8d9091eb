"""Decides what a principal may do with a conversation."""

from __future__ import annotations

from typing import Final, Literal

from remit.errors import RequestDeniedError, RequestNotFoundError
from remit.journal.conversation_row import ConversationAccess, ConversationRow
from remit.journal.conversations import EVERYONE
from remit.journal.ports import RunRow
from remit.record.items import DETACHED, RunOpened
from remit.record.principal import Principal, check_principal

READ_PERMISSION: Final = "runs:read"
"""The permission to read the runs of other principals of the tenant."""

CANCEL_PERMISSION: Final = "runs:cancel"
"""The permission to cancel runs of other principals, and with an API token also one's own."""

JOIN_PERMISSION: Final = "conversations:join"
"""The permission to read and continue conversations of other principals of the tenant."""

MANAGE_PERMISSION: Final = "conversations:manage"
"""The permission to rename, share and delete conversations of other principals of the tenant, like their owner.

An API token needs it also for those of its own person.
"""

Access = Literal["", ConversationAccess, "own"]
_ORDER: Final[tuple[Access, ...]] = ("", "read", "write", "own")


def access_of(principal: Principal, row: ConversationRow) -> Access:
    """The access of a principal to a conversation: none, reading, writing, or the owner's access."""
    if principal.tenant != row.tenant:
        return ""
    here = principal.at(row.target)
    is_owner = row.owner == principal.name
    if here.may(MANAGE_PERMISSION) or (is_owner and may_as_owner(principal, MANAGE_PERMISSION, row.target)):
        return "own"
    if is_owner or here.may(JOIN_PERMISSION):
        return "write"
    shared: list[Access] = [row.shared.get(principal.name, ""), row.shared.get(EVERYONE, "")]
    return max([*shared, "read" if here.may(READ_PERMISSION) else ""], key=_ORDER.index)


def has_access(principal: Principal, row: ConversationRow | None, needed: Access) -> bool:
    """Whether a principal has the access ``needed`` to a conversation."""
    return row is not None and _ORDER.index(access_of(principal, row)) >= _ORDER.index(needed)


def may_as_owner(principal: Principal, permission: str, target: str) -> bool:
    """Whether a principal may do with its own what needs ``permission`` for that of others.

    A person may. An API token of theirs may only if the permission is among its own.
    """
    return not principal.beyond_limits(frozenset({permission}), target)


def is_part(run: RunOpened | RunRow) -> bool:
    """Whether a run is part of a conversation: it has one and is not a direct call."""
    return bool(run.conversation) and run.after != DETACHED


def may_see_all(principal: Principal) -> bool:
    """Whether a principal may hold a permission, for some target, that lets them see conversations of others."""
    granted = {each.partition("@")[0] for each in principal.permissions}
    wildcards = {"*", "runs:*", "conversations:*"}
    return bool(granted & {READ_PERMISSION, JOIN_PERMISSION, MANAGE_PERMISSION, *wildcards})


def check_right(by: Principal, header: RunOpened, permission: str, verb: str, *, is_for_owner: bool = False) -> None:
    """Refuse any access to a run of another tenant, and the action ``verb`` without ``permission``.

    Raises:
        RequestError: names the missing permission.
    """
    check_principal("by", by)
    if header.tenant != by.tenant:
        raise RequestNotFoundError(f"run {header.call} does not exist")
    is_own = is_for_owner and header.principal == by.name and may_as_owner(by, permission, header.target)
    if not is_own and not by.at(header.target).may(permission):
        whose = f"run {header.call} of {header.principal}"
        raise RequestDeniedError(f"{by.name} may not {verb} {whose}: missing permission {permission}")
