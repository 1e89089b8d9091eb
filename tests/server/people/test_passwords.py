"""Passwords are hashed a few at a time, and an unknown name takes as long as a wrong password."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from argon2 import PasswordHasher

from remit.server.people import passwords
from remit.server.people.passwords import Passwords
from remit.server.rates import RequestLimitedError
from tests.server.people.kit import FAST, PASSWORD


class CountingHasher(PasswordHasher):
    """Counts what it verifies."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)
        self.verified = list[Any]()

    def verify(self, hash: str | bytes, password: str | bytes) -> Any:  # noqa: A002
        self.verified.append(hash)
        return super().verify(hash, password)


async def test_without_a_hash_another_one_is_verified_and_even_its_password_is_refused() -> None:
    hasher = CountingHasher()
    each = Passwords(hasher)
    assert await each.verify("guess", "") is None
    assert await each.verify("no password", "") is None
    assert len(hasher.verified) == 2


async def test_a_damaged_hash_is_no_password() -> None:
    assert await Passwords(FAST).verify(PASSWORD, "plain text") is None
    assert await Passwords(FAST).verify(PASSWORD, PASSWORD) is None


async def test_a_hash_with_the_parameters_of_today_is_kept() -> None:
    known = FAST.hash(PASSWORD)
    assert await Passwords(FAST).verify(PASSWORD, known) == known


async def test_more_than_a_server_can_hash_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_MAX_WAITING", 2)
    each = Passwords(FAST)
    results = await asyncio.gather(*(each.hash(PASSWORD) for _ in range(3)), return_exceptions=True)
    assert [isinstance(result, RequestLimitedError) for result in results] == [False, False, True]
    assert await each.verify(PASSWORD, await each.hash(PASSWORD))


def test_the_default_parameters_are_those_that_argon2_recommends() -> None:
    parameters = vars(Passwords())["_hasher"]
    assert (parameters.time_cost, parameters.memory_cost, parameters.type.name) == (3, 65536, "ID")
