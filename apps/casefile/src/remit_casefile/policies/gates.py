"""The gates: what is looked at before a call may touch a casefile."""

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
    """Refuses calls on a casefile of which the caller has not the level ``level``.

    A casefile that the caller may not see is refused in the same words as one that is not there. ``required`` refuses
    calls that name none; otherwise those pass.
    """

    env: Env = field(repr=False)
    resolver: CasefileResolver = field(repr=False)
    level: Level = field(default=Level.VIEWER, kw_only=True)
    required: bool = field(default=False, kw_only=True)

    async def check(self, call: Call, /) -> None:
        """Refuse a call on a casefile that is closed to its caller."""
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
    """Looks at the casefile in which a call is made: the one it names, or else that of its session.

    ``required``: there must be one. ``states``: it must be in one of them. ``access``: the caller must see it.
    """

    env: Env = field(repr=False)
    resolver: CasefileResolver = field(repr=False)
    required: bool = field(default=False, kw_only=True)
    states: tuple[str, ...] = field(default=("active",), kw_only=True)
    access: bool = field(default=True, kw_only=True)

    async def check(self, call: Call, /) -> None:
        """Refuse a call outside a casefile, in one that is closed to its caller, or in one of another state."""
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
