"""The context of one call: the interface of its body, and the only way to make another call."""

from __future__ import annotations

import asyncio
import logging
from contextvars import Token
from functools import partial
from typing import Any, Final, ParamSpec, Protocol, TypeVar, overload

from remit.approvals.approver import only_announces
from remit.call.call import Call, CallService, derive_call_id
from remit.call.callee import AgentLike, Callee, Payload, Tools
from remit.call.current_call import CURRENT_CALL, ApprovedState, CurrentCall
from remit.call.facts import Effect
from remit.call.log import Log
from remit.call.notes import limit_content
from remit.call.redact import redact_reply, redact_text
from remit.call.reply import Reply
from remit.call.reports import REPORTS, Report
from remit.call.step import PreparedCall
from remit.dispatch.attempts import LateAttempt
from remit.dispatch.body_calls import BodyCalls
from remit.dispatch.by_name import ByName, arguments_by_name
from remit.dispatch.log_values import encode_log_data, safe_repr
from remit.dispatch.registry import AnyCallee
from remit.dispatch.unwrapping import unwrap_reply
from remit.errors import (
    CallError,
    ContractError,
    InvalidArgumentsError,
    RateLimitedError,
    Suspended,
)
from remit.record.arguments import Arguments, Limits, given_arguments, parse_arguments
from remit.record.items import Note
from remit.record.ledger import Ledger
from remit.record.principal import Caller, Principal
from remit.record.secret import redact_secrets_in_content
from remit.record.seen import find_last_seen

_LOG: Final = logging.getLogger(__name__)
_MAX_NAME_CHARS = 1000

P = ParamSpec("P")
Out = TypeVar("Out")


class DispatchPort(Protocol):
    """The dispatcher's interface for contexts."""

    @property
    def limits(self) -> Limits:
        """The limits of calls."""
        ...

    @property
    def late_attempts(self) -> dict[tuple[str, str], LateAttempt]:
        """The attempts that continue in threads, by run and call."""
        ...

    def service(self, agent: str, callee: AnyCallee) -> CallService:
        """The service for ``callee`` with all its layers, for calls made as ``agent``."""
        ...

    def refuse(self, error: CallError) -> CallService:
        """The service that records calls and answers them with ``error``."""
        ...

    def caller_below(self, callee: AnyCallee, call: Call) -> Caller:
        """The caller of calls made by the body of ``callee``, which ``call`` runs."""
        ...

    def resolve_for_model(self, caller: Caller, name: str) -> AnyCallee:
        """Resolve a name written by a model."""
        ...

    def resolve_for_code(self, caller: Caller, name: str) -> AnyCallee:
        """Resolve a name used in Python code."""
        ...

    def resolve_alias(self, caller: Caller, alias: str) -> AnyCallee:
        """Resolve an attribute of ``ctx.tools``."""
        ...


