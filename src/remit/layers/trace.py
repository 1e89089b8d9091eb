"""Spans for calls and model requests, by OpenTelemetry's conventions for generative AI.

Whether there is anything to tell is decided when the stack is built: where the program has set no tracer provider, the
layer is not there at all and costs nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from remit.contracts.call import Call, CallLayer, CallService, ModelLayer, ModelService
from remit.contracts.chat import ChatRequest, Completion
from remit.contracts.facts import Effect
from remit.contracts.reply import Reply
from remit.core import Place

if TYPE_CHECKING:
    from opentelemetry.trace import StatusCode, Tracer, TracerProvider


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
    """A span for each model request."""

    place = Place.TRACE
    provider: TracerProvider | None = None

    def __call__(self, inner: ModelService, /) -> ModelService:
        """``inner`` in a span, or ``inner`` itself where nobody listens."""
        tracer = _tracer(self.provider)
        return inner if tracer is None else _TracedModel(inner, tracer).__call__


class _TracedCall:
    __slots__ = ("_error", "_inner", "_tracer")

    def __init__(self, inner: CallService, tracer: Tracer) -> None:
        self._inner = inner
        self._tracer = tracer
        self._error: StatusCode = import_module("opentelemetry.trace").StatusCode.ERROR

    async def __call__(self, call: Call, /) -> Reply:
        callee = call.callee
        agent = callee.facts.effect is Effect.COMPOSED
        operation = "invoke_agent" if agent else "execute_tool"
        attributes = {
            "gen_ai.operation.name": operation,
            ("gen_ai.agent.name" if agent else "gen_ai.tool.name"): callee.name,
            "gen_ai.tool.call.id": call.wire or call.id,
            "gen_ai.tool.type": "function",
            "gen_ai.conversation.id": call.caller.conversation,
            "remit.run": call.caller.run,
            "remit.call": call.id,
            "remit.risk": callee.facts.risk.value,
        }
        with self._tracer.start_as_current_span(f"{operation} {callee.name}", attributes=_said(attributes)) as span:
            reply = await self._inner(call)
            span.set_attribute("remit.outcome", reply.outcome)
            if reply.error is not None:
                span.set_attribute("error.type", reply.error.code)
                span.set_status(self._error)
            return reply


class _TracedModel:
    __slots__ = ("_inner", "_tracer")

    def __init__(self, inner: ModelService, tracer: Tracer) -> None:
        self._inner = inner
        self._tracer = tracer

    async def __call__(self, request: ChatRequest, /) -> Completion:
        attributes = {"gen_ai.operation.name": "chat", "remit.run": request.ledger.run, "remit.call": request.call}
        with self._tracer.start_as_current_span("chat", attributes=_said(attributes)) as span:
            completion = await self._inner(request)
            span.update_name(f"chat {completion.model}".strip())
            span.set_attribute("gen_ai.response.model", completion.model)
            span.set_attribute("gen_ai.response.finish_reasons", [completion.finish])
            span.set_attribute("gen_ai.usage.input_tokens", completion.prompt_tokens)
            span.set_attribute("gen_ai.usage.output_tokens", completion.completion_tokens)
            return completion


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
