"""Writes whose answer was lost: look for what they should have made, with waits, before anybody is told."""

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
    """How long to look: before each look so many seconds, since a search may lag behind what it searches."""

    sleep: Sleep
    waits: Sequence[float] = DEFAULT_WAITS

    def __post_init__(self) -> None:
        if not self.waits or any(wait < 0 for wait in self.waits):
            raise SetupError(f"{self!r}: give at least one wait, and none below 0 seconds")

    async def poll(self, find: Callable[[], Awaitable[T | None]]) -> T | None:
        """What ``find`` finds; None if nothing is there after all waits."""
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
        """Write once. Where the answer is lost, the write's own trace answers in its place.

        Raises:
            UncertainError: the answer was lost, and no trace was found: ``description`` says what may have happened.
            CallError: the write was refused, so nothing happened.
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
    """What a write leaves behind to be found by: made of its idempotency key, which it does not give away."""
    return sha256(key.encode()).hexdigest()[:32]


async def write_untraced(write: Awaitable[T], description: str) -> T:
    """What a write gives that leaves no trace to look for.

    Raises:
        UncertainError: its answer was lost.
    """
    try:
        return await write
    except CallError as error:
        if not may_have_happened(error):
            raise
        raise _uncertain_error(description, error) from error


def _uncertain_error(description: str, error: CallError) -> UncertainError:
    return UncertainError(f"{description}, or not: {error.message}. Look before doing it again")
