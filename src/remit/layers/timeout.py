"""A limit of time: for one attempt of a call, one model request or one step."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Generic, TypeVar

from remit.contracts.call import AnyLayer
from remit.core import Place, Service
from remit.errors import DeadlineError, SetupError

Q = TypeVar("Q")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Timeout(AnyLayer):
    """Cancels what has not answered after ``seconds``, on the loop's clock, and raises a `DeadlineError`."""

    place = Place.TIMEOUT
    seconds: float

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise SetupError(f"{self!r}: give a positive number of seconds")

    def __call__(self, inner: Service[Q, R], /) -> Service[Q, R]:
        """The service that gives ``inner`` its time."""
        return _Timeout(inner, self.seconds).__call__


class _Timeout(Generic[Q, R]):
    __slots__ = ("_inner", "_seconds")

    def __init__(self, inner: Service[Q, R], seconds: float) -> None:
        self._inner = inner
        self._seconds = seconds

    async def __call__(self, request: Q, /) -> R:
        """As `asyncio.timeout` does it, at a third of its cost: this stands around every call."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine that awaits runs in a task
        limit = _Limit(task)
        loop = asyncio.get_running_loop()
        timer = loop.call_at(loop.time() + self._seconds, limit.expire)
        try:
            return await self._inner(request)
        except asyncio.CancelledError as error:
            if limit.expired and task.cancelling() - 1 <= limit.cancelling:
                raise DeadlineError(f"no result within {self._seconds:g} seconds; it was stopped") from error
            raise
        finally:
            timer.cancel()
            if limit.expired:
                task.uncancel()


class _Limit:
    __slots__ = ("_task", "cancelling", "expired")

    def __init__(self, task: asyncio.Task[object]) -> None:
        self._task = task
        self.cancelling = task.cancelling()
        self.expired = False

    def expire(self) -> None:
        self.expired = True
        self._task.cancel()
