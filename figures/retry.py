"""What retries add to the load of a tool that is down, and whether they call what must not be called twice."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from typing import Final

import looptime

from figures.figure import Figure, at_most, no_violations
from remit import App, Effect, LeafContext, Retry, Runtime, tool
from remit.errors import CallError, DeadlineError, ExternalError, RateLimitedError, StillRunningError
from remit.layers import Call, CallLayer, Reply
from remit.testing import make_call, superuser
from remit.tools import Arguments

CALLS = 2_000
TENANTS = 20

RETRIES: Final = (Retry(), Retry(attempts=10), Retry(attempts=2, base_delay=0, max_delay=0))
ERRORS: Final = (ExternalError, DeadlineError, StillRunningError, RateLimitedError)


def figures(*, short: bool) -> Iterator[Figure]:  # noqa: ARG001 - the short form is the long one
    """Attempts for each call, of the kind of failure that adds most."""
    ratios = {kind: _ratio(kind("down")) for kind in (ExternalError, DeadlineError)}
    each = ", ".join(f"{kind.__name__} {ratio:.3f}" for kind, ratio in ratios.items())
    how = f"{CALLS:,} calls by {TENANTS} tenants of a tool that always fails, through one Retry(): {each}"
    yield at_most("retry.amplification", max(ratios.values()), "attempts/call", 1.1, CALLS, how)
    cases = list(_unsafe_cases())
    beyond = {case: attempts - 1 for case in cases if (attempts := _run_case(*case)) != 1}
    keyless = [(error, retry) for error in ERRORS if error is not RateLimitedError for retry in RETRIES]
    beyond |= {(Effect.KEYED, *case): attempts - 1 for case in keyless if (attempts := _run_keyless(*case)) != 1}
    how = "unsafe and composed calls that fail with each retryable error, idempotent ones that are still running, and "
    how += "keyed ones that have not read their key"
    how += f", through {len(RETRIES)} retry layers; run more than once: {beyond}" if beyond else ""
    yield no_violations("retry.unsafe_executions", sum(beyond.values()), len(cases) + len(keyless), how)


def _unsafe_cases() -> Iterator[tuple[Effect, type[CallError], Retry]]:
    """Calls that must not run again: the effect of the first attempt may have happened."""
    for effect, error, retry in itertools.product(Effect, ERRORS, RETRIES):
        if effect in (Effect.UNSAFE, Effect.COMPOSED) or (effect, error) == (Effect.IDEMPOTENT, StillRunningError):
            yield effect, error, retry


def _run_case(effect: Effect, error: type[CallError], retry: Retry) -> int:
    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        return runner.run(_attempts(error("down"), retry, effect, calls=1))


def _run_keyless(error: type[CallError], retry: Retry) -> int:
    """How often a keyed tool runs that fails and has not read its key."""
    attempts = 0

    @tool(effect=Effect.KEYED)
    async def write(_ctx: LeafContext) -> str:
        """Write."""
        nonlocal attempts
        attempts += 1
        raise error("down")

    async def call_once() -> None:
        runtime = Runtime(App(name="office", tools=(write.layer(retry),)))
        await runtime.call_by_name("write", Arguments("{}", {}), by=superuser())

    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        runner.run(call_once())
    return attempts


def _ratio(error: CallError) -> float:
    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        return runner.run(_attempts(error, Retry(), Effect.PURE, calls=CALLS)) / CALLS


async def _attempts(error: CallError, layer: CallLayer, effect: Effect, *, calls: int) -> int:
    attempts = 0

    async def fetch() -> str:
        """Fetch."""
        return "fetched"

    async def down(_call: Call, /) -> Reply:
        nonlocal attempts
        attempts += 1
        raise error

    service = layer(down)
    callee = tool(fetch, effect=effect)
    for number in range(calls):
        call = await make_call(callee, by=superuser(tenant=f"tenant {number % TENANTS}"))
        try:
            await service(call)
        except CallError:
            continue
    return attempts
