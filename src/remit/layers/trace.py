"""Spans for calls and model requests, following OpenTelemetry's conventions for generative AI.

An agent's call is ``invoke_agent``, and a tool's call is ``execute_tool`` even if the tool calls others; both are
INTERNAL. A model request is a CLIENT span ``chat``.

Calls and requests answered from the journal have no span, so a replay has none at all. The first traced execution of a
run is recorded, and the outermost spans of later executions link to it. Calls and requests are also measured, by the
instruments of ``remit.layers.instruments``. Without a provider, nothing is traced or measured; a provider that the
program sets later is used from then on.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from types import CoroutineType
from typing import TYPE_CHECKING, Any, Final

from remit.call.call import Call, CallLayer, CallService, ModelLayer, ModelService
from remit.call.contract import Contract
from remit.call.facts import Effect
from remit.call.reply import Reply
from remit.call.tool import Tool
from remit.chat.chat import ChatRequest, Completion
from remit.chat.streaming import timed_answers
from remit.core import Place
from remit.errors import RemitError, Suspended
from remit.layers.instruments import Instruments, make_instruments
from remit.record.items import Item, Message, ToolOutput, TraceStarted
from remit.record.ledger import Ledger
from remit.record.meter import RequestUsage

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import Link, Span, Tracer, TracerProvider

UNKNOWN_VENDOR: Final = "unknown"
"""The vendor of a model that names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace(CallLayer):
    """Opens a span for each call, and measures how long it takes.

    ``provider`` receives the spans and ``meters`` the measurements; by default, they are the program's providers.
    """

    place = Place.TRACE
    provider: TracerProvider | None = None
    meters: MeterProvider | None = field(default=None, repr=False)

    def __call__(self, inner: CallService, /) -> CallService:
        """Wrap ``inner`` in a span."""
        return _TracedCall(inner, self.provider, self.meters).__call__


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceModel(ModelLayer):
    """Opens a span and records measurements for each model request.

    ``model`` and ``vendor`` name the model and its provider, if known. ``meters`` receives the measurements; by
    default, the program's meter provider, if set.
    """

    place = Place.TRACE
    provider: TracerProvider | None = None
    meters: MeterProvider | None = None
    model: str = ""
    vendor: str = UNKNOWN_VENDOR

    def __call__(self, inner: ModelService, /) -> ModelService:
        """Wrap ``inner`` in a span."""

        async def trace(request: ChatRequest, /) -> Completion:
            if "opentelemetry" not in sys.modules:
                return await inner(request)
            with self.request_span(request.ledger, request.call_id) as span, timed_answers(span.record_first_piece):
                completion = await inner(request)
                cost = request.ledger.meter.cost_of(f"{self.vendor}:{self.model}", completion)
                span.record_answer(completion, completion.finish_reason, cost)
                return completion

        return trace

    @contextmanager
    def request_span(self, ledger: Ledger, call: str) -> Generator[ModelSpan]:
        """Open the span of the request journaled under ``call``. Errors are recorded and propagate."""
        if not _is_loaded() or _is_answered(ledger, call, Message):
            yield ModelSpan()
            return
        tracer, instruments = _find_tracer(self.provider), make_instruments(self.meters)
        name = f"chat {self.model}".strip()
        attributes = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": self.vendor}
        attributes = _drop_empty({**attributes, "gen_ai.request.model": self.model})
        own = {"remit.run": ledger.run, "remit.call": call}
        started = time.perf_counter()
        with nullcontext() if tracer is None else _open_span(tracer, name, {**attributes, **own}) as span:
            try:
                yield ModelSpan(span, instruments, attributes, started)
            except (Exception, Suspended) as error:
                attributes["error.type"] = _error_type(error)
                if span is not None:
                    span.set_attributes(attributes)
                    span.set_status(import_module("opentelemetry.trace").StatusCode.ERROR)
                raise
            finally:
                instruments.request_seconds.record(time.perf_counter() - started, attributes)


class ModelSpan:
    """The span and the measurements of one model request; without arguments, nothing is traced.

    ``attributes`` are those of the request; the attributes of the answer are added. ``started`` is when it began.
    """

    __slots__ = ("_attributes", "_instruments", "_span", "_started")

    def __init__(
        self,
        span: Span | None = None,
        instruments: Instruments | None = None,
        attributes: dict[str, str] | None = None,
        started: float = 0.0,
    ) -> None:
        self._span, self._instruments, self._started = span, instruments, started
        self._attributes = {} if attributes is None else attributes

    def record_first_piece(self) -> None:
        """Record that the first piece of a streamed answer has arrived."""
        seconds = time.perf_counter() - self._started
        if self._span is not None:
            self._span.set_attribute("gen_ai.response.time_to_first_chunk", seconds)
        if self._instruments is not None:
            self._instruments.first_piece_seconds.record(seconds, self._attributes)

    def record_answer(self, answer: RequestUsage, finish_reason: str, cost: float | None) -> None:
        """Record the answer to the request, and its cost in US dollars; None if that is unknown."""
        if answer.model:
            self._attributes["gen_ai.response.model"] = answer.model
        counts = {"input": answer.prompt_tokens, "output": answer.completion_tokens}
        if self._span is not None:
            self._span.set_attributes(self._attributes)
            self._span.set_attribute("gen_ai.response.finish_reasons", [finish_reason])
            self._span.set_attributes({f"gen_ai.usage.{kind}_tokens": count for kind, count in counts.items()})
            self._span.set_attribute("gen_ai.usage.cache_read.input_tokens", answer.cached_tokens)
        if self._instruments is not None:
            for kind, count in counts.items():
                self._instruments.tokens.record(count, {**self._attributes, "gen_ai.token.type": kind})
            self._instruments.cached_tokens.add(answer.cached_tokens, self._attributes)
            if cost is not None:
                self._instruments.dollars.add(cost, self._attributes)


