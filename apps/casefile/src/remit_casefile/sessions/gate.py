"""The gate in front of all runs: a run that is made in a session needs that to be its person's, and open."""

from __future__ import annotations

from dataclasses import dataclass, field

from remit.inventory import HasSessions, SessionGate
from remit.layers import Call, Gate


@dataclass(frozen=True, slots=True)
class OwnSessionGate(Gate):
    """Refuses runs in a session that is closed, or somebody else's, whatever they call; an idle one is taken up.

    It looks at the call that a run begins with, and lets pass what is made in no session. What that call needs besides
    its own policies say.
    """

    env: HasSessions = field(repr=False)

    async def check(self, call: Call, /) -> None:
        """Refuse a run whose session does not take it."""
        if not call.caller.call and call.caller.conversation:
            await SessionGate(self.env, required=False).check(call)
