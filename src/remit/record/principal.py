"""Principals (persons or services with tenant and permissions) and the caller of one call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from remit.core.call_checks import check_arguments
from remit.core.checks import check_instance, check_name, check_text
from remit.core.names import as_normalized, as_person_name
from remit.errors import RequestError
from remit.record.target import check_granted, permissions_at

WILDCARD = "*"
ANONYMOUS: Final = "anonymous"
"""The name of every caller that has not signed in."""


@check_arguments()
@dataclass(frozen=True, slots=True)
class Principal:
    """An authenticated person or service.

    A caller that has not signed in is ``Principal("anonymous")``; see `is_anonymous`. Name, tenant and roles are
    stripped and converted to Unicode's form NFKC, so that equivalent spellings name the same principal. A name that
    cannot be printed, or that mixes look-alike scripts such as Latin and Cyrillic, is refused. ``permissions`` are
    words like ``cms:write``; ``cms:*`` permits a whole area, and ``*`` permits everything. A permission with a target,
    like ``cms:write@bakery/*``, applies only in runs whose target matches. ``allowed`` limits the runs that the
    principal opens, in every execution; None for no limit; see `limit_to`.
    """

    name: str
    tenant: str = "default"
    permissions: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    allowed: frozenset[str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", as_person_name("the name of a principal", self.name))
        object.__setattr__(self, "tenant", as_normalized("the tenant of a principal", self.tenant))
        check_name("the tenant of a principal", self.tenant)
        object.__setattr__(self, "roles", frozenset(as_normalized("a role", role) for role in self.roles))
        for role in self.roles:
            check_name("a role", role)
        for permission in (*self.permissions, *(self.allowed or ())):
            check_granted(f"a permission of {self.name}", permission)

    @property
    def is_anonymous(self) -> bool:
        """Whether the caller has not signed in. It can call only what needs no authentication, and has no client."""
        return self.name.casefold() == ANONYMOUS

    def may(self, permission: str) -> bool:
        """Whether this principal holds ``permission`` for every target, directly or by a wildcard; see `at`."""
        check_text("a permission", permission)
        own = self.permissions
        return permission in own or WILDCARD in own or (permission != WILDCARD and _area_wildcard(permission) in own)

    def missing_permissions(self, permissions: frozenset[str]) -> list[str]:
        """The ``permissions`` that this principal does not hold, sorted."""
        if permissions <= self.permissions:
            return []
        return sorted(permission for permission in permissions if not self.may(permission))

    def at(self, target: str) -> Principal:
        """Return this principal with plain permissions for ``target``, and without permissions for other targets."""
        permissions = permissions_at(self.permissions, target)
        return self if permissions == self.permissions else replace(self, permissions=permissions)

    def narrow_to(self, allowed: frozenset[str]) -> Principal:
        """Return this principal with only the permissions that ``allowed`` also covers."""
        other = replace(self, permissions=allowed)
        common = {each for each in allowed if self.may(each)} | {each for each in self.permissions if other.may(each)}
        return replace(self, permissions=frozenset(common))

    def limit_to(self, allowed: frozenset[str]) -> Principal:
        """Return this principal as an API token with these permissions authenticates it.

        Unlike those of `narrow_to`, the limits also hold for the runs that it opens, whenever and wherever they resume.
        """
        return replace(self.narrow_to(allowed), allowed=common_limits(self.allowed, allowed))

    def beyond_limits(self, permissions: frozenset[str], target: str = "") -> list[str]:
        """The ``permissions`` that the limits of this principal do not cover for ``target``, sorted.

        It is empty for a principal without limits, whatever permissions it has.
        """
        if self.allowed is None:
            return []
        return replace(self, permissions=permissions_at(self.allowed, target)).missing_permissions(permissions)


def _area_wildcard(permission: str) -> str:
    return f"{permission.partition(':')[0]}:{WILDCARD}"


def may_act_in(by: Principal, permissions: Iterable[str] | None, target: str) -> bool:
    """Whether ``by`` may have a run on ``target`` act that has these ``permissions``, None for all of its person's.

    A limited principal may only if its limits cover them: the run acts by its own.
    """
    return by.allowed is None or not by.beyond_limits(
        frozenset({WILDCARD} if permissions is None else permissions), target
    )


def common_limits(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    """The permissions that two limits both cover. None is no limit."""
    if one is None or other is None:
        return other if one is None else one
    return Principal("limits", permissions=one).narrow_to(other).permissions


def check_principal(what: str, value: object) -> None:
    """Refuse a value that is not a principal, such as a name.

    Raises:
        SetupError: says what to pass instead.
    """
    check_instance(what, value, Principal, "give a Principal, such as Principal('ada')")


def check_found_principal(found: object, name: str, tenant: str) -> Principal | None:
    """Check a directory's result: the requested principal or None.

    Raises:
        RequestError: the directory returned anything else, such as another principal.
    """
    if found is None or (isinstance(found, Principal) and (found.name, found.tenant) == (name, tenant)):
        return found
    what = f"{found.name!r} of {found.tenant!r}" if isinstance(found, Principal) else f"a {type(found).__name__}"
    raise RequestError(f"the directory returned {what} for {name!r} of {tenant!r}; return that principal, or None")


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a call: run, agent, calling call, depth and principal.

    ``call`` is the id of the calling call, empty at the root of a run. ``depth`` is the number of enclosing calls that
    a body or a model made. ``agent`` is the agent whose layers apply. ``path`` names the agents above the call,
    outermost first. ``tool_scope`` is the intersection of their tool scopes, and ``allowed`` that of the permissions
    that they pass on; None means no restriction. ``target`` is the subject of the run; the ``principal`` has the
    permissions for this target. ``metadata`` is the request's, as JSON.
    """

    run: str
    agent: str
    call: str
    depth: int
    principal: Principal
    conversation: str = ""
    application: str = ""
    path: tuple[str, ...] = ()
    tool_scope: frozenset[str] | None = None
    target: str = ""
    allowed: frozenset[str] | None = None
    metadata: str = ""

    @property
    def is_outside(self) -> bool:
        """Whether the call comes from outside: it is the run's root call, or an external call of an open run."""
        return self.depth == 0

    def enter_call(self, call: str) -> Caller:
        """The caller of calls that the body of this caller's ``call`` makes, if the body is not an agent."""
        return Caller(
            self.run,
            self.agent,
            call,
            self.depth + 1,
            self.principal,
            self.conversation,
            self.application,
            self.path,
            self.tool_scope,
            self.target,
            self.allowed,
            self.metadata,
        )

    def enter_agent(self, name: str, tool_scope: frozenset[str] | None, permissions: frozenset[str] | None) -> Caller:
        """This caller as the agent ``name``: one level down the path, with narrowed tool scope and permissions."""
        narrower = (
            self.tool_scope
            if tool_scope is None
            else tool_scope
            if self.tool_scope is None
            else self.tool_scope & tool_scope
        )
        caller = Caller(
            self.run,
            name,
            self.call,
            self.depth,
            self.principal,
            self.conversation,
            self.application,
            (*self.path, name),
            narrower,
            self.target,
            self.allowed,
            self.metadata,
        )
        return caller if permissions is None else caller.narrow_to(permissions)

    def limited_to(self, principal: Principal) -> Caller:
        """This caller with no more permissions than ``principal``, who is the same, has for its target."""
        own = principal.at(self.target).permissions
        return self if own == self.principal.permissions else replace(self, principal=self.principal.narrow_to(own))

    def narrow_to(self, permissions: frozenset[str]) -> Caller:
        """This caller with only the permissions that ``permissions`` also covers, including in runs that it starts."""
        all_allowed = frozenset({WILDCARD}) if self.allowed is None else self.allowed
        allowed = replace(self.principal, permissions=all_allowed).narrow_to(permissions).permissions
        return replace(self, principal=self.principal.narrow_to(permissions), allowed=allowed)
