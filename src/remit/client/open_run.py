"""The handle of an open run for its users."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

from msgspec import Struct

from remit.core.call_checks import check_typed_calls
from remit.dispatch.context import caller_of_runs
from remit.dispatch.registry import AnyCallee
from remit.engine.checks import ToolName
from remit.engine.open_calls import IncomingCall
from remit.engine.open_runs import OpenRuns
from remit.engine.request import as_arguments
from remit.engine.result import CallResult, RunResult
from remit.errors import RequestDeniedError, RequestError
from remit.record.arguments import Arguments, Limits, parse_arguments
from remit.record.items import OPEN_RUN, RunOpened
from remit.record.principal import Principal, may_act_in
from remit.record.secret import contains_secret

IDLE_SECONDS: Final = 1.0
"""Seconds without a call after which an open run rests."""

_MAX_KEY_CHARS: Final = 1000


class OpenRunParts(Struct, frozen=True):
    """The parts that all open runs of a runtime share."""

    runs: OpenRuns
    find: Callable[[str], AnyCallee]
    limits: Limits


class _Opened(NamedTuple):
    """The parts of a run's header that are kept: its id, its conversation and its restrictions."""

    run: str
    conversation: str
    principal: str
    tenant: str
    target: str
    tool_scope: tuple[str, ...] | None
    permissions: tuple[str, ...] | None


@check_typed_calls(RequestError)
class OpenRun:
    """A run whose calls come from outside: ``async with client.open_run() as run``, see `Client.open_run`.

    Leaving the block lets the run rest; `close` ends it. Several blocks, even in different processes, may use one run,
    but only one process at a time.
    """

    __slots__ = ("_by", "_find_header", "_idle_seconds", "_parts", "_run")

    def __init__(
        self,
        parts: OpenRunParts,
        by: Principal,
        find_header: Callable[[], Awaitable[RunOpened]],
        idle_seconds: float,
    ) -> None:
        self._by = by
        self._parts = parts
        self._find_header: Callable[[], Awaitable[RunOpened]] | None = find_header
        self._idle_seconds = idle_seconds
        self._run: _Opened | None = None

    @property
    def id(self) -> str:
        """The id of the run."""
        return self._get_opened().run

    @property
    def conversation(self) -> str:
        """The conversation of the run; empty if it has none."""
        return self._get_opened().conversation

    @property
    def target(self) -> str:
        """The target of the run and its calls; empty if it has none."""
        return self._get_opened().target

    def belongs_to(self, principal: Principal) -> bool:
        """Whether a principal opened the run. Its calls are made as that principal."""
        opened = self._get_opened()
        return (principal.name, principal.tenant) == (opened.principal, opened.tenant)

    async def __aenter__(self) -> Self:
        """Open the run, or find the run to continue."""
        if self._find_header is None:
            raise RequestError(f"the block of run {self.id} was entered before; give it another client.open_run(…)")
        header = await self._find_header()
        if not may_act_in(self._by, header.permissions, header.target):
            raise RequestDeniedError(f"run {header.call} may do more than this API token; open another with the token")
        self._find_header = None
        own = header.principal, header.tenant, header.target
        self._run = _Opened(header.call, header.conversation, *own, header.tool_scope, header.permissions)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Let the run rest, once its calls have ended or wait."""
        await self._parts.runs.leave(self.id, self)

    async def call(
        self,
        tool: ToolName,
        arguments: Arguments | Mapping[str, object] | str,
        *,
        key: str = "",
        attach: bool = False,
    ) -> CallResult[Any]:
        """Call a tool by its name, with arguments as a mapping, JSON or parsed, as the principal of the run.

        The same call with the same ``key`` is one call: it returns the result on record, waits for the call while that
        executes, and continues one whose question was decided. A call that waits for a person returns as ``waiting``,
        and other calls continue. Cancelling the caller ends the call, not the run.

        With ``attach``, the same call without a key is one call until its result was returned once, as in
        `Client.call`: made again, it waits for the same question, or returns the result after the decision. Cancelling
        the caller does not end such a call if it may have an effect.

        Raises:
            RequestError: the application has no such tool, the arguments are not JSON, the run has ended, the body
                of a call repeats its own key, or both ``key`` and ``attach`` are given.
            IdempotencyError: the key was used for another call. LeaseError: another process executes the run.
        """
        opened, parts = self._get_opened(), self._parts
        _check_cage(opened)
        check_key(key)
        if key and attach:
            raise RequestError("a call has a key or attach=True, not both; leave out one of them")
        callee = parts.find(tool)
        given = _read_arguments(tool, arguments, parts.limits)
        incoming = IncomingCall(callee, given, key, self._by, attaches=attach)
        outcome = await parts.runs.call(opened.run, incoming, self, self._idle_seconds)
        return CallResult(
            run=opened.run,
            call=incoming.call,
            callee=callee,
            status=outcome.status,
            reply=outcome.reply,
            questions=outcome.questions,
            reason=outcome.reason,
        )

    async def close(self) -> RunResult[Any]:
        """End the run, once its calls have ended; the value of the result has their numbers.

        Cancelling the caller does not stop this: the run still ends once its calls have ended.

        Raises:
            RequestError: a call waits for a person, or a call of the run closes it. LeaseError: another process
                executes the run.
        """
        opened = self._get_opened()
        _check_cage(opened)
        return await self._parts.runs.close(opened.run, self, self._idle_seconds)

    def _get_opened(self) -> _Opened:
        if self._run is None:
            raise RequestError("the run is not open yet; write `async with client.open_run(…) as run:`")
        return self._run


def check_open(header: RunOpened) -> RunOpened:
    """Refuse a run whose calls do not come from outside.

    Raises:
        RequestError: names it.
    """
    if header.callee != OPEN_RUN:
        raise RequestError(f"run {header.call} is a run of {header.callee}, which takes no calls; open another run")
    return header


def check_key(key: str) -> None:
    """Refuse the key of a call that cannot be stored."""
    if len(key) > _MAX_KEY_CHARS:
        raise RequestError(f"key is too long; give at most {_MAX_KEY_CHARS:,} characters")
    if contains_secret(key):
        raise RequestError("key contains the value of a secret, which would be stored; use another one")


def _read_arguments(tool: str, arguments: Arguments | Mapping[str, object] | str, limits: Limits) -> Arguments:
    given = as_arguments(tool, arguments, limits)
    if contains_secret(given.raw):
        given = parse_arguments(given.raw, limits)
    return given.limit(limits)


def _check_cage(opened: _Opened) -> None:
    """Refuse to use a run in the body of a call that may do less than the run.

    Raises:
        RequestDeniedError: the run was not opened there.
    """
    caller = caller_of_runs()
    if caller is None:
        return
    scope, allowed = caller.tool_scope, caller.allowed
    cage = _Opened(
        opened.run,
        opened.conversation,
        caller.principal.name,
        caller.principal.tenant,
        caller.target,
        None if scope is None else tuple(sorted(scope)),
        None if allowed is None else tuple(sorted(allowed)),
    )
    if cage != opened:
        raise RequestDeniedError(
            f"run {opened.run} may do other things than the call of run {caller.run} that uses it; open one in the call"
        )
