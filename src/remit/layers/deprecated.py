"""An operation that goes: its use is on record, and from its removal on it is refused."""

from __future__ import annotations

from remit.contracts.call import Call
from remit.contracts.classification import Deprecation
from remit.contracts.gate import Gate
from remit.contracts.notes import note
from remit.core.frozen import frozen
from remit.errors import BlockedError


@frozen
class Deprecated(Gate):
    """Notes each call, and refuses all once ``version``, that of the application, has reached the removal."""

    deprecation: Deprecation
    version: str

    async def check(self, call: Call, /) -> None:
        """Note the call; refuse it where the operation is gone."""
        said = self.deprecation
        instead = f"; call {said.replacement}" if said.replacement else ""
        if said.gone(self.version):
            raise BlockedError(f"{call.callee.name} was removed in version {said.removal}{instead}")
        note(call, "deprecated", {"tool": call.callee.name, "since": said.since, "call": said.replacement})
