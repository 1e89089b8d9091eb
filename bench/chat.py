"""What chats cost a server: many at once by AG-UI, over a script in place of the model, beside a bare stream."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bench.chat_client import send_message
from bench.chat_process import BARE, SERVE, Server, start_server
from figures.figure import Figure, at_most, no_violations
from tests.postgres import serving

CHATS: Final = 200
"""Chats that are open at once."""
ROUNDS: Final = 5
WARM_UP: Final = 20


async def chat() -> AsyncIterator[Figure]:
    """Chats with one server on SQLite: errors, CPU and memory, and the first event beside that of a bare stream."""
    with tempfile.TemporaryDirectory(prefix="remit-chat-") as name:
        async with start_server(SERVE, Path(name)) as server, start_server(BARE, Path(name)) as bare:
            rounds, floors = await _hold_rounds([server], [bare])
    least, floor = rounds.least(), floors.least()
    how = f"{CHATS} chats at once by AG-UI, {ROUNDS} times, over a script, with `remit serve` on SQLite"
    name = "chat.concurrent_200"
    yield no_violations(f"{name}.errors", rounds.errors, rounds.chats, f"chats without the whole answer, of {how}")
    cpu = f"CPU time of the server for a chat of {how}, least of the rounds; a bare stream takes {floor.cpu_ms:.2f} ms"
    yield at_most(f"{name}.cpu_ms", least.cpu_ms, "ms", 4, CHATS, cpu)
    memory = f"peak memory of the server over what it had before, for a chat of {how}, the most of the rounds"
    yield at_most(f"{name}.kb", rounds.most_kb, "kB", 100, CHATS, memory)
    first = (
        f"95th percentile of the time to the first event ({least.first_seconds * 1e3:.0f} ms) over that of a bare "
        f"stream of Starlette in the same run ({floor.first_seconds * 1e3:.0f} ms), of {how}, least of the rounds"
    )
    yield at_most(f"{name}.first_event_ratio", least.first_seconds / floor.first_seconds, "ratio", 20, CHATS, first)


async def chat_postgres() -> AsyncIterator[Figure]:
    """Chats with two servers on one Postgres, both of which execute runs."""
    async with contextlib.AsyncExitStack() as stack:
        postgres = stack.enter_context(serving())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="remit-chat-")))
        further = {"REMIT_DATABASE": postgres.url(postgres.make())}
        starting = [start_server(SERVE, folder / each, further) for each in ("one", "two")]
        (rounds,) = await _hold_rounds([await stack.enter_async_context(each) for each in starting])
    how = f"{CHATS} chats at once by AG-UI, {ROUNDS} times, over a script, with two processes of one Postgres"
    name = "chat.postgres_200"
    yield no_violations(f"{name}.errors", rounds.errors, rounds.chats, f"chats without the whole answer, of {how}")
    cpu = f"CPU time of both processes for a chat of {how}, least of the rounds"
    yield at_most(f"{name}.cpu_ms", rounds.least().cpu_ms, "ms", 6, CHATS, cpu)


class Round(NamedTuple):
    """Chats that were open at once: how many failed, and for each CPU time, memory and the time to its first event."""

    errors: int
    cpu_ms: float
    kb: float
    first_seconds: float
    """The 95th percentile."""


class Rounds(list[Round]):
    """The rounds of one measurement."""

    @property
    def errors(self) -> int:
        """The chats that failed."""
        return sum(each.errors for each in self)

    @property
    def chats(self) -> int:
        """The number of chats."""
        return CHATS * len(self)

    @property
    def most_kb(self) -> float:
        """The most memory for a chat."""
        return max(each.kb for each in self)

    def least(self) -> Round:
        """The least of each: what the machine does when nobody disturbs it."""
        return Round(*map(min, zip(*self, strict=True)))


async def _hold_rounds(*deployments: Sequence[Server]) -> list[Rounds]:
    """The rounds of each deployment, in turns: what disturbs one of them disturbs the others."""
    for servers in deployments:
        await _hold_round(servers, "warm", WARM_UP)
    found = [Rounds() for _ in deployments]
    for number in range(ROUNDS):
        for servers, rounds in zip(deployments, found, strict=True):
            rounds.append(await _hold_round(servers, str(number), CHATS))
    return found


async def _hold_round(servers: Sequence[Server], name: str, chats: int) -> Round:
    for each in servers:
        each.start_peak()
    before = [(each.cpu_seconds(), each.resident_kb()) for each in servers]
    sending = [send_message(servers[at % len(servers)].address, f"{name}-{at}") for at in range(chats)]
    answers = await asyncio.gather(*sending)
    cpu = sum(each.cpu_seconds() - seconds for each, (seconds, _) in zip(servers, before, strict=True))
    kb = sum(each.peak_kb() - size for each, (_, size) in zip(servers, before, strict=True))
    firsts = sorted(each.first_seconds for each in answers)
    errors = sum(not each.is_right for each in answers)
    return Round(errors, cpu * 1e3 / chats, kb / chats, firsts[int(0.95 * len(firsts))])
