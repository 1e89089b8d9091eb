"""A home folder of one's own, a shop, and a script in the model's place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.kit import ROOT, Cli
from tests.stores import copy_journal


@pytest.fixture
def cli(tmp_path: Path, migrated: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A home that was opened before, so that a test does not migrate it."""
    made = Cli(tmp_path)
    made.home.mkdir(mode=0o700)
    copy_journal(migrated, made.home)
    monkeypatch.setenv("REMIT_HOME", str(made.home))
    monkeypatch.setenv("REMIT_MODEL", f"scripted:{made.script_file}")
    monkeypatch.setenv("SHOP", str(made.book_file))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.delenv("REMIT_DATABASE", raising=False)
    monkeypatch.delenv("REMIT_DEBUG", raising=False)
    monkeypatch.delenv("REMIT_ENGINE", raising=False)
    return made
