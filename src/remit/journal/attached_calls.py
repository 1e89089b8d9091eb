"""The runs that repeated calls attach to: the port and its in-memory store."""

from __future__ import annotations

from typing import Protocol


class AttachedCalls(Protocol):
    """The runs that repeated calls attach to, each kept from before it is opened until its result is read.

    A row is only a hint: the run's header decides whether the run belongs to the call.
    """

    async def attach_call(self, call: str, run: str) -> str:
        """Keep ``run`` as that of a call, unless the call has one; return the run of the call."""
        ...

    async def detach_call(self, call: str, run: str) -> None:
        """Forget the run of a call, if it still is ``run``."""
        ...


class CallsInMemory:
    """The attached calls of a store in memory."""

    def __init__(self) -> None:
        self._attached: dict[str, str] = {}

    async def attach_call(self, call: str, run: str) -> str:
        """Keep ``run`` as that of a call, unless the call has one; return the run of the call."""
        return self._attached.setdefault(call, run)

    async def detach_call(self, call: str, run: str) -> None:
        """Forget the run of a call, if it still is ``run``."""
        if self._attached.get(call) == run:
            del self._attached[call]
