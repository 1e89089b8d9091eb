"""Who acts: a person or service with a tenant and permissions, and the caller of one call."""

from __future__ import annotations

from dataclasses import dataclass

ALL = "*"


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
        return permission in held or ALL in held or f"{permission.partition(':')[0]}:{ALL}" in held

    def lacks(self, permissions: frozenset[str]) -> list[str]:
        """Those of ``permissions`` that this principal does not hold, sorted."""
        return sorted(permission for permission in permissions if not self.may(permission))


@dataclass(frozen=True, slots=True)
class Caller:
    """The facts of who makes a call: which run, which agent, from within which call, how deep, for whom.

    ``call`` is the id of the calling call, empty for the root of a run. ``agent`` is the agent whose layers hold.
    """

    run: str
    agent: str
    call: str
    depth: int
    principal: Principal
    conversation: str = ""
    application: str = ""
