"""Changes replies. It cannot change arguments, because a call runs with those that were validated and approved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, cast

from remit.call.call import Call, CallLayer, CallService, RunsOwnCode
from remit.call.reply import Reply
from remit.core.call_checks import callback, check_arguments
from remit.errors import InternalError


@check_arguments()
@dataclass(frozen=True, slots=True)
class Transform(RunsOwnCode, CallLayer):
    """Passes each successful reply through ``change``, a pure function. Errors and denials remain unchanged."""

    change: Annotated[Callable[[Reply], Reply], callback("reply", is_async=False)]

    def __call__(self, inner: CallService, /) -> CallService:
        """Change the replies of ``inner``."""
        return _Transform(inner, self.change).__call__


class _Transform:
    __slots__ = ("_change", "_inner")

    def __init__(self, inner: CallService, change: Callable[[Reply], Reply]) -> None:
        self._inner = inner
        self._change = change

    async def __call__(self, call: Call, /) -> Reply:
        reply = await self._inner(call)
        if reply.error is not None:
            return reply
        changed = self._change(reply)
        if not isinstance(cast("object", changed), Reply):
            raise InternalError(f"Transform changed a reply to a {type(changed).__name__}; return a Reply")
        return changed
