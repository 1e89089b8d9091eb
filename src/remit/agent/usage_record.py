"""Records the usage of answers: as reported, or as estimated before the request."""

from __future__ import annotations

from msgspec import structs

from remit.contracts.chat import Completion
from remit.contracts.current_run import CURRENT_LIMITS
from remit.contracts.items import ModelUsage
from remit.contracts.ledger import Ledger
from remit.contracts.meter import Reservation
from remit.contracts.schema import shorten_text


def usage_of_completion(call_id: str, answer: Completion) -> ModelUsage:
    """The usage that an answer reports."""
    return ModelUsage(
        call=call_id,
        model=answer.model,
        finish=answer.finish_reason,
        prompt_tokens=answer.prompt_tokens,
        completion_tokens=answer.completion_tokens,
        response=answer.response,
        cached_tokens=answer.cached_tokens,
        reasoning_tokens=answer.reasoning_tokens,
    )


def add_usage(ledger: Ledger, usage: ModelUsage, reservation: Reservation) -> None:
    """Record the usage of an answer, and the model that was asked. What was reserved stands for unreported usage."""
    response = shorten_text(usage.response, CURRENT_LIMITS.get().reply_bytes)
    usage = structs.replace(usage, response=response, requested=reservation.model)
    if reservation.prompt_tokens and not usage.prompt_tokens + usage.completion_tokens:
        usage = structs.replace(
            usage,
            prompt_tokens=reservation.prompt_tokens,
            completion_tokens=reservation.completion_tokens,
            estimated=True,
        )
    within = ledger.meter.calls_around(usage.call.partition(":")[0])
    ledger.add(structs.replace(usage, within=within) if within else usage)
