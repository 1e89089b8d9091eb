"""A clock that stands still until a test moves it."""

from __future__ import annotations

import pytest

from remit.testing.store_suite.samples import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()
