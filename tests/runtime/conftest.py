"""The file that runs of several processes share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def journal(file: Path) -> Path:
    """The file of an empty journal of this test."""
    return file
