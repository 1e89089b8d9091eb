"""An operation that is switched off."""

from __future__ import annotations

from remit.contracts.call import Call
from remit.contracts.gate import Gate
from remit.core.frozen import frozen
from remit.errors import BlockedError


@frozen
class Enabled(Gate):
    """Refuses every call unless ``enabled``."""

    enabled: bool = True

    async def check(self, call: Call, /) -> None:
        """Refuse, where it is switched off."""
        if not self.enabled:
            raise BlockedError(f"{call.callee.name} is switched off; it was declared `enabled: false`")
