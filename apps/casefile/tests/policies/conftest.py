"""A trial, and casefiles to try it on."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.casefile.tests.office import Office
from apps.casefile.tests.policies.trial import Trial
from remit_casefile.storage.database import Database


@pytest.fixture
def trial(tmp_path: Path, database: Database) -> Trial:
    """The small application."""
    return Trial(tmp_path / "inventory", database)


@pytest.fixture
def office(database: Database) -> Office:
    """Whoever makes casefiles to try it on."""
    return Office(database)
