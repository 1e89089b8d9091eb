"""Gates: checks before a call may touch a casefile."""

from __future__ import annotations

from dataclasses import dataclass, field

from remit.errors import BlockedError, DeniedError
from remit.layers import Call, Gate
from remit_casefile.casefiles.access import Level, require_casefile
from remit_casefile.policies.casefile_resolver import CasefileResolver
from remit_casefile.policies.env import Env
from remit_casefile.storage.transactions import open_view


@dataclass(frozen=True, slots=True)
class AccessGate(Gate):
    """Refuses calls on a casefile for which the caller lacks ``level``.

    A casefile that the caller may not see is refused in the same words as a missing one. ``required`` refuses calls
    that name no casefile; otherwise they pass.
    """

    env: Env = field(repr=False)
    resolver: CasefileResolver = field(repr=False)
    level: Level = field(default=Level.VIEWER, kw_only=True)
    required: bool = field(default=False, kw_only=True)

    async def check(self, call: Call, /) -> None:
        """Refuse a call on a casefile to which the caller has no access."""
        casefile_id = self.resolver.explicit_casefile(call)
        if casefile_id is not None:
            async with open_view(self.env.database, call) as view:
                await require_casefile(view, casefile_id, self.level, call.callee.name)
        elif self.required:
            raise DeniedError(
                f"{call.callee.name} needs a casefile; give casefile_id, list_casefiles says which there are"
            )


@dataclass(frozen=True, slots=True)
class CasefileGate(Gate):
    """Checks the casefile of a call: the one it names, else that of its session.

    ``required``: there must be one. ``states``: its state must be one of these. ``access``: the caller must see it.
    """

    env: Env = field(repr=False)
    resolver: CasefileResolver = field(repr=False)
    required: bool = field(default=False, kw_only=True)
    states: tuple[str, ...] = field(default=("active",), kw_only=True)
    access: bool = field(default=True, kw_only=True)

    async def check(self, call: Call, /) -> None:
        """Refuse a call without a casefile, or in one with the wrong state or without access."""
        name = call.callee.name
        async with open_view(self.env.database, call) as view:
            casefile_id = await self.resolver.find_casefile(view, call)
            if casefile_id is None:
                if self.required:
                    raise DeniedError(f"{name} needs a casefile; name one, or call it in a session of one")
                return
            if self.access:
                casefile = await require_casefile(view, casefile_id, Level.VIEWER, name)
            else:
                casefile = await view.get_casefile(casefile_id)
            if casefile.state not in self.states:
                allowed = " or ".join(self.states)
                raise BlockedError(f"casefile '{casefile_id}' is {casefile.state}; {name} needs one that is {allowed}")
