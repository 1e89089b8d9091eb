"""These tests run on each kind of database."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def location(either_location: Path | str) -> Path | str:
    return either_location
