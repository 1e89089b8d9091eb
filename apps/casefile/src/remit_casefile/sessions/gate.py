"""The gate around all runs: a run in a session requires that session to be open and the caller's own."""

from __future__ import annotations

from dataclasses import dataclass, field

from remit.inventory import HasSessions, SessionGate
from remit.layers import Call, Gate


@dataclass(frozen=True, slots=True)
class OwnSessionGate(Gate):
    """Refuses runs in a session that is closed or belongs to another user; an idle session is resumed.

    It checks the first call of a run, and passes runs outside sessions. The callee's own policies decide the rest.
    """

    env: HasSessions = field(repr=False)

    async def check(self, call: Call, /) -> None:
        """Refuse a run that its session does not permit."""
        if not call.caller.call and call.caller.conversation:
            await SessionGate(self.env, required=False).check(call)
