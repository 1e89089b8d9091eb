"""Records the usage of answers: as reported, or as estimated before the request."""

from __future__ import annotations

from remit.contracts.chat import Completion
from remit.contracts.current_run import CURRENT_LIMITS
from remit.contracts.items import ModelUsage
from remit.contracts.ledger import Ledger
from remit.contracts.meter import Reservation
from remit.contracts.schema import shorten_text


def add_usage(ledger: Ledger, call: str, answer: Completion, reservation: Reservation) -> None:
    """Record the usage of an answer to the request ``call``, and the model that was asked.

    What was reserved stands for unreported usage.
    """
    prompt_tokens, completion_tokens = answer.prompt_tokens, answer.completion_tokens
    estimated = bool(reservation.prompt_tokens) and not prompt_tokens + completion_tokens
    if estimated:
        prompt_tokens, completion_tokens = reservation.prompt_tokens, reservation.completion_tokens
    ledger.add(
        ModelUsage(
            call=call,
            model=answer.model,
            finish=answer.finish_reason,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            response=shorten_text(answer.response, CURRENT_LIMITS.get().reply_bytes),
            estimated=estimated,
            within=ledger.meter.calls_around(call.partition(":")[0]),
            cached_tokens=answer.cached_tokens,
            reasoning_tokens=answer.reasoning_tokens,
            requested=reservation.model,
        )
    )
