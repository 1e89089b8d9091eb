"""These tests run on each kind of database, with the editors Ann and Bob in a conversation each."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World


@pytest.fixture
def location(either_location: Path | str) -> Path | str:
    return either_location


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world, "ann", "monday")


@pytest.fixture
def bob(world: World) -> Editor:
    return Editor(world, "bob", "tuesday")
