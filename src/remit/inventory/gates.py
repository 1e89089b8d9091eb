"""The gates that an inventory declares: authentication, life cycle and sessions."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Protocol

from remit.call.call import Call
from remit.call.classification import Deprecation, parse_version
from remit.call.gate import Gate
from remit.call.notes import write_note
from remit.core.call_checks import check_arguments
from remit.core.checks import wrong_value
from remit.errors import BlockedError, DeniedError, MissingCapabilityError


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticationGate(Gate):
    """Refuses calls of anonymous principals. An edge uses one for callers that have not signed in."""

    async def check(self, call: Call, /) -> None:
        """Refuse an unauthenticated call."""
        if call.caller.principal.is_anonymous:
            raise DeniedError(f"{call.callee.name} requires authentication; log in and call again")


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class DeprecationGate(Gate):
    """Notes each call, and refuses all calls once ``version`` of the application reaches the removal version."""

    deprecation: Deprecation
    version: str

    def __post_init__(self) -> None:
        parse_version(self.version)

    def why_closed(self, callee: str, /) -> BlockedError | None:
        """The error if the operation has been removed."""
        deprecation = self.deprecation
        if not deprecation.is_removed_in(self.version):
            return None
        replacement_hint = f"; call {deprecation.replacement}" if deprecation.replacement else ""
        return BlockedError(f"{callee} was removed in version {deprecation.removal}{replacement_hint}")

    async def check(self, call: Call, /) -> None:
        """Note the call; refuse it if the operation has been removed.

        Raises:
            BlockedError: the operation has been removed.
        """
        if refused := self.why_closed(call.callee.name):
            raise refused
        deprecation = self.deprecation
        write_note(
            call, "deprecated", {"tool": call.callee.name, "since": deprecation.since, "call": deprecation.replacement}
        )


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class EnabledGate(Gate):
    """Refuses every call unless ``enabled``."""

    enabled: bool = True

    def why_closed(self, callee: str, /) -> BlockedError | None:
        """The error if the operation is disabled."""
        return None if self.enabled else BlockedError(f"{callee} is disabled; it was declared `enabled: false`")

    async def check(self, call: Call, /) -> None:
        """Refuse the call if the operation is disabled.

        Raises:
            BlockedError: the operation is disabled.
        """
        if refused := self.why_closed(call.callee.name):
            raise refused


class SessionState(enum.Enum):
    """The state of a call's session."""

    ABSENT = "absent"
    ACTIVE = "active"
    IDLE = "idle"
    """The session is not active but can be resumed."""
    CLOSED = "closed"


class Sessions(Protocol):
    """The capability that manages the sessions of calls."""

    async def state(self, call: Call, /) -> SessionState:
        """The state of this call's session."""
        ...

    async def open(self, call: Call, /) -> None:
        """Open a session for this call."""
        ...

    async def resume(self, call: Call, /) -> None:
        """Resume the session of this call."""
        ...


class HasSessions(Protocol):
    """An environment with sessions; None refuses every call that needs one."""

    @property
    def sessions(self) -> Sessions | None:
        """The session capability."""
        ...


@check_arguments()
@dataclass(frozen=True, slots=True)
class SessionGate(Gate):
    """Refuses calls outside an active session.

    ``open``: a call without a session opens one. ``resume``: a call resumes an idle session. Without ``required`` a
    call without a session passes, but a closed session still refuses. An environment without sessions refuses all
    calls.
    """

    env: HasSessions = field(repr=False)
    required: bool = field(default=True, kw_only=True)
    open: bool = field(default=False, kw_only=True)
    resume: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        if not hasattr(self.env, "sessions"):
            raise wrong_value("SessionGate: env", self.env, "give an object with sessions")

    async def check(self, call: Call, /) -> None:
        """Refuse the call if its session does not permit it."""
        sessions, name = self.env.sessions, call.callee.name
        if sessions is None:
            raise MissingCapabilityError(f"{name} cannot run: the environment has no sessions")
        state = await sessions.state(call)
        if state is SessionState.CLOSED:
            raise DeniedError(f"{name}: the session is closed; start a new one")
        if state is SessionState.IDLE:
            if not self.resume:
                raise DeniedError(f"{name}: the session is idle, and this call may not resume it")
            await sessions.resume(call)
        elif state is SessionState.ABSENT and self.open:
            await sessions.open(call)
        elif state is SessionState.ABSENT and self.required:
            raise DeniedError(f"{name} needs an active session; start one")
