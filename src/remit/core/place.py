"""The places of layers around a tool, and the rules for their order.

Layers do not depend on each other: a rule relates two places and gives the reason. Building a stack refuses an order
that breaks a rule.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from remit.errors import LayerOrderError


class Place(enum.Enum):
    """The places of layers, outermost first. No rule mentions `OWN`, so a custom layer may stand anywhere."""

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

    __hash__ = object.__hash__  # faster than Enum's Python function: places are hashed often


class OrderRule(NamedTuple):
    """If a call has both places, ``outer`` must stand outside ``inner``.

    With ``is_required``, a call with ``inner`` must have ``outer`` too. With ``is_per_scope``, the rule relates only
    layers of one scope, because a layer of the run or an agent treats a tool and its own layers as a unit. Other rules
    hold across scopes, because they keep a promise to the journal or to an approver.
    """

    outer: Place
    inner: Place
    reason: str
    is_required: bool = False
    is_per_scope: bool = False


ORDER_RULES: Final = (
    OrderRule(Place.TRACE, Place.RECORD, "a span covers a whole call, what is recorded of it included"),
    OrderRule(Place.RECORD, Place.AUTHORIZE, "a denial is recorded like any other end"),
    OrderRule(Place.RECORD, Place.VALIDATE, "bad arguments are recorded like any other end"),
    OrderRule(Place.RECORD, Place.BUDGET, "a refusal is recorded like any other end"),
    OrderRule(Place.RECORD, Place.APPROVE, "a question is asked once, and then answered from the journal"),
    OrderRule(Place.RECORD, Place.RETRY, "a call has one end, however many attempts it takes"),
    OrderRule(Place.AUTHORIZE, Place.APPROVE, "a call that is not permitted needs no approval"),
    OrderRule(Place.VALIDATE, Place.APPROVE, "the approver sees the validated arguments", is_required=True),
    OrderRule(Place.BUDGET, Place.APPROVE, "a call that the run cannot afford needs no approval"),
    OrderRule(Place.APPROVE, Place.LIMIT, "approval comes before the call takes a place in a queue"),
    OrderRule(Place.APPROVE, Place.BREAKER, "a probe runs at once, not after an approval"),
    OrderRule(Place.APPROVE, Place.RETRY, "approval is requested once, not for each attempt", is_per_scope=True),
    OrderRule(Place.APPROVE, Place.TIMEOUT, "the wait for approval does not count as time of the call"),
    OrderRule(
        Place.LIMIT,
        Place.BREAKER,
        "a call that a limit refuses says nothing about the health of the tool",
        is_per_scope=True,
    ),
    OrderRule(Place.LIMIT, Place.RETRY, "all attempts of a call share one permit", is_per_scope=True),
    OrderRule(Place.LIMIT, Place.TIMEOUT, "waiting for a permit does not count as time of the call", is_per_scope=True),
    OrderRule(
        Place.BREAKER, Place.RETRY, "an open breaker ends the call and must not cause a retry", is_per_scope=True
    ),
    OrderRule(Place.BREAKER, Place.TIMEOUT, "a call that timed out counts as a failure", is_per_scope=True),
    OrderRule(
        Place.RETRY,
        Place.TIMEOUT,
        "a timeout is for one attempt; one of the agent or the run is for the whole call",
        is_per_scope=True,
    ),
)


def _find_outside(place: Place) -> frozenset[Place]:
    outer = frozenset(rule.outer for rule in ORDER_RULES if rule.inner is place)
    return outer.union(*map(_find_outside, outer))


OUTSIDE: Final[Mapping[Place, frozenset[Place]]] = {place: _find_outside(place) for place in Place}
"""The places that stand outside each place, by one rule or by several."""

_ONE_IS_ENOUGH: Final = frozenset({Place.TRACE, Place.RECORD, Place.AUTHORIZE, Place.VALIDATE})

MoveLayer = Callable[[str, str, str], str]
"""Given a layer (as text) and two scopes, returns the line that attaches the layer to the other scope."""


def check_order(
    places: Sequence[Place], names: Sequence[str], scopes: Sequence[str] = (), move: MoveLayer | None = None
) -> None:
    """Refuse an order that breaks a rule.

    Args:
        places: the places of the layers, outermost first.
        names: the names of the layers, for the message.
        scopes: the scopes of the layers; without them, all layers share one scope.
        move: says how to attach a layer to another scope; required with ``scopes``.

    Raises:
        LayerOrderError: names both layers with their scopes, the reason, and the line to write.
    """
    labels = [f"{name} of the {scope}" for name, scope in zip(names, scopes, strict=True)] if scopes else names
    for rule in ORDER_RULES:
        inner = [i for i, place in enumerate(places) if place is rule.inner]
        outer = [i for i, place in enumerate(places) if place is rule.outer]
        if inner and not outer and rule.is_required:
            raise LayerOrderError(
                f"{labels[inner[0]]} needs a layer at the place '{rule.outer.value}' outside it: {rule.reason}; "
                f"write Stack({rule.outer.value.capitalize()}(), …, {shorten(names[inner[0]])})"
            )
        for i, j in itertools.product(inner, outer):
            if i < j and not (rule.is_per_scope and scopes and scopes[i] != scopes[j]):
                remedy = _find_remedy(i, j, places, names, scopes, move)
                raise LayerOrderError(f"{labels[j]} must stand outside {labels[i]}: {rule.reason}; {remedy}")


def _find_remedy(
    inner: int, outer: int, places: Sequence[Place], names: Sequence[str], scopes: Sequence[str], move: MoveLayer | None
) -> str:
    """Say what to write if the layer ``outer`` stands inside ``inner``."""
    if move is None or scopes[inner] == scopes[outer]:
        return f"write Stack({shorten(names[outer])}, {shorten(names[inner])}), or attach each with .layer(…)"
    if places[outer] in _ONE_IS_ENOUGH:
        for place, scope in zip(places, scopes, strict=True):
            if place is places[outer] and scope != scopes[outer]:
                return f"leave it out, because the {scope} has one for every call"
    return f"write {move(shorten(names[outer]), scopes[outer], scopes[inner])}"


def shorten(name: str) -> str:
    """A layer as written in code, without its configuration: ``Retry(…)``, ``Timeout(…).models``."""
    kind, _, rest = name.partition("(")
    view = rest.rpartition(")")[2]
    return f"{kind}()" if rest == ")" else f"{kind}(…){view}"
