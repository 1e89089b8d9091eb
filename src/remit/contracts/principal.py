"""Who acts: a person or service with a tenant and permissions, and the caller of one call."""

from __future__ import annotations

from dataclasses import dataclass, replace

WILDCARD = "*"


@dataclass(frozen=True, slots=True)
class Principal:
    """An authenticated person or service.

    ``permissions`` are words like ``cms:write``; ``cms:*`` permits a whole area and ``*`` everything.
    """

    name: str
    tenant: str = "default"
    permissions: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()

    def may(self, permission: str) -> bool:
        """Whether this principal holds ``permission``, itself or by a wildcard."""
        held = self.permissions
        return permission in held or WILDCARD in held or (permission != WILDCARD and _area_wildcard(permission) in held)

    def missing_permissions(self, permissions: frozenset[str]) -> list[str]:
        """Those of ``permissions`` that this principal does not hold, sorted."""
        if permissions <= self.permissions:
            return []
        return sorted(permission for permission in permissions if not self.may(permission))

    def narrow_to(self, allowed: frozenset[str]) -> Principal:
        """The same principal, holding what both it and ``allowed`` hold."""
        other = replace(self, permissions=allowed)
        kept = {each for each in allowed if self.may(each)} | {each for each in self.permissions if other.may(each)}
        return replace(self, permissions=frozenset(kept))


def _area_wildcard(permission: str) -> str:
    return f"{permission.partition(':')[0]}:{WILDCARD}"


@dataclass(frozen=True, slots=True)
class Caller:
    """The facts of who makes a call: which run, which agent, from within which call, how deep, for whom.

    ``call`` is the id of the calling call, empty for the root of a run. ``agent`` is the actor whose layers hold.
    ``path`` names the actors above the call, outermost first; ``tool_scope`` is what all of them let it reach, None for
    everything.
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

    def enter_call(self, call: str) -> Caller:
        """Who makes the calls of the body of ``call``, which this caller made, where that body is no actor."""
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
        )

    def enter_agent(self, name: str, tool_scope: frozenset[str] | None, permissions: frozenset[str] | None) -> Caller:
        """This caller as the actor ``name``: one further down the path, with reach and permissions no wider."""
        narrower = (
            self.tool_scope
            if tool_scope is None
            else tool_scope
            if self.tool_scope is None
            else self.tool_scope & tool_scope
        )
        principal = self.principal if permissions is None else self.principal.narrow_to(permissions)
        return replace(self, agent=name, principal=principal, path=(*self.path, name), tool_scope=narrower)
