"""What the tests of copies share."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from apps.casefile.tests.google.fake.server import FakeGoogle
from apps.casefile.tests.google.fake.serving import serving
from apps.casefile.tests.shared import google_address
from apps.casefile.tests.workspace.desk import Desk


@pytest.fixture
async def desk(fresh: Path, tmp_path: Path) -> AsyncIterator[Desk]:
    """The application at a Google of its own."""
    shutil.copy(fresh, tmp_path / "casefile.db")
    async with serving(FakeGoogle(), google_address()) as google:
        desk = Desk(tmp_path, google)
        yield desk
        await desk.database.close()
    assert google.broken == []


@pytest.fixture
async def casefile(desk: Desk) -> str:
    """A casefile of Ann's."""
    return await desk.casefile()
