"""What outsiders size does not hold the event loop: hostile schedules, schemas, templates, answers and arguments.

Each case runs in a process of its own, with a limit of memory and of processor time, so that one without a bound ends.
The pause is the processor time of the loop's thread between two beats, which load does not change.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import resource
import time
from collections.abc import Awaitable, Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from figures.figure import Figure, at_most
from figures.loop_cases import CASES
from remit.errors import RemitError

TARGET_MS: Final = 4_000.0
"""A few times what the dearest case takes on an idle machine: under load, the same work takes more processor time."""
_MAX_SECONDS: Final = 12
_MEMORY: Final = 1 << 30
"""How much more memory a case may take than there is when it begins."""


def figures(*, short: bool) -> Iterator[Figure]:
    """The longest pause of the loop over all cases."""
    paused = {name: _measure(case) for name, case in CASES.items() if not short or name in _SHORT}
    name = max(paused, key=lambda each: paused[each])
    how = f"hostile inputs, each in a loop of its own; the longest pause was that of {name}"
    yield at_most("loop.blocked_ms", round(paused[name]), "ms", TARGET_MS, len(paused), how)


_SHORT: Final = frozenset(
    {
        "a rule of minutes that never matches",
        "parts that are described twice",
        "defaults that double",
        "a text that doubles in a template",
        "an answer without end",
        "a grant with many wildcards",
    }
)
"""The cases of the short form; each mutant lacks the bound of one."""


def _measure(case: Callable[[], Awaitable[object]]) -> float:
    """The longest pause in ms; that of the time limit if the case did not end in a known way."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run_child, args=(case, sender))
    process.start()
    sender.close()
    try:
        return float(receiver.recv())
    except EOFError:  # it was ended
        return 1000.0 * _MAX_SECONDS
    finally:
        process.join()


def _run_child(case: Callable[[], Awaitable[object]], sender: Connection) -> None:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    memory = pages * resource.getpagesize() + _MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (_MAX_SECONDS, _MAX_SECONDS))
    try:
        sender.send(asyncio.run(_find_longest_pause(case)))
    except BaseException:  # noqa: BLE001 - any error that is not one of Remit's is a miss
        sender.send(1000.0 * _MAX_SECONDS)
    os._exit(0)


async def _find_longest_pause(case: Callable[[], Awaitable[object]]) -> float:
    """The longest processor time in ms between two beats while a case runs, which may end in an error of Remit."""
    await asyncio.sleep(0)
    going = asyncio.ensure_future(_run_case(case))
    longest, last = 0.0, time.thread_time()
    while not going.done():
        await asyncio.sleep(0)
        now = time.thread_time()
        longest, last = max(longest, now - last), now
    await going
    return 1000 * longest


async def _run_case(case: Callable[[], Awaitable[object]]) -> None:
    try:
        await case()
    except (RemitError, ValueError) as error:
        if isinstance(error.__cause__, MemoryError):
            raise
