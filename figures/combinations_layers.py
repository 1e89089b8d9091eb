"""The layers that are combined: those that Remit ships, and others that change, delay, repeat or lose replies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

from remit import Ask, Policy, Retry, Timeout, When
from remit.app import Env
from remit.errors import CallError, ConflictError, ExternalError
from remit.layers import (
    Accumulate,
    AddMessage,
    Approve,
    Authorize,
    Breaker,
    Budget,
    Call,
    CallLayer,
    CallService,
    Concurrency,
    Fallback,
    Guardrail,
    ModelLayer,
    RateLimit,
    RecordEvents,
    Redact,
    Reply,
    Transform,
    Validate,
    layer_fn,
)
from remit.testing import Scripted

CARD: Final = "4111-1111"


def asks_about(name: str) -> Policy:
    """A policy that asks about every call."""
    return Policy.only(When(name, lambda _call: True, Ask(reason="it costs money"), version="1"))


SHIPPED: Final[Mapping[str, Callable[[], CallLayer | ModelLayer]]] = {
    "Authorize": Authorize,
    "Validate": Validate,
    "Budget": lambda: Budget(calls=50),
    "Approve": lambda: Approve(Env(), policy=asks_about("costs")),
    "RateLimit": lambda: RateLimit(calls=50, seconds=60),
    "Concurrency": lambda: Concurrency(calls=1),
    "Breaker": Breaker,
    "Retry": lambda: Retry(base_delay=0, max_delay=0),
    "Timeout": lambda: Timeout(60).calls,
    "Timeout(grace)": lambda: Timeout(60, grace=1).calls,
    "Transform": lambda: Transform(lambda reply: reply.map(reply.value)),
    "Accumulate": lambda: Accumulate(0, lambda count, _call, _reply: count + 1),
    "RecordEvents": lambda: RecordEvents(success="paid", failure="failed"),
    "Redact": lambda: Redact(patterns=[CARD]),
    "AddMessage": lambda: AddMessage("Be brief."),
    "Guardrail": lambda: Guardrail(lambda _answer: True),
    "Fallback": lambda: Fallback(Scripted(["unused"])),
}


@layer_fn
async def mapping(call: Call, inner: CallService) -> Reply:
    """Change the result."""
    reply = await inner(call)
    return reply.map({**_fields(reply), "note": "mapped"})


@layer_fn
async def hiding(call: Call, inner: CallService) -> Reply:
    """Hide a part of the result."""
    reply = await inner(call)
    return reply.map({**_fields(reply), "card": "hidden"})


@layer_fn
async def canned(call: Call, inner: CallService) -> Reply:
    """Reply in place of the tool to one of the calls."""
    return Reply.from_value({"card": "none"}) if _cents(call) == 7 else await inner(call)


@layer_fn
async def other_arguments(call: Call, inner: CallService) -> Reply:
    """Pass on a changed call, which is refused."""
    payload: Any = call.payload
    return await inner(call.replace(payload=payload.model_copy(update={"cents": 9_999})) if payload else call)


@layer_fn
async def delaying(call: Call, inner: CallService) -> Reply:
    """Let other tasks run before and after."""
    await asyncio.sleep(0)
    reply = await inner(call)
    await asyncio.sleep(0)
    return reply


@layer_fn
async def raising(call: Call, inner: CallService) -> Reply:
    """Refuse one of the calls after it was made."""
    reply = await inner(call)
    if _cents(call) == 7:
        raise ConflictError("not this one")
    return reply


@layer_fn
async def retrying(call: Call, inner: CallService) -> Reply:
    """Make a call again, as another attempt."""
    for attempt in (1, 2, 3):
        try:
            return await inner(call.replace(attempt=attempt))
        except ExternalError:
            if attempt == 3:
                raise
    raise AssertionError


@layer_fn
async def repeating(call: Call, inner: CallService) -> Reply:
    """Make a call twice and return the reply to the second, numbered as another attempt."""
    await inner(call)
    return await inner(call.replace(attempt=2))


@layer_fn
async def forgiving(call: Call, inner: CallService) -> Reply:
    """Reply to a failed call with a result."""
    try:
        return await inner(call)
    except CallError:
        return Reply.from_value({"card": "none"})


@layer_fn
async def forgetful(call: Call, inner: CallService) -> Reply:
    """Forget to return the reply to one of the calls."""
    reply = await inner(call)
    return reply if _cents(call) != 7 else None  # type: ignore[return-value]


CHANGING: Final[Mapping[str, Callable[[], CallLayer | ModelLayer]]] = {
    each.__name__: each
    for each in (
        mapping,
        hiding,
        canned,
        other_arguments,
        delaying,
        raising,
        retrying,
        repeating,
        forgiving,
        forgetful,
    )
}
MAKERS: Final = {**SHIPPED, **CHANGING}


def _fields(reply: Reply) -> dict[str, str]:
    value: Any = reply.value
    return value if reply.outcome == "ok" else {}


def _cents(call: Call) -> object:
    return (call.arguments.value or {}).get("cents")
