"""The applications that acceptance tests share."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from tests.acceptance.applications import Worlds, casefile_world, cms_world


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def worlds(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Worlds]:
    """Both applications, for all tests of a file."""
    folder = tmp_path_factory.mktemp("worlds")
    async with casefile_world(folder) as casefile, cms_world(folder) as cms:
        yield Worlds(casefile, cms)
