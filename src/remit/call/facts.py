"""The facts of an operation. The defaults of retry, approval and audit follow from them."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal, TypedDict, cast

from pydantic import PositiveFloat, PositiveInt

from remit.call.classification import Classification, Deprecation, Visibility
from remit.call.sentences import Sentences, Undo, as_sentences, as_undo
from remit.core.argument_types import UNCHECKED
from remit.core.call_checks import check_arguments
from remit.errors import ContractError
from remit.shown import show_value

_PERMISSION_PATTERN: Final = re.compile(r"[a-z][a-z0-9_-]*(:[a-z][a-z0-9_-]*)+")
_RATE_PATTERN: Final = re.compile(r"([0-9]+)/(second|minute|hour|day)")
_SECONDS_PER_UNIT: Final = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0}


class Effect(enum.Enum):
    """How a started call without a recorded end may be recovered."""

    PURE = "pure"
    """Only reads. May run again at any time."""
    IDEMPOTENT = "idempotent"
    """Writes; running twice has the effect of running once. May run again."""
    KEYED = "keyed"
    """Uses the idempotency key ``ctx.key``. Runs again with the same key, so that the effect happens once."""
    UNSAFE = "unsafe"
    """Anything else; the default. Never runs again: its outcome is unknown until a person decides."""
    COMPOSED = "composed"
    """Acts only through ``ctx.call``, like an agent, a worker or a pipeline. Executed again until it ends."""


EffectName = Literal["pure", "idempotent", "keyed", "unsafe", "composed"]
"""The value of an `Effect`, which decorators also accept."""


class Risk(enum.Enum):
    """How much harm a mistaken call can do."""

    SAFE = "safe"
    MODERATE = "moderate"
    HIGH = "high"


RiskName = Literal["safe", "moderate", "high"]
VisibilityName = Literal["public", "internal", "experimental"]
"""The value of a `Visibility`, which decorators also accept."""


@check_arguments(ContractError)
@dataclass(frozen=True, slots=True)
class Rate:
    """A rate limit: at most ``calls`` calls in any window of ``seconds``."""

    calls: PositiveInt
    seconds: PositiveFloat


def parse_rate(value: object) -> Rate:
    """Parse a rate as a decorator accepts it: ``"60/minute"``, or calls and seconds.

    Raises:
        ContractError: the value is not a rate.
    """
    if isinstance(value, Rate):
        return value
    if isinstance(value, tuple):
        pair = cast("tuple[Any, ...]", value)
        if len(pair) == 2:
            return Rate(*pair)
    match = _RATE_PATTERN.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        shown, units = show_value(cast("object", value)), ", ".join(_SECONDS_PER_UNIT)
        raise ContractError(f"rate {shown} is not of the form 60/minute; units are {units}")
    return Rate(int(match[1]), _SECONDS_PER_UNIT[match[2]])


@check_arguments(ContractError)
@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The facts of an operation.

    Args:
        effect: whether an interrupted call may run again.
        risk: high risk requires approval by default.
        permissions: what a principal must hold to call it, as ``area:verb``.
        timeout: seconds for one attempt; None for no limit.
        rate: calls per tenant and period, over all processes that share a journal; None for no limit. A composed
            operation cannot have one, because it has no effect of its own and is executed again after a crash.
        egress: whether it sends data out of the system.
        trusted: whether its output may be trusted. False by default.
        tags: words for searching.
        confirm: the name of a boolean parameter. A call with the flag unset changes nothing, and opens the question for
            the call with the flag set.
        classification: the place on the six axes; None if unclassified.
        visibility: who may call it.
        deprecation: when it is removed; None if it is not deprecated.
        repeatable: whether a model may repeat the same call, as with a tool that polls or advances something.
        declared: False for a tool made without effect and risk; the default policy asks about its calls.
        says: what its calls say to people; None for sentences made from its name.
        undo: the call that undoes one of its calls; None if there is none.
    """

    effect: Effect = Effect.UNSAFE
    risk: Risk = Risk.SAFE
    permissions: frozenset[str] = frozenset()
    timeout: PositiveFloat | None = None
    rate: Rate | None = None
    egress: bool = False
    trusted: bool = False
    tags: frozenset[str] = frozenset()
    confirm: str | None = None
    classification: Classification | None = None
    visibility: Visibility = Visibility.PUBLIC
    deprecation: Deprecation | None = None
    repeatable: bool = False
    declared: bool = True
    says: Annotated[Sentences | None, UNCHECKED] = None
    undo: Annotated[Undo | None, UNCHECKED] = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "says", as_sentences(self.says))
        object.__setattr__(self, "undo", as_undo(self.undo))
        for permission in self.permissions:
            if not _PERMISSION_PATTERN.fullmatch(permission):
                raise ContractError(f"permission {show_value(permission)} is not of the form area:verb, like cms:write")
        if self.rate is not None and self.effect is Effect.COMPOSED:
            raise ContractError(
                "a composed operation cannot have a rate (rate_limit_per_minute), because it is executed again until "
                "it ends; limit the tools that it calls"
            )


