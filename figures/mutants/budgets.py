"""Mutants of the figures about budgets."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

_METER: Final = "remit.record.meter"
_USAGE: Final = "remit.record.usage"

MUTANTS: Final = mutants_of(
    "budget.tokens_over",
    {
        "requests in progress are not counted": edited(
            f"{_METER}:Meter._check_fits", "if self._is_within(_agent_of(request), within)", "if not request"
        ),
        "the limits of an agent do not bind the agents below it": edited(
            f"{_METER}:Meter._is_within", "call in self.calls_around(agent)", "call in (agent,)"
        ),
        "the answer is not reserved": edited(
            f"{_METER}:_estimate", "Reservation(model, prompt, completion, ", "Reservation(model, prompt, 0, "
        ),
        "negative usage is believed": edited("remit.record.usage:are_tokens", "0 <= each <=", "each <="),
        "usage that is not reported counts nothing": edited(
            "remit.agent.recorded_answer:add_usage",
            "bool(reservation.prompt_tokens) and not",
            "not reservation.prompt_tokens and not",
        ),
        "a limit is checked without the estimate": edited(
            f"{_METER}:Meter._check_fits", "used.tokens + planned > limit.tokens", "used.tokens > limit.tokens"
        ),
    },
) + mutants_of(
    "budget.dollars_over",
    {
        "the model that the answer names is priced": edited(
            f"{_USAGE}:price_of", "find_price(prices, requested) if requested", "find_price(prices, model) if requested"
        ),
        "the cheaper of both models is priced": edited(f"{_USAGE}:price_of", "map(max", "map(min"),
        "the model that was asked is not on record": edited(
            "remit.agent.recorded_answer:add_usage", "requested=reservation.model", "requested=''"
        ),
        "dollars are not reserved": edited(
            f"{_METER}:Meter._check_fits", "*(each.cost for each in pending)", "*(0.0 for each in pending)"
        ),
    },
)
