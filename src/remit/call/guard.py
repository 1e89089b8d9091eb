"""Guards around custom layers: a defect in one ends a single call, with an error that names the layer.

Remit's own layers obey these rules, so only custom layers bear the cost of a guard.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from types import CoroutineType
from typing import Any, Final, Generic, TypeVar, cast

from msgspec import Struct

from remit.call.call import (
    Call,
    CallLayer,
    CallService,
    ModelLayer,
    ModelService,
    RunsOwnCode,
    StepLayer,
    StepService,
    viewed_layer,
)
from remit.call.failures import is_cancel_requested, is_failure
from remit.call.redact import safe_cause
from remit.call.reply import Reply
from remit.call.step import Done, Next, StepRequest
from remit.chat.chat import ChatRequest, Completion
from remit.core import Layer, Service
from remit.core.call_checks import check_awaitable
from remit.errors import DivergedError, InternalError, JournalError, RemitError, SealError, SetupError
from remit.record.ledger import Ledger
from remit.record.secret import redact_secrets

Q = TypeVar("Q")
R = TypeVar("R")


def compose_calls(layers: Iterable[CallLayer], base: CallService) -> CallService:
    """Wrap ``base`` in layers around calls, given outermost first, with a guard around each custom layer."""
    outermost_first = list(layers)
    own = [name for layer in outermost_first if (name := layer.own_code if _is_shipped(layer) else _layer_name(layer))]
    checked = _check_unchanged(base, ", ".join(own)) if own else base
    rules = _Rules[Call]((Reply,), "the reply", lambda call: call.ledger, _check_same_call)
    return _compose(outermost_first, checked, rules)


def compose_models(layers: Iterable[ModelLayer], base: ModelService) -> ModelService:
    """Wrap a model in layers around its requests; see `compose_calls`."""
    return _compose(layers, base, _Rules[ChatRequest]((Completion,), "the completion", lambda request: request.ledger))


def compose_steps(layers: Iterable[StepLayer], base: StepService) -> StepService:
    """Wrap a step in layers around steps; see `compose_calls`."""
    return _compose(
        layers, base, _Rules[StepRequest]((Next, Done), "the outcome", lambda step: step.calls.ledger, _check_same_step)
    )


def _accept(_layer: str, _entered: object, _passed: object) -> None:
    """Accept any request, because layers may change model requests."""


@dataclass(frozen=True)
class _Rules(Generic[Q]):
    """The rules for one kind of layer: the types that it may return and the requests that it may pass on."""

    results: tuple[type, ...]
    expected: str
    ledger: Callable[[Q], Ledger]
    check_passed: Callable[[str, Q, Q], None] = _accept


def _compose(layers: Iterable[Layer[Q, R]], base: Service[Q, R], rules: _Rules[Q]) -> Service[Q, R]:
    service = base
    for is_shipped, adjacent in groupby(reversed(list(layers)), _is_shipped):
        if is_shipped:
            for layer in adjacent:
                service = layer(service)
        else:
            service = _GuardedLayers(list(adjacent), service, rules).__call__
    return service


def _is_shipped(layer: Layer[Any, Any]) -> bool:
    """Whether the layer is one of Remit's that runs no application function."""
    inner = viewed_layer(layer)
    return type(inner).__module__.startswith("remit.") and not isinstance(inner, RunsOwnCode)


def is_composed_by_own_code(layer: object) -> bool:
    """Whether application code, which may fail, wraps the service. Subclasses may leave this to Remit."""
    return _is_own_code(type(viewed_layer(layer)))


@cache
def _is_own_code(kind: type) -> bool:
    wrap: object = kind.__call__
    return not str(getattr(wrap, "__module__", "")).startswith("remit.")


def _layer_name(layer: object) -> str:
    """The name of a layer for errors, which unlike its ``repr`` is equal in all processes."""
    return layer.name if isinstance(layer, RunsOwnCode) else type(layer).__name__


_UNCHECKED: Final = object()


class _Entry(Struct, Generic[Q]):
    """A request to adjacent custom layers, with its task and the number of earlier cancellations.

    ``signal``, which inner raised to end or suspend the run, is raised again even if a layer swallows it. ``checked``
    is the last valid result of a layer; outer layers may return it without another check.
    """

    layers: _GuardedLayers[Q, Any]
    request: Q
    task: asyncio.Task[Any]
    cancels: int
    signal: BaseException | None = None
    has_ended: bool = False
    checked: object = _UNCHECKED

    def raise_signal(self) -> None:
        """Raise a signal that a layer may have swallowed, so that no effect follows."""
        _raise_if_swallowed(self.task, self.cancels)
        if self.signal is not None:
            raise self.signal

    def drop_cancellation_of_group(self) -> None:
        """Drop the cancellation that, before Python 3.13, a TaskGroup leaves behind if a task fails."""
        while self.task.cancelling() > self.cancels:
            self.task.uncancel()


ENTERED_LAYERS: Final[ContextVar[_Entry[Any] | None]] = ContextVar("remit_entered_layers", default=None)
"""The innermost custom layers of an application that the current task is inside; None outside of all."""


