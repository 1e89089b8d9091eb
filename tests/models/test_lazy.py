"""A model that is opened when it is first asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from remit.errors import SetupError
from remit.models.lazy import LazyModel
from remit.testing import Scripted
from tests.contracts.steps import chat_request


class Door:
    """What opens and closes a model, and remembers it. It opens from the ``works``-th time on."""

    def __init__(self, works: int = 1) -> None:
        self.seen: list[str] = []
        self._works = works

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Scripted]:
        self.seen.append("opened")
        await asyncio.sleep(0)
        if len(self.seen) < self._works:
            raise SetupError("not yet")
        yield Scripted(["hello"])
        self.seen.append("closed")


async def test_it_is_opened_once_for_all_who_ask_and_closed_once() -> None:
    door = Door()
    late = LazyModel(door.open)
    assert door.seen == []
    answers = await asyncio.gather(*[late(await chat_request()) for _ in range(3)])
    assert [answer.content for answer in answers] == ["hello"] * 3
    assert door.seen == ["opened"]
    await late.close()
    assert door.seen == ["opened", "closed"]


async def test_it_is_opened_anew_when_it_is_asked_after_it_was_closed() -> None:
    door = Door()
    late = LazyModel(door.open)
    first = await late.start()
    await late.close()
    assert await late.start() is not first
    assert door.seen == ["opened", "closed", "opened"]


async def test_one_that_could_not_be_opened_is_tried_again() -> None:
    late = LazyModel(Door(works=2).open)
    with pytest.raises(SetupError, match="not yet"):
        await late(await chat_request())
    assert (await late(await chat_request())).content == "hello"
