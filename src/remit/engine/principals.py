"""Finds the principal of a run when it is resumed, with today's permissions."""

from __future__ import annotations

from collections.abc import Callable

from remit.errors import RequestConflictError
from remit.record.items import RunOpened
from remit.record.principal import Principal, check_found_principal, check_principal

PrincipalDirectory = Callable[[str, str], Principal | None]
"""Maps a name and a tenant to a principal with today's permissions."""


class PrincipalLookup:
    """Principals from a directory; without one, the added principals."""

    def __init__(self, directory: PrincipalDirectory | None) -> None:
        self.directory = directory
        self._added: dict[tuple[str, str], Principal] = {}
        self._noted: dict[tuple[str, str], Principal] = {}

    def add(self, *principals: Principal) -> None:
        """Add principals, replacing any of the same name and tenant."""
        for each in principals:
            check_principal("add_principals", each)
        for each in principals:
            self._added[each.name, each.tenant] = self._noted[each.name, each.tenant] = each

    def note(self, *principals: Principal) -> None:
        """Note the current permissions of principals, without allowing their runs to be resumed."""
        self._noted.update({(each.name, each.tenant): each for each in principals})

    def today(self, name: str, tenant: str) -> Principal | None:
        """A decider in the current definition; None if the directory has none.

        Without a directory, principals have the permissions last noted for them. Unknown principals count as when they
        decided: as persons with all permissions.

        Raises:
            RequestError: the directory did not return a principal.
        """
        if self.directory is not None:
            return check_found_principal(self.directory(name, tenant), name, tenant)
        known = self._noted.get((name, tenant))
        return known or Principal(name, tenant, permissions=frozenset({"*"}))

    def take_over(self, other: PrincipalLookup) -> None:
        """Add all principals that were added to ``other``."""
        self._added.update(other._added)
        self._noted.update(other._noted)

    def owner(self, header: RunOpened) -> Principal:
        """The principal of a run.

        Raises:
            RequestError: it is unknown now.
        """
        return self.find(header.principal, header.tenant, f"run {header.call}")

    def find(self, name: str, tenant: str, what: str) -> Principal:
        """The principal to whom ``what`` belongs.

        Raises:
            RequestError: it is unknown now.
        """
        found = self.directory(name, tenant) if self.directory else self._added.get((name, tenant))
        principal = check_found_principal(found, name, tenant)
        if principal is None:
            unknown = f"{name!r}, who is unknown now; add this principal and resume again"
            raise RequestConflictError(f"{what} belongs to {unknown}")
        return principal
