"""Layers. Each enforces one policy and knows no other layer; their places determine their order."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.call.asking import ask_model as ask_model
    from remit.call.call import AgentLayer as AgentLayer
    from remit.call.call import AnyLayer as AnyLayer
    from remit.call.call import Call as Call
    from remit.call.call import CallLayer as CallLayer
    from remit.call.call import CallService as CallService
    from remit.call.call import ModelLayer as ModelLayer
    from remit.call.call import ModelService as ModelService
    from remit.call.call import StepLayer as StepLayer
    from remit.call.call import StepService as StepService
    from remit.call.call import ToolLayer as ToolLayer
    from remit.call.gate import Gate as Gate
    from remit.call.gate import has_passed_gates as has_passed_gates
    from remit.call.layers import layer_fn as layer_fn
    from remit.call.notes import write_note as write_note
    from remit.call.reply import Reply as Reply
    from remit.call.window import Window as Window
    from remit.core import HasPlace as HasPlace
    from remit.core import Layer as Layer
    from remit.core import OrderRule as OrderRule
    from remit.core import Place as Place
    from remit.core import Service as Service
    from remit.core import Stack as Stack
    from remit.core import compose as compose
    from remit.layers.accumulate import Accumulate as Accumulate
    from remit.layers.add_message import AddMessage as AddMessage
    from remit.layers.approve import Approve as Approve
    from remit.layers.authorize import Authorize as Authorize
    from remit.layers.breaker import Breaker as Breaker
    from remit.layers.budget import Budget as Budget
    from remit.layers.events import RecordEvents as RecordEvents
    from remit.layers.events import redact_fields as redact_fields
    from remit.layers.fallback import Fallback as Fallback
    from remit.layers.guardrail import Guardrail as Guardrail
    from remit.layers.limit import Concurrency as Concurrency
    from remit.layers.limit import RateLimit as RateLimit
    from remit.layers.redact import Redact as Redact
    from remit.layers.retry import Retry as Retry
    from remit.layers.retry_model import RetryModel as RetryModel
    from remit.layers.timeout import Timeout as Timeout
    from remit.layers.transform import Transform as Transform
    from remit.layers.validate import Validate as Validate
else:
    __getattr__ = lazy_exports(
        __name__,
        absent={
            "Record": "the journal records every call: leave the layer out",
            "Trace": "every call has a span, of the tracer provider that the program sets: leave the layer out",
        },
    )
