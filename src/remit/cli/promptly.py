"""Shows calls when they begin, not when the journal next has to be safe."""

from __future__ import annotations

from dataclasses import dataclass

from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.reply import Reply


@dataclass(frozen=True, slots=True)
class Promptly(CallLayer):
    """Stores what is pending before each call: whoever watches a run sees an item once it is stored."""

    def __call__(self, inner: CallService, /) -> CallService:
        """The service that stores, then calls ``inner``."""

        async def promptly(call: Call, /) -> Reply:
            await call.ledger.flush()
            return await inner(call)

        return promptly
