"""What the application is asked about a call before it runs: previews, and the objects that references mean."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, ParamSpec, TypeVar

from remit.contracts.call import Call
from remit.contracts.changed import Changed
from remit.contracts.failures import is_failure
from remit.contracts.principal import Caller
from remit.contracts.secret import redact_secrets
from remit.contracts.seen import Seen, find_last_seen
from remit.contracts.transient import is_transient
from remit.errors import CallError, DeadlineError, ExternalError, ToolFailedError

P = ParamSpec("P")
T = TypeVar("T")

_TIMEOUT: Final = 10.0
"""Seconds on the loop's clock that an answer may take."""

_MAX_MESSAGE: Final = 2000


class ObservingContext:
    """The context of a call that has not been made, for functions that only look. Messages are not recorded."""

    def __init__(self, call: Call) -> None:
        self.caller: Caller = call.caller
        self.deadline = call.deadline
        self.key = call.id
        self._ledger = call.ledger

    @property
    def run(self) -> str:
        """The id of the run."""
        return self.caller.run

    def log(self, message: str, /, **fields: object) -> None:
        """Do nothing: the call does not run."""

    def emit(self, name: str | Changed | Seen, data: object = None, /) -> None:
        """Do nothing: the call does not run."""

    async def last_seen(self, kind: str, object_id: str, /, *parts: str) -> dict[str, str]:
        """The state in which the conversation last saw each part of an object; see `LeafContext.last_seen`."""
        return await find_last_seen(self._ledger, kind, object_id, parts)


async def observe(what: str, function: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
    """Await a function of the application that looks at the state of a call. ``what`` names it in errors.

    Raises:
        CallError: it raised one, or failed, so that the call cannot be judged. ExternalError: it failed for a reason
            that passes. DeadlineError: it took too long.
    """
    limit = asyncio.timeout(_TIMEOUT)
    try:
        async with limit:
            return await function(*args, **kwargs)
    except CallError:
        raise
    except BaseException as error:
        if not is_failure(error):
            raise
        if limit.expired():
            message = f"{what} took longer than {_TIMEOUT:g} seconds, so the call was not made; try it again"
            raise DeadlineError(message) from error
        message = redact_secrets(f"{what} failed: {type(error).__name__}: {error}")[:_MAX_MESSAGE]
        raise (ExternalError if is_transient(error) else ToolFailedError)(message) from error
