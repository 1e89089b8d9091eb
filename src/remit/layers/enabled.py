"""An operation that is switched off."""

from __future__ import annotations

from dataclasses import dataclass

from remit.contracts.call import Call
from remit.contracts.gate import Gate
from remit.errors import BlockedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Enabled(Gate):
    """Refuses every call unless ``enabled``."""

    enabled: bool = True

    async def check(self, call: Call, /) -> None:
        """Refuse, where it is switched off."""
        if not self.enabled:
            raise BlockedError(f"{call.callee.name} is switched off; it was declared `enabled: false`")
