"""What the tests of the Google clients share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from apps.casefile.tests.google.fake.server import FakeGoogle
from apps.casefile.tests.google.fake.serving import serving
from apps.casefile.tests.google.official import Official
from apps.casefile.tests.google.world import World


@pytest.fixture
async def google() -> AsyncIterator[FakeGoogle]:
    """A Google of its own for each test. Whatever it says has the shape that the documents give."""
    async with serving(FakeGoogle()) as google:
        yield google
    assert google.broken == []


@pytest.fixture
async def world(google: FakeGoogle) -> AsyncIterator[World]:
    """Our clients at it."""
    world = World(google)
    yield world
    await world.transport.close()


@pytest.fixture
def official(google: FakeGoogle) -> Iterator[Official]:
    """The official clients at it."""
    with Official(google) as official:
        yield official
