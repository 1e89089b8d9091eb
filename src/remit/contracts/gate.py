"""A gate: a layer around a tool that looks at a call and lets it pass, or refuses it. It may be asked twice."""

from __future__ import annotations

import abc

from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.reply import Reply


class Gate(CallLayer):
    """A layer of one check. `Foresee` asks the gates of a tool before a person is asked about a call of it."""

    @abc.abstractmethod
    async def check(self, call: Call, /) -> None:
        """Return if the call may pass.

        Raises:
            CallError: it may not, and why.
        """

    def __call__(self, inner: CallService, /) -> CallService:
        """The service that checks before ``inner``."""
        check = self.check

        async def gated(call: Call, /) -> Reply:
            await check(call)
            return await inner(call)

        return gated