class _GuardedLayers(Generic[Q, R]):
    """Adjacent custom layers, given innermost first. Common checks run once around all of them."""

    def __init__(self, layers: Sequence[Layer[Q, R]], inner: Service[Q, R], rules: _Rules[Q]) -> None:
        names = [_layer_name(layer) for layer in layers]
        self._inner = inner
        self._rules = rules
        self._innermost = names[0]
        service: Service[Q, R] = self._pass_on
        for layer, outer in zip(layers, [*names[1:], ""], strict=True):
            service = _Guard(layer, service, rules, self, outer).__call__
        self._service = service

    async def __call__(self, request: Q, /) -> R:
        task = _current_task()
        entry = _Entry(self, request, task, task.cancelling())
        token = ENTERED_LAYERS.set(entry)
        try:
            result = await self._service(request)
        except RemitError:
            entry.raise_signal()
            raise
        finally:
            entry.has_ended = True
            ENTERED_LAYERS.reset(token)
        entry.raise_signal()
        return result

    def find_entry(self, layer: str) -> _Entry[Q]:
        """The entry of the current task to these layers, of which ``layer`` calls inner.

        Raises:
            SealError: the call of the layer has ended.
        """
        entry = ENTERED_LAYERS.get()
        if entry is None or entry.layers is not self or entry.has_ended:
            raise SealError(f"the layer {layer} called inner after its call had ended; await inner in the layer")
        return entry

    async def _pass_on(self, request: Q, /) -> R:
        entry = self.find_entry(self._innermost)
        entry.raise_signal()
        current = _current_task()
        if current is not entry.task:  # a layer calls inner in its own task, for example to limit its time
            _raise_if_swallowed(current, 0)
        if request is not entry.request:
            self._rules.check_passed(self._innermost, entry.request, request)
        try:
            result = await self._inner(request)
        except BaseException as error:
            is_signal = not isinstance(error, (Exception, asyncio.CancelledError))
            if is_signal or isinstance(error, (JournalError, DivergedError)):
                entry.signal = error
            raise
        entry.signal = None  # one of two concurrent calls has answered
        return result


def _raise_if_swallowed(task: asyncio.Task[Any], cancels: int) -> None:
    """Raise a cancellation that a layer swallowed, so that no effect starts after it."""
    if task.cancelling() > cancels:
        raise asyncio.CancelledError


class _Guard(Generic[Q, R]):
    """One layer with checks of the request that it receives and the result that it returns."""

    __slots__ = ("_layers", "_name", "_outer", "_results", "_rules", "_service")

    def __init__(
        self,
        layer: Layer[Q, R],
        inner: Service[Q, R],
        rules: _Rules[Q],
        layers: _GuardedLayers[Q, R],
        outer: str,
    ) -> None:
        self._name = _layer_name(layer)
        self._outer = outer
        self._rules = rules
        self._results = rules.results
        self._layers = layers
        self._service = layer(inner)
        if not callable(cast("object", self._service)):
            raise SetupError(f"the layer {self._name} made {_describe(self._service)}; return an async function")

    async def __call__(self, request: Q, /) -> R:
        entry = self._layers.find_entry(self._outer)
        if request is not entry.request:
            self._rules.check_passed(self._outer, entry.request, request)
        try:
            result = await check_awaitable(self._service(request))
        except asyncio.CancelledError as error:
            if is_cancel_requested() or self._rules.ledger(request).execution.is_stopping:
                raise
            raise self._failure(f"raised {type(error).__name__}, but nothing was cancelled") from error
        except RemitError:
            raise
        except BaseException as error:
            if error is entry.signal or not is_failure(error):
                raise
            if issubclass(type(error), BaseExceptionGroup) and not self._rules.ledger(request).execution.is_stopping:
                entry.drop_cancellation_of_group()
            failure = self._failure(redact_secrets(f"failed: {type(error).__name__}: {error}"))
            raise failure from safe_cause(error)
        if result is not entry.checked:
            self._check(result)
            entry.checked = result
        return result

    def _check(self, result: R) -> None:
        if not isinstance(result, self._results):
            raise self._failure(
                f"returned {_describe(result)}; return {self._rules.expected} of inner, or one of its type"
            )
        if isinstance(result, Reply) and (wrong := result.find_wrong_field()):
            raise self._failure(f"returned {wrong}")

    def _failure(self, problem: str) -> InternalError:
        return InternalError(f"the layer {self._name} {problem}")


def _current_task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - a coroutine that awaits runs in a task
    return task


def _describe(result: object) -> str:
    if result is None:
        return "nothing"
    return f"a value of type {type(result).__name__}"


_FIXED: Final = (
    "id",
    "callee",
    "arguments",
    "caller",
    "ledger",
    "wire_id",
    "payload",
    "canonical_arguments",
    "approvals",
    "redactions",
    "retry_on",
)


def _check_same_call(layer: str, entered: Call, passed: Call) -> None:
    """Refuse a different call from the one that the layer received. Deadline and attempt may differ."""
    for name in _FIXED:
        if getattr(passed, name) is not getattr(entered, name):
            raise SealError(
                f"the layer {layer} changed the {name} of a call to {entered.callee.name}; to change them, "
                "make a new call"
            )


def _check_same_step(layer: str, entered: StepRequest, passed: StepRequest) -> None:
    """Refuse a request that a layer made anew, because what the step records would be lost."""
    if passed.record is not entered.record:
        raise SealError(
            f"the layer {layer} made a request for a step of its own; change the one that it is given: "
            "request.with_message(…), request.again(outcome), or msgspec.structs.replace(request, …)"
        )


def _check_unchanged(base: CallService, names: str) -> CallService:
    """Refuse a payload that one of the named layers mutated, because the journal holds the validated one."""

    def check(call: Call, /) -> CoroutineType[Any, Any, Reply]:
        payload = call.payload
        if payload is not None and call.callee.schema_in.dump_canonical(payload) != call.canonical_arguments:
            raise SealError(f"a layer changed the arguments of {call.callee.name} after they were validated: {names}")
        return base(call)

    return check
