"""What several tests of layers start from."""

from __future__ import annotations

import pytest

from tests.layers.asking import Desk


@pytest.fixture
def desk() -> Desk:
    """A desk at which no question has been asked."""
    return Desk()
