"""The session in which a call is made: whether there must be one, and whether a call may open or take one up again."""

from __future__ import annotations

import enum
from dataclasses import field
from typing import Protocol

from remit.contracts.call import Call
from remit.contracts.gate import Gate
from remit.core.frozen import frozen
from remit.errors import CapabilityError, DeniedError


class SessionState(enum.Enum):
    """How the session of a call stands."""

    ABSENT = "absent"
    ACTIVE = "active"
    IDLE = "idle"
    """Not active, and it may be taken up again."""
    CLOSED = "closed"


class Sessions(Protocol):
    """The capability: knows the session of a call, by what the call says of its caller."""

    async def state(self, call: Call, /) -> SessionState:
        """How the session of this call stands."""
        ...

    async def open(self, call: Call, /) -> None:
        """Open a session for this call."""
        ...

    async def resume(self, call: Call, /) -> None:
        """Take the session of this call up again."""
        ...


class HasSessions(Protocol):
    """An environment that knows sessions; None refuses whatever asks for one."""

    @property
    def sessions(self) -> Sessions | None:
        """Who knows them."""
        ...


@frozen(kw_only=False)
class Session(Gate):
    """Refuses calls outside an active session.

    ``open``: a call without one opens one. ``resume``: a call takes an idle one up again. Where ``required`` is False,
    a call without one passes; a closed session refuses all the same. An environment without sessions refuses all calls.
    """

    env: HasSessions = field(repr=False)
    required: bool = field(default=True, kw_only=True)
    open: bool = field(default=False, kw_only=True)
    resume: bool = field(default=True, kw_only=True)

    async def check(self, call: Call, /) -> None:
        """Refuse a call whose session does not allow it."""
        sessions, name = self.env.sessions, call.callee.name
        if sessions is None:
            raise CapabilityError(f"{name} cannot run: the environment knows no sessions")
        state = await sessions.state(call)
        if state is SessionState.CLOSED:
            raise DeniedError(f"{name}: the session is closed; begin a new one")
        if state is SessionState.IDLE:
            if not self.resume:
                raise DeniedError(f"{name}: the session is not active, and this call may not take it up again")
            await sessions.resume(call)
        elif state is SessionState.ABSENT and self.open:
            await sessions.open(call)
        elif state is SessionState.ABSENT and self.required:
            raise DeniedError(f"{name} needs an active session; begin one")