def lacks_flag(facts: Facts, arguments: str) -> bool:
    """Whether the arguments of a call, as JSON, lack the flag ``confirm``, without which it changes nothing."""
    if facts.confirm is None:
        return False
    try:
        given = cast("object", json.loads(arguments))
    except (ValueError, RecursionError):
        return False
    return not (isinstance(given, dict) and cast("dict[str, object]", given).get(facts.confirm) is True)


class FactOptions(TypedDict, total=False):
    """The facts that `tool` accepts as arguments; see `Facts`."""

    effect: Effect | EffectName
    risk: Risk | RiskName
    permissions: Iterable[str]
    timeout: float | None
    rate: str | tuple[int, float] | Rate | None
    egress: bool
    trusted: bool
    tags: Iterable[str]
    confirm: str | None
    visibility: Visibility | VisibilityName
    repeatable: bool
    says: str | Sentences | None
    undo: Undo | None


def facts_from_options(function: str, options: FactOptions) -> Facts:
    """Build facts from the keyword arguments of ``function``, which accepts `FactOptions`.

    Raises:
        ContractError: an argument is unknown or its value is not valid.
    """
    allowed = FactOptions.__annotations__
    unknown = sorted(set(options) - set(allowed))
    if unknown:
        known = f"facts are: {', '.join(allowed)}"
        hint = "write risk='high', or let a rule of a policy ask" if "approval" in unknown[0] else known
        raise ContractError(f"{function} has no argument {unknown[0]!r}; {hint}")
    return replace(build_facts(**options), declared="effect" in options or "risk" in options)


def build_facts(
    *,
    effect: Effect | str = Effect.UNSAFE,
    risk: Risk | str = Risk.SAFE,
    permissions: Iterable[str] = (),
    timeout: float | None = None,
    rate: str | tuple[int, float] | Rate | None = None,
    egress: bool = False,
    trusted: bool = False,
    tags: Iterable[str] = (),
    confirm: str | None = None,
    classification: Classification | None = None,
    visibility: Visibility | str = Visibility.PUBLIC,
    deprecation: Deprecation | None = None,
    repeatable: bool = False,
    says: str | Sentences | None = None,
    undo: Undo | None = None,
) -> Facts:
    """Build facts. Collections may be any iterables, and enum members may be given by value."""
    return Facts(  # which converts the values
        effect=cast("Effect", effect),
        risk=cast("Risk", risk),
        permissions=cast("frozenset[str]", permissions),
        timeout=timeout,
        rate=None if rate is None else parse_rate(rate),
        egress=egress,
        trusted=trusted,
        tags=cast("frozenset[str]", tags),
        confirm=confirm,
        classification=classification,
        visibility=cast("Visibility", visibility),
        deprecation=deprecation,
        repeatable=repeatable,
        says=as_sentences(says),
        undo=as_undo(undo),
    )
