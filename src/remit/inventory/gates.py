"""The gates that an inventory declares: who calls, whether an operation is enabled and visible, and its session."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Final, Protocol

from remit.contracts.call import Call
from remit.contracts.classification import Deprecation, Visibility
from remit.contracts.gate import Gate
from remit.contracts.notes import write_note
from remit.errors import BlockedError, DeniedError, MissingCapabilityError


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticationGate(Gate):
    """Refuses the calls of a principal without a name, which is how an edge says that it does not know who calls."""

    async def check(self, call: Call, /) -> None:
        """Refuse nobody's calls."""
        if not call.caller.principal.name:
            raise DeniedError(f"{call.callee.name} wants to know who calls; log in and call again")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeprecationGate(Gate):
    """Notes each call, and refuses all once ``version``, that of the application, has reached the removal."""

    deprecation: Deprecation
    version: str

    async def check(self, call: Call, /) -> None:
        """Note the call; refuse it where the operation is gone."""
        deprecation = self.deprecation
        replacement_hint = f"; call {deprecation.replacement}" if deprecation.replacement else ""
        if deprecation.is_removed_in(self.version):
            raise BlockedError(f"{call.callee.name} was removed in version {deprecation.removal}{replacement_hint}")
        write_note(
            call, "deprecated", {"tool": call.callee.name, "since": deprecation.since, "call": deprecation.replacement}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EnabledGate(Gate):
    """Refuses every call unless ``enabled``."""

    enabled: bool = True

    async def check(self, call: Call, /) -> None:
        """Refuse, where it is switched off."""
        if not self.enabled:
            raise BlockedError(f"{call.callee.name} is switched off; it was declared `enabled: false`")


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


@dataclass(frozen=True, slots=True)
class SessionGate(Gate):
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
            raise MissingCapabilityError(f"{name} cannot run: the environment knows no sessions")
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


EXPERIMENT_PERMISSION: Final = "tools:experiment"
"""The permission to call what is experimental."""


@dataclass(frozen=True, slots=True)
class VisibilityGate(Gate):
    """Refuses calls of an INTERNAL operation that no other operation makes, and of an EXPERIMENTAL one without leave.

    A model, a command and a request from outside are no operation.
    """

    visibility: Visibility

    async def check(self, call: Call, /) -> None:
        """Refuse whom it is not visible to."""
        caller, name = call.caller, call.callee.name
        if self.visibility is Visibility.INTERNAL and (call.wire_id or not caller.call):
            raise BlockedError(f"{name} is internal: only other operations call it")
        if self.visibility is Visibility.EXPERIMENTAL and not caller.principal.may(EXPERIMENT_PERMISSION):
            raise BlockedError(
                f"{name} is experimental: {caller.principal.name} needs the permission {EXPERIMENT_PERMISSION}"
            )
