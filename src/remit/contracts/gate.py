"""A gate: a layer around a tool that looks at a call and lets it pass, or refuses it. It may be asked twice.

None is asked about what has passed already, since a gate looks at the world of today. A replay only compares. And a
call that is driven again after a crash may have written before: a gate would refuse a deletion for what it deleted.
"""

from __future__ import annotations

import abc

from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.facts import Effect
from remit.contracts.items import AttemptEnded, AttemptStarted
from remit.contracts.reply import Reply


def has_passed_gates(call: Call) -> bool:
    """Whether no gate is asked about a call: it is only compared, or its body has begun and may have written."""
    if call.ledger.is_replaying:
        return True
    if call.callee.facts.effect in (Effect.PURE, Effect.COMPOSED):
        return False
    items = call.ledger.items_for(call.id)
    void_attempts = {item.attempt for item in items if isinstance(item, AttemptEnded) and item.void}
    return any(isinstance(item, AttemptStarted) and item.attempt not in void_attempts for item in items)


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
            if not has_passed_gates(call):
                await check(call)
            return await inner(call)

        return gated
