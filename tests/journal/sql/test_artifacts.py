"""Artifacts whose content is in a table, as in Postgres."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import URL

from remit.errors import BrokenJournalError
from remit.journal.sql.artifacts import ArtifactTables
from remit.journal.sql.tables import METADATA, open_engine
from remit.record.artifact import ArtifactScope, digest_of

ADA, BOB = ArtifactScope("acme", "ada"), ArtifactScope("acme", "bob")
DIGEST = digest_of(b"content")


def test_content_in_a_table_is_stored_once_for_all_who_add_it(tmp_path: Path) -> None:
    engine, tables = open_engine(URL.create("sqlite", database=str(tmp_path / "journal.db"))), ArtifactTables(None)
    METADATA.create_all(engine)
    with engine.begin() as connection:
        with pytest.raises(BrokenJournalError, match="the stored content of artifact"):
            tables.add(connection, DIGEST, ADA, None)
        for owner in (ADA, BOB):
            tables.add(connection, DIGEST, owner, tables.prepare(b"content"))
        assert [tables.read(connection, DIGEST, owner) for owner in (ADA, BOB)] == [b"content", b"content"]
    engine.dispose()