class CallContext:
    """The context of ``call``, whose body is about to run."""

    __slots__ = (
        "_call",
        "_callee",
        "_caller_below",
        "_calls",
        "_dispatch",
        "_key",
        "_loop",
        "_occurrences",
        "_recorded_notes",
        "approved_state",
        "caller",
        "has_ended",
        "id",
        "ledger",
    )

    def __init__(
        self,
        call: Call,
        callee: AnyCallee,
        dispatch: DispatchPort,
        approved_state: ApprovedState | None = None,
    ) -> None:
        self.id = call.id
        self._key = call.id
        self.caller = call.caller
        self.ledger: Ledger = call.ledger
        self.approved_state = approved_state
        self.has_ended = False
        if callee.facts.effect is Effect.KEYED and not only_announces(call):
            self.ledger.unread_keys.add(call.id)
        self._call = call
        self._dispatch = dispatch
        self._callee = callee
        self._caller_below: Caller | None = None
        self._occurrences: dict[str, int] = {}
        self._calls: BodyCalls | None = None
        self._loop = asyncio.get_running_loop()
        items = self.ledger.items_for(call.id)
        self._recorded_notes = [(item.name, item.data) for item in items if isinstance(item, Note)] if items else []

    def begin(self) -> Token[CurrentCall | None]:
        """Enable the context, until `end`, for the body of its call and for the tasks that the body starts."""
        return CURRENT_CALL.set(self)

    def end(self, token: Token[CurrentCall | None]) -> None:
        """Disable the context."""
        self.has_ended = True
        try:
            CURRENT_CALL.reset(token)
        except ValueError:  # the coroutine is closed from another context
            return

    @property
    def callee_name(self) -> str:
        """The name of the callee."""
        return self._callee.name

    @property
    def key(self) -> str:
        """The idempotency key of the call."""
        self._check_running("key")
        self.ledger.unread_keys.discard(self.id)
        return self._key

    def settle_key(self, error: CallError | None = None) -> None:
        """Warn operators that a keyed body ended without reading its key, so that it is not repeated.

        A body that was told to wait has not started its work, and is repeated.
        """
        if isinstance(error, RateLimitedError):
            self.ledger.unread_keys.discard(self.id)
        if self.id in self.ledger.unread_keys and (error is None or error.retryable):
            _LOG.warning(
                "%s is keyed, but its body ended without reading ctx.key, so it is not retried, and works again "
                "after a crash; use Database.once or remit.effects.once, pass ctx.key on, or declare another effect",
                self._callee.name,
            )

    @property
    def run(self) -> str:
        """The id of the run."""
        return self.caller.run

    @property
    def deadline(self) -> float | None:
        """The time by which a result is due, on the loop's clock; None for no limit."""
        return self._call.deadline

    @property
    def tools(self) -> Tools:
        """The tools of the calling agent, by alias."""
        return ByName(self._call_alias)

    @property
    def log(self) -> Log:
        """Writes messages with a level to the journal and to the run's stream."""
        return Log(self._write_note)

    def emit(self, name: str | Report, data: object = None, /) -> None:
        """Report progress, or objects that the call changed or showed, to the journal and to the run's stream."""
        if isinstance(name, REPORTS):
            name, data = name.note_name, name.to_fields()
        self._write_note(name, data)

    async def last_seen(self, kind: str, object_id: str, /, *parts: str) -> dict[str, str]:
        """The state in which the conversation last saw each part of an object, as reported by `Seen`."""
        self._check_running("last_seen")
        return await find_last_seen(self.ledger, kind, object_id, parts)

    @overload
    async def call(self, callee: Callee[P, Out], /, *args: P.args, **kwargs: P.kwargs) -> Out: ...
    @overload
    async def call(self, callee: str, payload: Payload | None = None, /, **arguments: Any) -> Any: ...
    async def call(self, callee: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a callee with the parameters of its function, or by name with a payload."""
        if isinstance(callee, str):
            return await self._call_named(
                self._dispatch.resolve_for_code(self._caller_of_calls(), callee), *args, **kwargs
            )
        called: AnyCallee = callee
        try:
            arguments = called.build_arguments
        except AttributeError:
            raise InvalidArgumentsError(
                f"ctx.call({safe_repr(callee)}) in {self._callee.name}: give the tool, agent or "
                "worker itself, or its name"
            ) from None
        return await self._call_value(called, arguments(*args, **kwargs))

    def prepare(self, name: str, arguments: str, wire_id: str) -> PreparedCall:
        """Prepare a call of the named tool with a model's raw arguments."""
        caller = self._caller_of_calls()
        callee = self._dispatch.resolve_for_model(caller, name)
        parsed = parse_arguments(given_arguments(arguments), self._dispatch.limits)
        return self._prepare(callee, self._build_call(caller, callee, parsed, wire_id))

    @property
    def calls(self) -> BodyCalls:
        """The calls of the body, created on first use, because most bodies make none."""
        if self._calls is None:
            self._calls = BodyCalls(self.id, self.ledger)
        return self._calls

    def caller_of_runs(self) -> Caller:
        """The caller of runs that the body opens, which inherit its tool scope and permissions.

        Raises:
            ContractError: the call has ended.
        """
        self._check_running("caller")
        return self._dispatch.caller_below(self._callee, self._call)

    def hand_over_to(self, agent: AgentLike[..., Any], /) -> CallContext:
        """Return this frame for an agent that continues in its place. The occurrences for call ids are counted on."""
        frame = CallContext(self._call, agent, self._dispatch)
        frame._occurrences = self._occurrences
        frame._calls = self.calls
        return frame

    async def _call_alias(self, alias: str, payload: Payload | None, values: dict[str, Any]) -> Any:
        return await self._call_named(self._dispatch.resolve_alias(self._caller_of_calls(), alias), payload, **values)

    async def _call_named(self, callee: AnyCallee, payload: Payload | None = None, /, **values: Any) -> Any:
        return await self._call_value(callee, arguments_by_name(callee, payload, values, self._dispatch.limits))

    async def _call_value(self, callee: AnyCallee, arguments: Arguments) -> Any:
        limited = arguments.limit(self._dispatch.limits)  # parsed arguments are within the limits
        call = self._build_call(self._caller_of_calls(), callee, limited, "")
        try:
            reply = await self._make_call(callee, call)
            if reply.is_stopped:
                if self.ledger.execution.is_stopping:  # the process that stopped the call died before the run ended
                    raise asyncio.CancelledError
                await self.calls.stop_again(call.id)
        except Suspended:
            await self.calls.stand_still()
            raise
        return unwrap_reply(callee, reply)

    def find(self, name: str, /) -> AnyCallee:
        """The callee that Python code in this body calls by a name. For an unknown name it refuses every call."""
        return self._dispatch.resolve_for_code(self._caller_of_calls(), name)

    def prepare_call(self, callee: AnyCallee, arguments: str, /, by: Principal | None = None) -> PreparedCall:
        """Prepare a call of ``callee`` with arguments as text, with no more permissions than those of ``by``."""
        parsed, caller = parse_arguments(arguments, self._dispatch.limits), self._caller_of_calls()
        caller = caller if by is None else caller.limited_to(by)
        return self._prepare(callee, self._build_call(caller, callee, parsed, ""))

    def _build_call(self, caller: Caller, callee: AnyCallee, arguments: Arguments, wire: str) -> Call:
        """Build a call with the next id for its content."""
        ident = derive_call_id(self.id, callee.name, arguments, self._occurrences)
        self.calls.claims[ident] = self.ledger.order.claim(self.id, ident)
        return Call(ident, callee, arguments, caller, self.ledger, wire, self._call.deadline)

    def _caller_of_calls(self) -> Caller:
        """The caller of calls made by this body, computed on first use, because most bodies make none.

        Raises:
            ContractError: the callee is not composed, its body has ended, or this is not the event loop of the run.
        """
        self._check_running("call")
        if not self._is_in_own_loop():
            raise ContractError(
                f"ctx.call of {self._callee.name}: await it in the event loop of its run; this is another thread or "
                "event loop"
            )
        if self._caller_below is None:
            if self._callee.facts.effect is not Effect.COMPOSED:
                raise ContractError(
                    f"{self._callee.name} is {self._callee.facts.effect.value} and calls no other tool; "
                    f"ask for a Context, and declare effect=Effect.COMPOSED"
                )
            self._caller_below = self._dispatch.caller_below(self._callee, self._call)
        return self._caller_below

    def _prepare(self, callee: AnyCallee, call: Call) -> PreparedCall:
        return PreparedCall(call.id, partial(self._make_call, callee, call), call.arguments.identity)

    async def _make_call(self, callee: AnyCallee, call: Call, refusal: CallError | None = None, /) -> Reply:
        """Make a call and raise its suspension at once: drivers and pipelines wait for its siblings themselves."""
        calls = self.calls
        if refusal is None or self.ledger.items_for(call.id):
            service = self._dispatch.service(call.caller.agent, callee)
        else:
            service = self._dispatch.refuse(refusal)
        try:
            if not calls.claims[call.id]:
                await self.ledger.order.wait(self.id, call.id, lambda: bool(calls.running))
            if calls.is_told:
                raise calls.signal or Suspended  # noqa: TRY301 - kept below like that of any call
            calls.running[call.id] = asyncio.current_task(self._loop)
            return await service(call)
        except BaseException as error:
            calls.keep_signal(call.id, error)
            raise
        finally:
            calls.end_call(call.id)

    def _is_in_own_loop(self) -> bool:
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:  # a thread without a loop
            return False

    def _check_running(self, member: str) -> None:
        """Refuse use after the call has ended or in another call's body, since code may keep a context.

        Code outside all calls, such as an application's task or thread that serves the call, may use it while the call
        runs.

        Raises:
            ContractError: the call has ended, or the body of another one uses its context.
        """
        if self.has_ended or (self._calls is not None and self._calls.has_ended):
            raise ContractError(
                f"ctx.{member} of {self._callee.name}: its call has ended, and a context works only while its call "
                "runs; await everything in the body"
            )
        current = CURRENT_CALL.get()
        if current is not None and (current.id, current.ledger) != (self.id, self.ledger) and not current.has_ended:
            raise ContractError(
                f"ctx.{member} of {self._callee.name} was used by {current.callee_name}; a context works only in its "
                "own call: take the ctx that your function is given"
            )

    def _write_note(self, name: str, data: object) -> None:
        self._check_running("log")
        if self._calls is not None and self._calls.is_told:
            return  # the body runs again, and a report about its suspension would be false then
        content = encode_log_data(data)
        if self._call.redactions:
            content = redact_reply(Reply(content), self._call.redactions).content
        content = limit_content(redact_secrets_in_content(content), self._dispatch.limits.note_bytes)
        entry = (redact_text(name, self._call.redactions)[:_MAX_NAME_CHARS], content)
        if self._is_in_own_loop():
            self._add_note(entry)
        else:
            self._loop.call_soon_threadsafe(self._add_note, entry)

    def _add_note(self, entry: tuple[str, str]) -> None:
        if self.has_ended:
            return  # a thread wrote it while the loop was blocked
        if entry in self._recorded_notes:
            self._recorded_notes.remove(entry)
        else:
            self.ledger.add(Note(call=self.id, name=entry[0], data=entry[1]))


def caller_of_runs() -> Caller | None:
    """The caller of the runs that the current task opens; None outside the bodies of calls.

    Raises:
        ContractError: the call of the body has ended.
    """
    current = CURRENT_CALL.get()
    return None if current is None else current.caller_of_runs()
