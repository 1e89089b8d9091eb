"""The cost of rules that do not match a call: by the name of the tool, by earlier calls, and by an expression."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from typing import Final

from bench.world import PERSON
from figures.figure import Figure, at_most
from remit import Block, Effect, Policy, When, tool
from remit.layers import Call
from remit.policies import After
from remit.rules import Expression
from remit.testing import make_call

_RULES: Final = 50
_ROUNDS: Final = 200


@tool(effect=Effect.PURE)
async def pay(euros: float, to: str) -> str:
    """Pay."""
    return f"{euros} to {to}"


_KINDS: Final[dict[str, Callable[[int], When]]] = {
    "of another tool": lambda number: When(f"{number}", After("other"), Block(reason="no"), tools="other"),
    "over the run": lambda number: When(f"{number}", After("other"), Block(reason="no")),
    "in CEL": lambda number: When(f"{number}", Expression("args.euros > 500.0"), Block(reason="no")),
}


async def rules() -> AsyncIterator[Figure]:
    """The CPU time of one rule that does not match; the slowest kind counts."""
    call = await make_call(pay, '{"euros": 5, "to": "bob"}', by=PERSON)
    call = call.with_payload(pay.schema_in.bind(call.arguments))
    costs = {name: _time_rule(Policy.only(*map(make, range(_RULES))), call) for name, make in _KINDS.items()}
    kinds = ", ".join(f"{name} {cost:.2f} µs" for name, cost in costs.items())
    how = f"CPU time of {_RULES} rules that do not match, divided by their number, least of {_ROUNDS}: {kinds}"
    yield at_most("policy.rule_us", max(costs.values()), "µs", 5, _RULES * _ROUNDS, how)


def _time_rule(policy: Policy, call: Call) -> float:
    least = float("inf")
    for _ in range(_ROUNDS):
        start = time.process_time()
        policy.verdict(call)
        least = min(least, time.process_time() - start)
    return least / _RULES * 1e6
