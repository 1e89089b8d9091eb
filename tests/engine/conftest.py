"""What a driver drives on: a store in memory, and a clock that stands still."""

from __future__ import annotations

import pytest

from remit.journal.in_process import InProcessStore
from tests.engine.roots import Stage
from tests.journal.samples import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def stage(clock: Clock) -> Stage:
    return Stage(InProcessStore(clock), clock)
