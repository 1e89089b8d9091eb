"""What retries add to the load of a tool that is down, for all its callers together."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import looptime

from figures.figure import Figure, at_most
from remit import Effect, Retry, tool
from remit.errors import CallError, DeadlineError, ExternalError
from remit.layers import Call, Reply
from remit.testing import make_call, superuser

CALLS = 2_000
TENANTS = 20


@tool(effect=Effect.PURE)
async def fetch() -> str:
    """Fetch."""
    return "fetched"


def figures(*, short: bool) -> Iterator[Figure]:  # noqa: ARG001 - the short form is the long one
    """Attempts for each call, of the kind of failure that adds most."""
    ratios = {kind: _ratio(kind("down")) for kind in (ExternalError, DeadlineError)}
    each = ", ".join(f"{kind.__name__} {ratio:.3f}" for kind, ratio in ratios.items())
    how = f"{CALLS:,} calls by {TENANTS} tenants of a tool that always fails, through one Retry(): {each}"
    yield at_most("retry.amplification", max(ratios.values()), "attempts/call", 1.1, CALLS, how)


def _ratio(error: CallError) -> float:
    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        return runner.run(_attempts(error)) / CALLS


async def _attempts(error: CallError) -> int:
    attempts = 0

    async def down(_call: Call, /) -> Reply:
        nonlocal attempts
        attempts += 1
        raise error

    service = Retry()(down)
    for number in range(CALLS):
        call = await make_call(fetch, by=superuser(tenant=f"tenant {number % TENANTS}"))
        try:
            await service(call)
        except CallError:
            continue
    return attempts
