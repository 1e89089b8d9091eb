"""Application callbacks outside the attempts of calls: previews, gates and the resolution of references."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar, cast

from remit.call.call import Call
from remit.call.failures import is_failure
from remit.call.log import Log
from remit.call.reports import Report
from remit.call.transient import is_transient
from remit.core.amounts import format_seconds
from remit.core.call_checks import describe_not_async
from remit.errors import CallError, DeadlineError, ExternalError, InternalError
from remit.record.current_run import CURRENT_RUN
from remit.record.principal import Caller
from remit.record.secret import redact_secrets
from remit.record.seen import find_last_seen

T = TypeVar("T")

_MAX_MESSAGE: Final = 2000
_SHARE: Final = 0.9


class ObservingContext:
    """The context of a call that has not been made, for read-only functions. Messages are not recorded."""

    def __init__(self, call: Call) -> None:
        self.caller: Caller = call.caller
        self.deadline = call.deadline
        self.key = call.id
        self._ledger = call.ledger

    @property
    def run(self) -> str:
        """The id of the run."""
        return self.caller.run

    @property
    def log(self) -> Log:
        """Writes nothing: the call does not run."""
        return Log(lambda _name, _data: None)

    def emit(self, name: str | Report, data: object = None, /) -> None:
        """Do nothing: the call does not run."""

    async def last_seen(self, kind: str, object_id: str, /, *parts: str) -> dict[str, str]:
        """The state in which the conversation last saw each part of an object; see `LeafContext.last_seen`."""
        return await find_last_seen(self._ledger, kind, object_id, parts)


async def await_callback(
    what: str, answer: Awaitable[T], *, deadline: float | None = None, seconds: float | None = None
) -> T:
    """Await an application's function outside the attempts of calls, which have their own time limits.

    It may take at most ``seconds``, by default the value in `Limits`, and nearly all of the time until the call's
    ``deadline``; the rest is left for later work, such as asking a person. ``what`` names the function in errors.

    Raises:
        DeadlineError: it took longer. InternalError: the function is not async.
    """
    if not inspect.isawaitable(cast("object", answer)):
        raise InternalError(f"{what} failed: {describe_not_async(answer)}")
    loop = asyncio.get_running_loop()
    left = CURRENT_RUN.get().limits.callback_seconds if seconds is None else seconds
    left = left if deadline is None else max(0.0, min(left, _SHARE * (deadline - loop.time())))
    limit = asyncio.timeout(left)
    try:
        async with limit:
            return await answer
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise DeadlineError(f"{what} took longer than {format_seconds(left)}, so the call was not made") from error


async def observe(what: str, function: Callable[[], Awaitable[T]], *, deadline: float | None) -> T:
    """Await an application's function that inspects a call; see `await_callback`.

    Raises:
        CallError: it raised one, or failed, so the call cannot be judged. ExternalError: it failed for a transient
            reason. DeadlineError: it took too long.
    """
    try:
        return await await_callback(what, function(), deadline=deadline)
    except CallError:
        raise
    except BaseException as error:
        if not is_failure(error):
            raise
        message = redact_secrets(f"{what} failed: {type(error).__name__}: {error}")[:_MAX_MESSAGE]
        raise (ExternalError if is_transient(error) else InternalError)(message) from error
