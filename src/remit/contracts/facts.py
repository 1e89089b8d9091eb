"""What kind of thing an operation is. Defaults of retry, approval and audit follow from these facts."""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from remit.contracts.classification import Classification, Deprecation, Visibility
from remit.errors import ContractError

_PERMISSION_PATTERN: Final = re.compile(r"[a-z][a-z0-9_-]*(:[a-z][a-z0-9_-]*)+")
_RATE_PATTERN: Final = re.compile(r"([0-9]+)/(second|minute|hour|day)")
_SECONDS_PER_UNIT: Final = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0}


class Effect(enum.Enum):
    """What may be done with a call that was started and has no recorded end."""

    PURE = "pure"
    """Reads. May run again at any time."""
    IDEMPOTENT = "idempotent"
    """Writes, and running twice is the same as once. May run again."""
    KEYED = "keyed"
    """Takes the idempotency key ``ctx.key``; runs again with the same key, and the effect happens once."""
    UNSAFE = "unsafe"
    """Anything else, and the default. Never run again: its outcome is unknown until a person says."""
    COMPOSED = "composed"
    """Touches the world only through ``ctx.call``: an agent, a worker, a pipeline. Driven again until it ends."""


class Risk(enum.Enum):
    """How much harm a mistaken call can do."""

    SAFE = "safe"
    MODERATE = "moderate"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Rate:
    """So many calls in any so many seconds."""

    calls: int
    seconds: float

    def __post_init__(self) -> None:
        if self.calls < 1 or not 0 < self.seconds < math.inf:
            raise ContractError(f"{self!r}: give at least one call, and a positive number of seconds")


def parse_rate(value: str | tuple[int, float] | Rate) -> Rate:
    """A rate as a decorator takes it: ``"60/minute"``, or calls and seconds.

    Raises:
        ContractError: it is none.
    """
    if isinstance(value, Rate):
        return value
    if not isinstance(value, str):
        return Rate(*value)
    found = _RATE_PATTERN.fullmatch(value)
    if found is None:
        raise ContractError(f"rate {value!r} is not of the form 60/minute; the unit is {', '.join(_SECONDS_PER_UNIT)}")
    return Rate(int(found[1]), _SECONDS_PER_UNIT[found[2]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The facts of an operation.

    Args:
        effect: what a crash in the middle means.
        risk: high risk is asked about by default.
        permissions: what a principal must hold to call it, ``area:verb``.
        timeout: seconds for one attempt, used by `recommended`; None for no limit.
        rate: how many calls of one tenant may start in how many seconds, used by `recommended`; None for no limit. What
            is composed has none: it touches nothing itself, and is driven again after a crash.
        egress: whether it sends data out of the system.
        trusted: whether its output may be believed; by default it may not.
        tags: words to find it by.
        confirm: the name of a boolean parameter. A call without it set changes nothing and opens the question for the
            call with it set.
        classification: where it belongs, on six axes; None where nobody has said.
        visibility: who may call it.
        deprecation: when it goes; None for what stays.
        entities: the kinds of things that its result holds.
    """

    effect: Effect = Effect.UNSAFE
    risk: Risk = Risk.SAFE
    permissions: frozenset[str] = frozenset()
    timeout: float | None = None
    rate: Rate | None = None
    egress: bool = False
    trusted: bool = False
    tags: frozenset[str] = frozenset()
    confirm: str | None = None
    classification: Classification | None = None
    visibility: Visibility = Visibility.PUBLIC
    deprecation: Deprecation | None = None
    entities: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for permission in self.permissions:
            if not _PERMISSION_PATTERN.fullmatch(permission):
                raise ContractError(f"permission {permission!r} is not of the form area:verb, like cms:write")
        if self.timeout is not None and not self.timeout > 0:
            raise ContractError(f"timeout is {self.timeout!r} seconds; give a positive number, or None for no limit")
        if self.rate is not None and self.effect is Effect.COMPOSED:
            raise ContractError(
                "what is composed has no rate (rate_limit_per_minute): it touches nothing itself and is driven again "
                "until it ends; limit what it calls"
            )


def build_facts(
    *,
    effect: Effect = Effect.UNSAFE,
    risk: Risk = Risk.SAFE,
    permissions: Iterable[str] = (),
    timeout: float | None = None,
    rate: str | tuple[int, float] | Rate | None = None,
    egress: bool = False,
    trusted: bool = False,
    tags: Iterable[str] = (),
    confirm: str | None = None,
    classification: Classification | None = None,
    visibility: Visibility = Visibility.PUBLIC,
    deprecation: Deprecation | None = None,
    entities: Iterable[str] = (),
) -> Facts:
    """Facts from any iterables, as a decorator takes them."""
    return Facts(
        effect=effect,
        risk=risk,
        permissions=frozenset(permissions),
        timeout=timeout,
        rate=None if rate is None else parse_rate(rate),
        egress=egress,
        trusted=trusted,
        tags=frozenset(tags),
        confirm=confirm,
        classification=classification,
        visibility=visibility,
        deprecation=deprecation,
        entities=frozenset(entities),
    )
