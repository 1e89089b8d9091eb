"""Who calls must be somebody."""

from __future__ import annotations

from remit.contracts.call import Call
from remit.contracts.gate import Gate
from remit.core.frozen import frozen
from remit.errors import DeniedError


@frozen
class Authenticate(Gate):
    """Refuses the calls of a principal without a name, which is how an edge says that it does not know who calls."""

    async def check(self, call: Call, /) -> None:
        """Refuse nobody's calls."""
        if not call.caller.principal.name:
            raise DeniedError(f"{call.callee.name} wants to know who calls; log in and call again")
