"""Layers. Each enforces one policy and knows no other layer; their places determine their order."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.call.asking import ask_model
    from remit.call.call import (
        AgentLayer,
        AnyLayer,
        Call,
        CallLayer,
        CallService,
        ModelLayer,
        ModelService,
        StepLayer,
        StepService,
        ToolLayer,
    )
    from remit.call.gate import Gate, has_passed_gates
    from remit.call.layers import layer_fn
    from remit.call.notes import write_note
    from remit.call.reply import Reply
    from remit.core import HasPlace, Layer, OrderRule, Place, Service, Stack, compose
    from remit.layers.accumulate import Accumulate
    from remit.layers.add_message import AddMessage
    from remit.layers.approve import Approve
    from remit.layers.authorize import Authorize
    from remit.layers.breaker import Breaker
    from remit.layers.budget import Budget
    from remit.layers.events import RecordEvents, redact_fields
    from remit.layers.fallback import Fallback
    from remit.layers.guardrail import Guardrail
    from remit.layers.limit import Concurrency, RateLimit
    from remit.layers.redact import Redact
    from remit.layers.retry import Retry
    from remit.layers.retry_model import RetryModel
    from remit.layers.timeout import Timeout
    from remit.layers.transform import Transform
    from remit.layers.validate import Validate

__all__ = [
    "Accumulate",
    "AddMessage",
    "AgentLayer",
    "AnyLayer",
    "Approve",
    "Authorize",
    "Breaker",
    "Budget",
    "Call",
    "CallLayer",
    "CallService",
    "Concurrency",
    "Fallback",
    "Gate",
    "Guardrail",
    "HasPlace",
    "Layer",
    "ModelLayer",
    "ModelService",
    "OrderRule",
    "Place",
    "RateLimit",
    "RecordEvents",
    "Redact",
    "Reply",
    "Retry",
    "RetryModel",
    "Service",
    "Stack",
    "StepLayer",
    "StepService",
    "Timeout",
    "ToolLayer",
    "Transform",
    "Validate",
    "ask_model",
    "compose",
    "has_passed_gates",
    "layer_fn",
    "redact_fields",
    "write_note",
]

if not TYPE_CHECKING:
    __getattr__ = lazy_exports(
        __name__,
        {
            "remit.call.asking": ("ask_model",),
            "remit.call.call": (
                "AgentLayer",
                "AnyLayer",
                "Call",
                "CallLayer",
                "CallService",
                "ModelLayer",
                "ModelService",
                "StepLayer",
                "StepService",
                "ToolLayer",
            ),
            "remit.call.gate": ("Gate", "has_passed_gates"),
            "remit.call.layers": ("layer_fn",),
            "remit.call.notes": ("write_note",),
            "remit.call.reply": ("Reply",),
            "remit.core": ("HasPlace", "Layer", "OrderRule", "Place", "Service", "Stack", "compose"),
            "remit.layers.accumulate": ("Accumulate",),
            "remit.layers.add_message": ("AddMessage",),
            "remit.layers.approve": ("Approve",),
            "remit.layers.authorize": ("Authorize",),
            "remit.layers.breaker": ("Breaker",),
            "remit.layers.budget": ("Budget",),
            "remit.layers.events": ("RecordEvents", "redact_fields"),
            "remit.layers.fallback": ("Fallback",),
            "remit.layers.guardrail": ("Guardrail",),
            "remit.layers.limit": ("Concurrency", "RateLimit"),
            "remit.layers.redact": ("Redact",),
            "remit.layers.retry": ("Retry",),
            "remit.layers.retry_model": ("RetryModel",),
            "remit.layers.timeout": ("Timeout",),
            "remit.layers.transform": ("Transform",),
            "remit.layers.validate": ("Validate",),
        },
        absent={
            "Record": "the journal records every call: leave the layer out",
            "Trace": "every call has a span, of the tracer provider that the program sets: leave the layer out",
        },
    )
