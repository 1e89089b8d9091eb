"""An example of a layer with state: folds every reply into one value.

The state lives in this process. It is no part of the journal: a run that is resumed or replayed does not restore it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.reply import Reply

S = TypeVar("S")


class Accumulate(CallLayer, Generic[S]):
    """``state`` is ``fold(state, call, reply)`` over all calls that this layer has seen end.

    ``fold`` runs between awaits, so calls in parallel lose nothing.
    """

    def __init__(self, initial: S, fold: Callable[[S, Call, Reply], S]) -> None:
        self.state = initial
        self._fold = fold

    def __call__(self, inner: CallService, /) -> CallService:
        """The service that folds what ``inner`` replies."""

        async def accumulated(call: Call, /) -> Reply:
            reply = await inner(call)
            self.state = self._fold(self.state, call, reply)
            return reply

        return accumulated

    def __repr__(self) -> str:
        return f"Accumulate({self.state!r})"
