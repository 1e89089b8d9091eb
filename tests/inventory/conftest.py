"""A small application with an inventory, written to a folder of its own."""

from pathlib import Path

import pytest

from figures.notebook import Notebook


@pytest.fixture
def notebook(tmp_path: Path) -> Notebook:
    return Notebook(tmp_path / "inventory").write()
