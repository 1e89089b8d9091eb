"""Passwords: hashed with argon2, off the event loop, a few at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from remit.core.call_checks import check_arguments
from remit.core.checks import check_text
from remit.errors import RequestError
from remit.server.rates import RequestLimitedError

T = TypeVar("T")

MIN_LENGTH: Final = 12
MAX_LENGTH: Final = 1024
_AT_ONCE: Final = 4
_MAX_WAITING: Final = 64


def check_password(password: str) -> None:
    """Refuse a password that is too short to withstand guessing, or too long to hash.

    Raises:
        RequestError: says how long it may be. It never repeats the password.
    """
    check_text("the password", password, RequestError)
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise RequestError(f"the password has {len(password):,} characters; give {MIN_LENGTH} to {MAX_LENGTH:,}")


@check_arguments()
class Passwords:
    """Hashes and verifies passwords. Each takes tens of milliseconds and 64 MiB, so few run at once.

    Args:
        hasher: the parameters of new hashes. A hash with other parameters is replaced at the next sign-in.
    """

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._turn = asyncio.Semaphore(_AT_ONCE)
        self._waiting = 0
        self._unknown = ""

    async def hash(self, password: str) -> str:
        """The hash of a password."""
        return await self._in_turn(self._hash, password)

    async def verify(self, password: str, known: str) -> str | None:
        """Whether a password has the hash ``known``: None if not, else the hash to keep from now on.

        Without a known hash, it takes as long, so that the time does not tell whether a name exists.

        Raises:
            RequestLimitedError: too many people sign in at this moment.
        """
        if len(password) > MAX_LENGTH:
            return None
        return await self._in_turn(self._verify, password, known)

    async def _in_turn(self, work: Callable[..., T], *arguments: str) -> T:
        if self._waiting >= _MAX_WAITING:
            raise RequestLimitedError("too many people sign in at this moment; try again")
        self._waiting += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(work, *arguments)
        finally:
            self._waiting -= 1

    def _hash(self, password: str) -> str:
        return self._hasher.hash(password.encode("utf-8", "surrogatepass"))

    def _verify(self, password: str, known: str) -> str | None:
        if not known and not self._unknown:
            self._unknown = self._hash("no password")
        try:
            self._hasher.verify(known or self._unknown, password.encode("utf-8", "surrogatepass"))
        except (VerificationError, InvalidHashError):
            return None
        if not known:
            return None
        return self._hash(password) if self._hasher.check_needs_rehash(known) else known
