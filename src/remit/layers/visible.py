"""Who may see an operation: everybody, only other operations, or those who try out what is new."""

from __future__ import annotations

from typing import Final

from remit.contracts.call import Call
from remit.contracts.classification import Visibility
from remit.contracts.gate import Gate
from remit.core.frozen import frozen
from remit.errors import BlockedError

EXPERIMENT: Final = "tools:experiment"
"""The permission to call what is experimental."""


@frozen(kw_only=False)
class Visible(Gate):
    """Refuses calls of an INTERNAL operation that no other operation makes, and of an EXPERIMENTAL one without leave.

    A model, a command and a request from outside are no operation.
    """

    visibility: Visibility

    async def check(self, call: Call, /) -> None:
        """Refuse whom it is not visible to."""
        caller, name = call.caller, call.callee.name
        if self.visibility is Visibility.INTERNAL and (call.wire or not caller.call):
            raise BlockedError(f"{name} is internal: only other operations call it")
        if self.visibility is Visibility.EXPERIMENTAL and not caller.principal.may(EXPERIMENT):
            raise BlockedError(f"{name} is experimental: {caller.principal.name} needs the permission {EXPERIMENT}")
