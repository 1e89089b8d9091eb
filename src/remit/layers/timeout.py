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
        limit = asyncio.timeout(self._seconds)
        try:
            async with limit:
                return await self._inner(request)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise DeadlineError(f"no result within {self._seconds:g} seconds; it was stopped") from error
