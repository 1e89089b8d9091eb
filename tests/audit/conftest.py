"""A world to audit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.audit.kit import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)
