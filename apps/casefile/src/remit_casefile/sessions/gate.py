"""The gate around all runs: a run in a session requires that session to be open and the caller's own."""

from __future__ import annotations

from dataclasses import dataclass, field

from remit.inventory import HasSessions, SessionGate
from remit.layers import Call, Gate


@dataclass(frozen=True, slots=True)
class OwnSessionGate(Gate):
    """Refuses calls in a session that is closed or belongs to another user; an idle session is resumed.

    It checks the first call of a run, or each call from outside of an open run, and passes what is in no session. The
    callee's own policies decide the rest.
    """

    env: HasSessions = field(repr=False)

    async def check(self, call: Call, /) -> None:
        """Refuse a run that its session does not permit."""
        if call.caller.is_outside and call.caller.conversation:
            await SessionGate(self.env, required=False).check(call)
