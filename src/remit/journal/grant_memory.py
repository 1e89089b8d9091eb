"""Grants in the memory of this process."""

from __future__ import annotations

import abc
from collections.abc import Callable

from remit.journal.index import check_revocable, lease_lost_error
from remit.journal.listing import list_grants
from remit.record.grant import Grant, GrantRow


class GrantsInMemory(abc.ABC):
    """The grants of a store in memory."""

    _clock: Callable[[], float]

    def __init__(self) -> None:
        self._grants: dict[str, GrantRow] = {}

    @abc.abstractmethod
    def _epoch_of(self, run: str) -> int:
        """The epoch of a run; 0 if there is no such run."""

    async def add_grant(self, grant: Grant) -> None:
        """Store a grant, unless one with its id is stored."""
        self._grants.setdefault(grant.id, GrantRow(grant, 0, ""))

    async def list_grants(
        self, *, tenant: str, tool: str = "", after: str = "", limit: int | None = None
    ) -> list[GrantRow]:
        """A page of the grants of a tenant, optionally for one tool, oldest first."""
        rows = [row for row in self._grants.values() if row.grant.tenant == tenant and tool in ("", row.grant.tool)]
        return list_grants(rows, self._grants.get(after), after, limit)

    async def find_grant(self, grant: str) -> GrantRow | None:
        """The grant with this id."""
        return self._grants.get(grant)

    async def use_grant(self, grant: str, run: str, epoch: int) -> bool:
        """Count one more call of a grant; False if it allows no more."""
        if self._epoch_of(run) != epoch:
            raise lease_lost_error(run)
        row = self._grants.get(grant)
        if row is None or not row.is_usable(self._clock()):
            return False
        self._grants[grant] = row._replace(used=row.used + 1)
        return True

    async def revoke_grant(self, grant: str, by: str) -> None:
        """Revoke a grant."""
        self._grants[grant] = check_revocable(self._grants.get(grant), grant)._replace(revoked_by=by)
