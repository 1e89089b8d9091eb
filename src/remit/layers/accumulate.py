"""A layer that folds all replies into one value, as an example of a layer with state.

The state lives in this process and is not journaled: resume and replay do not restore it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Generic, TypeVar

from remit.call.call import Call, CallLayer, CallService, RunsOwnCode
from remit.call.reply import Reply
from remit.core.call_checks import callback, check_arguments

S = TypeVar("S")


@check_arguments()
class Accumulate(RunsOwnCode, CallLayer, Generic[S]):
    """Keeps ``state``, which is ``fold(state, call, reply)`` over all calls that have ended.

    ``fold`` runs between awaits, so parallel calls lose no update.
    """

    def __init__(
        self,
        initial: S,
        fold: Annotated[Callable[[S, Call, Reply], S], callback("state", "call", "reply", is_async=False)],
    ) -> None:
        self.state = initial
        self._fold = fold

    def __call__(self, inner: CallService, /) -> CallService:
        """Fold the replies of ``inner``."""

        async def fold_reply(call: Call, /) -> Reply:
            reply = await inner(call)
            self.state = self._fold(self.state, call, reply)
            return reply

        return fold_reply

    def __repr__(self) -> str:
        return f"Accumulate({self.state!r})"