class _TracedCall:
    __slots__ = ("_inner", "_meters", "_provider")

    def __init__(self, inner: CallService, provider: TracerProvider | None, meters: MeterProvider | None) -> None:
        self._inner, self._provider, self._meters = inner, provider, meters

    def __call__(self, call: Call, /) -> CoroutineType[Any, Any, Reply]:
        if "opentelemetry" not in sys.modules or _is_answered(call.ledger, call.id, ToolOutput):
            return self._inner(call)
        tracer = _find_tracer(self._provider)
        return self._measure(call, self._inner(call) if tracer is None else self._trace(call, tracer))

    async def _measure(self, call: Call, answering: CoroutineType[Any, Any, Reply]) -> Reply:
        """Measure how long a call takes. The time of a call that rests is that of the execution which ends it."""
        started = time.perf_counter()
        reply = await answering
        instruments, attributes = make_instruments(self._meters), {"remit.outcome": reply.outcome}
        if reply.error is not None:
            attributes["error.type"] = reply.error.code
        if _is_agent(call.callee):
            histogram, attributes["gen_ai.agent.name"] = instruments.agent_seconds, call.callee.name
        else:
            histogram, attributes["gen_ai.tool.name"] = instruments.tool_seconds, call.callee.name
        histogram.record(time.perf_counter() - started, attributes)
        return reply

    async def _trace(self, call: Call, tracer: Tracer) -> Reply:
        callee = call.callee
        attributes = {
            "gen_ai.conversation.id": call.caller.conversation,
            "remit.run": call.caller.run,
            "remit.call": call.id,
            "remit.risk": callee.facts.risk.value,
        }
        if _is_agent(callee):
            operation = "invoke_agent"
            attributes["gen_ai.agent.name"] = callee.name
        else:
            operation = "execute_tool"
            attributes["gen_ai.tool.name"] = callee.name
            attributes["gen_ai.tool.type"] = "function"
            attributes["gen_ai.tool.call.id"] = call.wire_id or call.id
        attributes["gen_ai.operation.name"] = operation
        name, is_root = f"{operation} {callee.name}", not call.caller.call
        links = _find_links(call.ledger) if is_root else ()
        with tracer.start_as_current_span(name, attributes=_drop_empty(attributes), links=links) as span:
            if is_root and not links:
                _record_trace(call.ledger, span)
            try:
                reply = await self._inner(call)
            except Exception as error:
                span.set_attribute("error.type", _error_type(error))
                raise
            span.set_attribute("remit.outcome", reply.outcome)
            if reply.error is not None:
                span.set_attribute("error.type", reply.error.code)
                span.set_status(import_module("opentelemetry.trace").StatusCode.ERROR)
            return reply


def record_exception(kind: str, message: str, trace: str) -> None:
    """Add an exception to the current span, following OpenTelemetry's conventions."""
    if _is_loaded():
        event = {"exception.type": kind, "exception.message": message, "exception.stacktrace": trace}
        import_module("opentelemetry.trace").get_current_span().add_event("exception", event)


def _open_span(tracer: Tracer, name: str, attributes: Mapping[str, str]) -> AbstractContextManager[Span]:
    kind = import_module("opentelemetry.trace").SpanKind.CLIENT
    return tracer.start_as_current_span(name, kind=kind, attributes=attributes)


def _is_answered(ledger: Ledger, call: str, *answers: type[Item]) -> bool:
    """Whether the journal answers this call or request: it is replayed, or has an item of these types."""
    return ledger.execution.is_replaying or any(isinstance(item, answers) for item in ledger.items_for(call))


def _record_trace(ledger: Ledger, span: Span) -> None:
    """Journal the span of the run's first traced execution."""
    context = span.get_span_context()
    if context.is_valid:
        traceparent = f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"
        ledger.add(TraceStarted(call=ledger.run, traceparent=traceparent))


def _find_links(ledger: Ledger) -> Sequence[Link]:
    """A link to the first traced execution of the run, if the journal holds one."""
    api = import_module("opentelemetry.trace")
    links: list[Link] = []
    for item in ledger.items_for(ledger.run):
        if isinstance(item, TraceStarted):
            _, trace, span, flags = item.traceparent.split("-")
            flag = api.TraceFlags(int(flags, 16))
            links.append(api.Link(api.SpanContext(int(trace, 16), int(span, 16), is_remote=True, trace_flags=flag)))
    return links


def _is_agent(callee: Contract) -> bool:
    """Whether a callee is an agent or worker. A `Tool` that calls others is not."""
    return callee.facts.effect is Effect.COMPOSED and not isinstance(callee, Tool)


def _error_type(error: Exception | Suspended) -> str:
    if isinstance(error, Suspended):
        return error.reason.partition(":")[0]  # the code of the error that stalled the run
    return error.code if isinstance(error, RemitError) else type(error).__qualname__


def _is_loaded() -> bool:
    return "opentelemetry" in sys.modules


def _find_tracer(provider: TracerProvider | None) -> Tracer | None:
    if provider is not None:
        return provider.get_tracer("remit")
    api = sys.modules.get("opentelemetry.trace")
    if api is None or isinstance(api.get_tracer_provider(), api.ProxyTracerProvider):
        return None
    tracer: Tracer = api.get_tracer("remit")
    return tracer


def _drop_empty(attributes: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in attributes.items() if value}
