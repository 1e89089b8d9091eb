"""A home folder of one's own, a shop, and a script in the model's place."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from remit.journal.sql import SqlStore
from tests.cli.kit import ROOT, Cli


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty journal at the newest revision, to be copied."""
    path = tmp_path_factory.mktemp("journal") / "journal.db"

    async def open_and_close() -> None:
        store = SqlStore.at(path)
        await store.runs()
        await store.close()

    asyncio.run(open_and_close())
    return path


@pytest.fixture
def cli(tmp_path: Path, migrated: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A home that was opened before, so that a test does not migrate it."""
    made = Cli(tmp_path)
    made.home.mkdir(mode=0o700)
    shutil.copy(migrated, made.home)
    monkeypatch.setenv("REMIT_HOME", str(made.home))
    monkeypatch.setenv("REMIT_MODEL", f"scripted:{made.script_file}")
    monkeypatch.setenv("SHOP", str(made.book_file))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.delenv("REMIT_DEBUG", raising=False)
    return made
