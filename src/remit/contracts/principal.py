"""Who acts: a person or service with a tenant and permissions, and the caller of one call."""

from __future__ import annotations

from dataclasses import replace

from remit.core.frozen import frozen

ALL = "*"


@frozen(kw_only=False)
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
        return permission in held or ALL in held or (permission != ALL and _area(permission) in held)

    def lacks(self, permissions: frozenset[str]) -> list[str]:
        """Those of ``permissions`` that this principal does not hold, sorted."""
        if permissions <= self.permissions:
            return []
        return sorted(permission for permission in permissions if not self.may(permission))

    def narrowed(self, most: frozenset[str]) -> Principal:
        """The same principal, holding what both it and ``most`` hold."""
        other = replace(self, permissions=most)
        kept = {each for each in most if self.may(each)} | {each for each in self.permissions if other.may(each)}
        return replace(self, permissions=frozenset(kept))


def _area(permission: str) -> str:
    return f"{permission.partition(':')[0]}:{ALL}"


@frozen(kw_only=False)
class Caller:
    """The facts of who makes a call: which run, which agent, from within which call, how deep, for whom.

    ``call`` is the id of the calling call, empty for the root of a run. ``agent`` is the actor whose layers hold.
    ``path`` names the actors above the call, outermost first; ``reach`` is what all of them let it reach, None for
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
    reach: frozenset[str] | None = None

    def within(self, call: str) -> Caller:
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
            self.reach,
        )

    def acting(self, name: str, reach: frozenset[str] | None, permissions: frozenset[str] | None) -> Caller:
        """This caller as the actor ``name``: one further down the path, with reach and permissions no wider."""
        narrower = self.reach if reach is None else reach if self.reach is None else self.reach & reach
        principal = self.principal if permissions is None else self.principal.narrowed(permissions)
        return replace(self, agent=name, principal=principal, path=(*self.path, name), reach=narrower)
