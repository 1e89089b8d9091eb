"""The port of engines, which decide which process executes a run, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from remit.engine.outcome import ExecutionStatus


class Engine(Protocol):
    """Decides which process executes a run, and when.

    The journal remains the source of truth about every run, and its lease admits one executor. An engine may therefore
    wake a run late or too often without harm. Within ``async with engine``, this process executes runs. `start` and
    `wake` need no such block.
    """

    async def start(self, run: str) -> None:
        """Announce a new run that is not executing yet."""
        ...

    async def wake(self, run: str) -> None:
        """Announce a decision that the run may wait for."""
        ...

    async def wake_later(self, run: str, seconds: float) -> None:
        """Wake a run after ``seconds``, even if this process ends first."""
        ...

    async def close(self) -> None:
        """Release resources that announcements opened. Leaving the block does so too."""
        ...

    async def __aenter__(self) -> Self:
        """Start executing runs in this process."""
        ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Accept no more runs; wait until executing runs rest, or release them."""
        ...


class ExecutionReport(Protocol):
    """The outcome of an execution, like `remit.runtime.RunResult`."""

    @property
    def status(self) -> ExecutionStatus:
        """Whether the run has ended or waits."""
        ...

    @property
    def questions(self) -> tuple[str, ...]:
        """The open questions of a resting run."""
        ...

    @property
    def retry_at(self) -> float:
        """When a stalled or scheduled run continues, in seconds since the epoch."""
        ...


class ExecuteFunction(Protocol):
    """Executes a run until it rests, like `Runtime.resume`."""

    async def __call__(self, run: str, release_requested: asyncio.Event, /) -> ExecutionReport:
        """Execute ``run`` until it rests. Setting ``release_requested`` releases it in its current state.

        Raises:
            LeaseError: another executor holds the run, or the run was released.
        """
        ...


ErrorHandler = Callable[[str, BaseException], None]
"""Called with a run that could not be executed, and the error."""
