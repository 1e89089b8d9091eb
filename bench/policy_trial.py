"""How long a trial of a policy takes over a million recorded calls."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from figures.figure import Figure, at_most
from remit import App, Ask, Effect, Policy, Principal, Runtime, When, tool
from remit.layers import Call
from remit.stores import SqlStore

RUNS: Final = 250
_CALLS_A_RUN: Final = 20


@tool(effect=Effect.PURE)
async def quote(euros: int) -> int:
    """Quote a price."""
    return euros


def _is_large(call: Call) -> bool:
    return '"euros":19' in call.canonical_arguments


async def policy_trial(runs: int = RUNS) -> AsyncIterator[Figure]:
    """The seconds for a million calls, from a sample of open runs in SQLite, under a rule that reads arguments."""
    new = Policy(When("large", _is_large, Ask(reason="large"), tools={"quote"}))
    with TemporaryDirectory() as folder:
        store = SqlStore.at(Path(folder) / "journal.db")
        client = Runtime(App(name="shop", tools=(quote,)), store=store).client(Principal("ada"))
        for _ in range(runs):
            async with client.open_run() as run:
                for number in range(_CALLS_A_RUN):
                    await run.call("quote", {"euros": number})
        begun = time.perf_counter()
        trial = await client.try_policy(new, since=0)
        seconds = time.perf_counter() - begun
        await store.close()
    how = f"a trial over {trial.calls:,} calls of {trial.runs} open runs in SQLite, scaled to a million calls"
    yield at_most("policy.try_1m_s", seconds / trial.calls * 1e6, "s", 60, trial.calls, how)
