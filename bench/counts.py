"""How many functions a turn, a run and a call take: counts are exact under any load, where times are not."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Final, NamedTuple, Self

import remit
from bench.world import PERSON, ToolCallingModel, runtime, save_with_context
from figures.figure import Figure, at_most

SHORT: Final = 20
LONG: Final = 40
"""Turns of two runs. Their difference is what turns take, without the run around them."""

REPEATS: Final = 3
"""Where the machine is so busy that a timer comes due in a run, its calls are in one of the runs only."""

_ROOT: Final = Path(__file__).parent.parent
_PACKAGE: Final = str(Path(remit.__file__).parent)


class Counts(NamedTuple):
    """Calls of functions of Python, each resumption of a coroutine among them, and of functions of C.

    They are those of a turn, of a run of one turn, and from a model's answer to the body of the tool that it calls.
    ``files_to_body`` are the files of Remit on this way.
    """

    turn_python: int
    turn_c: int
    run_python: int
    run_c: int
    to_body_python: int
    to_body_c: int
    files_to_body: int


class CallCounter:
    """Counts the calls of this thread in a ``with`` block: all, or those between a return and the call that follows.

    Args:
        after: begin at the first return of this function. until: end at the next call of this one.
    """

    def __init__(self, after: CodeType | None = None, until: CodeType | None = None) -> None:
        self._after, self._until = after, until
        self.python = self.c = 0
        self.files: set[str] = set()

    def __enter__(self) -> Self:
        """Begin to count, and let the garbage collector rest: when it runs depends on all that ran before."""
        gc.collect()
        gc.disable()
        sys.setprofile(self._count_call if self._after is None else self._wait_for_return)
        return self

    def __exit__(self, *_exception: object) -> None:
        """End counting."""
        sys.setprofile(None)
        gc.enable()

    def _wait_for_return(self, frame: FrameType, event: str, _argument: object) -> None:
        if event == "return" and frame.f_code is self._after:
            sys.setprofile(self._count_call)

    def _count_call(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "c_call":
            self.c += argument is not sys.setprofile
        elif event == "call":
            self.python += 1
            if (file := frame.f_code.co_filename).startswith(_PACKAGE):
                self.files.add(file)
            if frame.f_code is self._until:
                sys.setprofile(None)


async def counts() -> AsyncIterator[Figure]:
    """The calls of a turn, of a run of one turn, and on the way of one call to the body of its tool."""
    found = await asyncio.to_thread(count_calls)
    how = "counted by sys.setprofile on warm caches"
    turn = f"{how}, the difference of runs of {LONG} and {SHORT} turns with one pure call each, per turn"
    run, body = (
        f"{how}, a run of one turn with one pure call",
        f"{how}, from the model's answer to the body of its call",
    )
    yield at_most("calls.per_turn.python", found.turn_python, "calls", 220, LONG - SHORT, turn)
    yield at_most("calls.per_turn.c", found.turn_c, "calls", 220, LONG - SHORT, turn)
    yield at_most("calls.per_run.python", found.run_python, "calls", 800, REPEATS, run)
    yield at_most("calls.per_run.c", found.run_c, "calls", 900, REPEATS, run)
    yield at_most("calls.to_body.python", found.to_body_python, "calls", 140, 1, body)
    yield at_most("calls.to_body.files", found.files_to_body, "files", 36, 1, f"{body}, files of Remit")


def count_calls() -> Counts:
    """Count in a process of its own, because what else is imported, such as OpenTelemetry, takes calls as well."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-m", "bench.counts"]
    output = subprocess.run(command, check=True, cwd=_ROOT, env=environment, capture_output=True, text=True).stdout
    return Counts(*json.loads(output))


def _count_here() -> Counts:
    """Count each in an event loop of its own: one that ran before has timers to sort."""
    run, short, long = (asyncio.run(_count_run(turns)) for turns in (1, SHORT, LONG))
    python, c = (long.python - short.python) // (LONG - SHORT), (long.c - short.c) // (LONG - SHORT)
    body = asyncio.run(_count_to_body())
    return Counts(python, c, run.python, run.c, body.python, body.c, len(body.files))


async def _count_run(turns: int) -> CallCounter:
    """The calls of a run with one pure call each turn, by a runtime that has made others."""
    each = runtime(ToolCallingModel(turns), turns=turns)
    for _ in range(2):  # what is made on first use is there
        await each.run("go", by=PERSON)
    counters: list[CallCounter] = []
    for _ in range(REPEATS):
        with CallCounter() as counter:
            await each.run("go", by=PERSON)
        counters.append(counter)
    return min(counters, key=lambda counter: counter.python)


async def _count_to_body() -> CallCounter:
    each = runtime(ToolCallingModel(1))
    await each.run("go", by=PERSON)
    with CallCounter(ToolCallingModel.__call__.__code__, save_with_context.__code__) as counter:
        await each.run("go", by=PERSON)
    return counter


if __name__ == "__main__":
    print(json.dumps(_count_here()))
