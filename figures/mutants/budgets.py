"""Mutants of the figure about budgets."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

_METER: Final = "remit.contracts.meter"

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
            f"{_METER}:_estimate", "Reservation(prompt, completion, None", "Reservation(prompt, 0, None"
        ),
        "negative usage is believed": edited("remit.contracts.usage:are_tokens", "0 <= each <=", "each <="),
        "usage that is not reported counts nothing": edited(
            "remit.agent.usage_record:add_usage", "if reservation is not None and not", "if not reservation and not"
        ),
        "a limit is checked without the estimate": edited(
            f"{_METER}:Meter._check_fits", "used.tokens + planned > limit.tokens", "used.tokens > limit.tokens"
        ),
    },
)
