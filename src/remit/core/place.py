"""Where a layer stands in the onion, and which places must stand outside which.

Layers need not know each other: a rule relates two places, and says why. Building a stack refuses an order that breaks
a rule.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Final, NamedTuple

from remit.errors import LayerOrderError


class Place(enum.Enum):
    """The places of the onion, outermost first. `OWN` has no rules: a layer of yours may stand anywhere."""

    TRACE = "trace"
    RECORD = "record"
    AUTHORIZE = "authorize"
    VALIDATE = "validate"
    BUDGET = "budget"
    APPROVE = "approve"
    LIMIT = "limit"
    BREAKER = "breaker"
    RETRY = "retry"
    TIMEOUT = "timeout"
    OWN = "own"


class OrderRule(NamedTuple):
    """``outer`` stands outside ``inner`` wherever both are present.

    If ``is_required``, inner is refused without outer.
    """

    outer: Place
    inner: Place
    reason: str
    is_required: bool = False


ORDER_RULES: Final = (
    OrderRule(Place.TRACE, Place.RECORD, "a trace shows every call, those answered from the journal too"),
    OrderRule(Place.RECORD, Place.AUTHORIZE, "a denial is recorded like any other end"),
    OrderRule(Place.RECORD, Place.VALIDATE, "bad arguments are recorded like any other end"),
    OrderRule(Place.RECORD, Place.BUDGET, "a refusal is recorded like any other end"),
    OrderRule(Place.RECORD, Place.APPROVE, "a question is asked once, and then answered from the journal"),
    OrderRule(Place.RECORD, Place.RETRY, "a call has one end, however many attempts it takes"),
    OrderRule(Place.AUTHORIZE, Place.APPROVE, "nobody is asked about a call that is not permitted anyway"),
    OrderRule(
        Place.VALIDATE, Place.APPROVE, "what a person approves is the validated argument object", is_required=True
    ),
    OrderRule(Place.BUDGET, Place.APPROVE, "nobody is asked about a call that the run cannot afford"),
    OrderRule(Place.APPROVE, Place.LIMIT, "a person is asked before the call takes a place in a queue"),
    OrderRule(Place.APPROVE, Place.BREAKER, "a probe is made at once, not when a person has answered"),
    OrderRule(Place.APPROVE, Place.RETRY, "a person is asked once, not for each attempt"),
    OrderRule(Place.APPROVE, Place.TIMEOUT, "a person's thinking is no part of the call's time"),
    OrderRule(Place.LIMIT, Place.BREAKER, "a call that a limit refused says nothing about what it would have called"),
    OrderRule(Place.LIMIT, Place.RETRY, "attempts of one call share its permit"),
    OrderRule(Place.LIMIT, Place.TIMEOUT, "waiting for a turn is no part of the call's time"),
    OrderRule(Place.BREAKER, Place.RETRY, "an open breaker ends the call, it is no reason to try again"),
    OrderRule(Place.BREAKER, Place.TIMEOUT, "a call that ran out of time counts as a failure"),
    OrderRule(Place.RETRY, Place.TIMEOUT, "a timeout is for one attempt; limit the whole call by its deadline"),
)


def check_order(places: Sequence[Place], names: Sequence[str]) -> None:
    """Refuse an order that breaks a rule.

    Args:
        places: of the layers, outermost first.
        names: of the same layers, for the message.

    Raises:
        LayerOrderError: naming both layers and the reason.
    """
    for rule in ORDER_RULES:
        inner = [i for i, place in enumerate(places) if place is rule.inner]
        outer = [i for i, place in enumerate(places) if place is rule.outer]
        if inner and not outer and rule.is_required:
            raise LayerOrderError(
                f"{names[inner[0]]} needs a layer at the place '{rule.outer.value}' outside it: {rule.reason}"
            )
        if inner and outer and inner[0] < outer[-1]:
            raise LayerOrderError(f"{names[outer[-1]]} must stand outside {names[inner[0]]}: {rule.reason}")
