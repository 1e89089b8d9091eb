"""Spans for calls and model requests, by OpenTelemetry's conventions for generative AI.

An agent's call is ``invoke_agent``, a tool's ``execute_tool``, also where the tool calls others; both are of the kind
INTERNAL. A request to a model is a ``chat`` of the kind CLIENT.

Whether there is anything to tell is decided when the stack is built: where the program has set no tracer provider, the
layer is not there at all and costs nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

from remit.contracts.call import Call, CallLayer, CallService, ModelLayer, ModelService
from remit.contracts.chat import ChatRequest, Completion
from remit.contracts.contract import Contract
from remit.contracts.facts import Effect
from remit.contracts.reply import Reply
from remit.contracts.tool import Tool
from remit.core import Place
from remit.errors import RemitError

if TYPE_CHECKING:
    from opentelemetry.trace import SpanKind, StatusCode, Tracer, TracerProvider

UNKNOWN: Final = "unknown"
"""The vendor of a model that does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace(CallLayer):
    """A span for each call. ``provider``: where spans go; by default the one that the program has set, if any."""

    place = Place.TRACE
    provider: TracerProvider | None = None

    def __call__(self, inner: CallService, /) -> CallService:
        """``inner`` in a span, or ``inner`` itself where nobody listens."""
        tracer = _tracer(self.provider)
        return inner if tracer is None else _TracedCall(inner, tracer).__call__


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceModel(ModelLayer):
    """A span for each model request. ``model``: its name, and ``vendor`` whose it is, as far as they are known."""

    place = Place.TRACE
    provider: TracerProvider | None = None
    model: str = ""
    vendor: str = UNKNOWN

    def __call__(self, inner: ModelService, /) -> ModelService:
        """``inner`` in a span, or ``inner`` itself where nobody listens."""
        tracer = _tracer(self.provider)
        return inner if tracer is None else _TracedModel(inner, tracer, self).__call__


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
            attributes["gen_ai.tool.call.id"] = call.wire or call.id
        attributes["gen_ai.operation.name"] = operation
        with self._tracer.start_as_current_span(f"{operation} {callee.name}", attributes=_said(attributes)) as span:
            try:
                reply = await self._inner(call)
            except Exception as error:
                span.set_attribute("error.type", _type_of(error))
                raise
            span.set_attribute("remit.outcome", reply.outcome)
            if reply.error is not None:
                span.set_attribute("error.type", reply.error.code)
                span.set_status(self._error)
            return reply


class _TracedModel:
    __slots__ = ("_asked", "_inner", "_kind", "_name", "_tracer")

    def __init__(self, inner: ModelService, tracer: Tracer, about: TraceModel) -> None:
        self._inner = inner
        self._tracer = tracer
        self._kind: SpanKind = import_module("opentelemetry.trace").SpanKind.CLIENT
        self._name = f"chat {about.model}".strip()
        self._asked = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": about.vendor,
            "gen_ai.request.model": about.model,
        }

    async def __call__(self, request: ChatRequest, /) -> Completion:
        attributes = _said({**self._asked, "remit.run": request.ledger.run, "remit.call": request.call})
        with self._tracer.start_as_current_span(self._name, kind=self._kind, attributes=attributes) as span:
            try:
                completion = await self._inner(request)
            except Exception as error:
                span.set_attribute("error.type", _type_of(error))
                raise
            if completion.model:
                span.set_attribute("gen_ai.response.model", completion.model)
            span.set_attribute("gen_ai.response.finish_reasons", [completion.finish])
            span.set_attribute("gen_ai.usage.input_tokens", completion.prompt_tokens)
            span.set_attribute("gen_ai.usage.output_tokens", completion.completion_tokens)
            return completion


def _is_agent(callee: Contract) -> bool:
    """Whether a model drives it: a tool is a function, which may call others, but knows what it does."""
    return callee.facts.effect is Effect.COMPOSED and not isinstance(callee, Tool)


def _type_of(error: Exception) -> str:
    return error.code if isinstance(error, RemitError) else type(error).__qualname__


def _tracer(provider: TracerProvider | None) -> Tracer | None:
    if provider is not None:
        return provider.get_tracer("remit")
    api = sys.modules.get("opentelemetry.trace")
    if api is None or isinstance(api.get_tracer_provider(), api.ProxyTracerProvider):
        return None
    tracer: Tracer = api.get_tracer("remit")
    return tracer


def _said(attributes: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in attributes.items() if value}
