"""The port of engines: who drives a run, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from remit.engine.executor import ExecutionStatus


class Engine(Protocol):
    """Says who drives a run, and when.

    The journal stays the truth about every run, and its lease keeps one driver: an engine may wake a run too often, and
    late, never wrongly. While ``async with engine`` lasts, this process drives runs; at its end it lets go of them.
    Telling the engine of a run needs no such block.
    """

    async def start(self, run: str) -> None:
        """A run was opened, and nobody drives it yet."""
        ...

    async def wake(self, run: str) -> None:
        """Something was decided that a run may wait for."""
        ...

    async def wake_later(self, run: str, seconds: float) -> None:
        """Wake a run when so many seconds have passed, whatever happens to this process meanwhile."""
        ...

    async def close(self) -> None:
        """Give back what telling it of runs has opened. The end of a block does that, too."""
        ...

    async def __aenter__(self) -> Self:
        """Begin to drive runs here."""
        ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Take no further run, and come to rest with those that are being driven, or let them go."""
        ...


class ExecutionReport(Protocol):
    """How the driving of a run came to rest; `remit.runtime.RunResult` is one."""

    @property
    def status(self) -> ExecutionStatus:
        """Ended, or waiting."""
        ...

    @property
    def questions(self) -> tuple[str, ...]:
        """What it waits for."""
        ...


class ExecuteFunction(Protocol):
    """Drives a run on to a rest, as `Runtime.resume` does."""

    async def __call__(self, run: str, release_requested: asyncio.Event, /) -> ExecutionReport:
        """Drive ``run`` until it rests, or until ``release_requested`` is set: then it is let go as it stands.

        Raises:
            LeaseError: somebody else drives it, or it was let go.
        """
        ...


ErrorHandler = Callable[[str, BaseException], None]
"""Is told of a run that could not be driven on, and why."""
