"""Properties take the time they take: a slow machine is no counterexample."""

from pathlib import Path

import pytest
from hypothesis import settings

from figures.notebook import Notebook

settings.register_profile("patient", deadline=None, max_examples=25)
settings.load_profile("patient")


@pytest.fixture
def notebook(tmp_path: Path) -> Notebook:
    return Notebook(tmp_path / "inventory").write()
