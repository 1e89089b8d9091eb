"""Writes whose response was lost: looks for their effect, with waits, before reporting."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, TypeVar

from remit.errors import CallError, SetupError
from remit_casefile.google.errors import UncertainError, may_have_happened

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]

DEFAULT_WAITS: Final = (0.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitSchedule:
    """Seconds to wait before each look, since Google's search lags behind."""

    sleep: Sleep
    waits: Sequence[float] = DEFAULT_WAITS

    def __post_init__(self) -> None:
        if not self.waits or any(wait < 0 for wait in self.waits):
            raise SetupError(f"{self!r}: give at least one wait, and none below 0 seconds")

    async def poll(self, find: Callable[[], Awaitable[T | None]]) -> T | None:
        """The result of ``find``; None if nothing is found after all waits."""
        for wait in self.waits:
            if wait:
                await self.sleep(wait)
            found = await find()
            if found is not None:
                return found
        return None

    async def confirm_write(
        self, write: Callable[[], Awaitable[T]], find: Callable[[], Awaitable[T | None]], description: str
    ) -> T:
        """Write once. If the response is lost, find the write by its trace.

        Raises:
            UncertainError: the response was lost and no trace was found: ``description`` says what may have happened.
            CallError: the write was rejected, so nothing happened.
        """
        try:
            return await write()
        except CallError as error:
            if not may_have_happened(error):
                raise
            try:
                found = await self.poll(find)
            except CallError:
                found = None
            if found is None:
                raise _uncertain_error(description, error) from error
            return found


def make_trace(key: str) -> str:
    """A marker by which a write can be found, derived from its idempotency key without revealing it."""
    return sha256(key.encode()).hexdigest()[:32]


async def write_untraced(write: Awaitable[T], description: str) -> T:
    """The result of a write that leaves no trace to find.

    Raises:
        UncertainError: its response was lost.
    """
    try:
        return await write
    except CallError as error:
        if not may_have_happened(error):
            raise
        raise _uncertain_error(description, error) from error


def _uncertain_error(description: str, error: CallError) -> UncertainError:
    return UncertainError(f"{description}, or not: {error.message}. Look before doing it again")
