"""Spans for calls and model requests, following OpenTelemetry's conventions for generative AI.

A call of an agent is ``invoke_agent``, a call of a tool ``execute_tool``, even if the tool calls others; both are
INTERNAL. A request to a model is a CLIENT span ``chat``.

The layer decides when the stack is built: if the program has set no tracer provider, it returns the inner service and
costs nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol

from remit.contracts.call import Call, CallLayer, CallService, ModelLayer, ModelService
from remit.contracts.chat import ChatRequest, Completion
from remit.contracts.contract import Contract
from remit.contracts.facts import Effect
from remit.contracts.reply import Reply
from remit.contracts.tool import Tool
from remit.core import Place
from remit.errors import RemitError

if TYPE_CHECKING:
    from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer, TracerProvider

UNKNOWN_VENDOR: Final = "unknown"
"""The vendor of a model that does not name one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace(CallLayer):
    """A span for each call. ``provider`` receives the spans; default: the program's tracer provider, if set."""

    place = Place.TRACE
    provider: TracerProvider | None = None

    def __call__(self, inner: CallService, /) -> CallService:
        """Wrap ``inner`` in a span; return ``inner`` itself without a provider."""
        tracer = _find_tracer(self.provider)
        return inner if tracer is None else _TracedCall(inner, tracer).__call__


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceModel(ModelLayer):
    """A span for each model request. ``model`` and ``vendor`` name the model and its provider, if known."""

    place = Place.TRACE
    provider: TracerProvider | None = None
    model: str = ""
    vendor: str = UNKNOWN_VENDOR

    def __call__(self, inner: ModelService, /) -> ModelService:
        """Wrap ``inner`` in a span; return ``inner`` itself without a provider."""
        spans = self.make_spans()
        return inner if spans is None else _TracedModel(inner, spans).__call__

    def make_spans(self) -> ModelSpans | None:
        """Make the spans of requests that bypass this layer; None without a provider."""
        tracer = _find_tracer(self.provider)
        return None if tracer is None else ModelSpans(tracer, model=self.model, vendor=self.vendor)


class ModelAnswer(Protocol):
    """The fields of a model's answer that a span records."""

    @property
    def model(self) -> str:
        """The model that answered, empty if unknown."""
        ...

    @property
    def prompt_tokens(self) -> int:
        """Tokens of the request."""
        ...

    @property
    def completion_tokens(self) -> int:
        """Tokens of the answer."""
        ...


class ModelSpan:
    """The span of one request to a model."""

    __slots__ = ("_span",)

    def __init__(self, span: Span) -> None:
        self._span = span

    def record_answer(self, answer: ModelAnswer, finish_reason: str) -> None:
        """Record the answer to the request."""
        if answer.model:
            self._span.set_attribute("gen_ai.response.model", answer.model)
        self._span.set_attribute("gen_ai.response.finish_reasons", [finish_reason])
        self._span.set_attribute("gen_ai.usage.input_tokens", answer.prompt_tokens)
        self._span.set_attribute("gen_ai.usage.output_tokens", answer.completion_tokens)


class ModelSpans:
    """Makes the spans of requests to one model; see `TraceModel`."""

    __slots__ = ("_kind", "_name", "_request_attributes", "_tracer")

    def __init__(self, tracer: Tracer, *, model: str, vendor: str) -> None:
        self._tracer = tracer
        self._kind: SpanKind = import_module("opentelemetry.trace").SpanKind.CLIENT
        self._name = f"chat {model}".strip()
        self._request_attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": vendor,
            "gen_ai.request.model": model,
        }

    @contextmanager
    def request_span(self, run: str, call: str) -> Generator[ModelSpan]:
        """Open the span of the request journaled under ``call`` of ``run``. Errors are recorded and propagate."""
        attributes = _drop_empty({**self._request_attributes, "remit.run": run, "remit.call": call})
        with self._tracer.start_as_current_span(self._name, kind=self._kind, attributes=attributes) as span:
            try:
                yield ModelSpan(span)
            except Exception as error:
                span.set_attribute("error.type", _error_type(error))
                raise


class _TracedCall:
    __slots__ = ("_error", "_inner", "_tracer")

    def __init__(self, inner: CallService, tracer: Tracer) -> None:
        self._inner = inner
        self._tracer = tracer
        self._error: StatusCode = import_module("opentelemetry.trace").StatusCode.ERROR

    async def __call__(self, call: Call, /) -> Reply:
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
        with self._tracer.start_as_current_span(
            f"{operation} {callee.name}", attributes=_drop_empty(attributes)
        ) as span:
            try:
                reply = await self._inner(call)
            except Exception as error:
                span.set_attribute("error.type", _error_type(error))
                raise
            span.set_attribute("remit.outcome", reply.outcome)
            if reply.error is not None:
                span.set_attribute("error.type", reply.error.code)
                span.set_status(self._error)
            return reply


class _TracedModel:
    __slots__ = ("_inner", "_spans")

    def __init__(self, inner: ModelService, spans: ModelSpans) -> None:
        self._inner = inner
        self._spans = spans

    async def __call__(self, request: ChatRequest, /) -> Completion:
        with self._spans.request_span(request.ledger.run, request.call_id) as span:
            completion = await self._inner(request)
            span.record_answer(completion, completion.finish_reason)
            return completion


def _is_agent(callee: Contract) -> bool:
    """Whether a callee is an agent or worker. A `Tool` that calls others is not."""
    return callee.facts.effect is Effect.COMPOSED and not isinstance(callee, Tool)


def _error_type(error: Exception) -> str:
    return error.code if isinstance(error, RemitError) else type(error).__qualname__


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
