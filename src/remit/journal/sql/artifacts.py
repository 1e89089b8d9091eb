"""Artifacts in an SQL store: who may read each, and the content, as a file beside SQLite or as a row in Postgres."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from sqlalchemy import Connection, delete, insert, select

from remit.errors import BrokenJournalError
from remit.journal.artifact_files import ArtifactFiles
from remit.journal.index import find_unreferenced
from remit.journal.sql.tables import ARTIFACT_CONTENTS, ARTIFACTS, ITEMS
from remit.record.artifact import ArtifactScope


class ArtifactTables:
    """The artifacts of one database. The content is in files beside ``file``; without it, in a table."""

    def __init__(self, file: Path | None) -> None:
        self._files = ArtifactFiles(Path(f"{file}.artifacts")) if file else None

    def prepare(self, content: bytes | None) -> bytes | Path | None:
        """Write the content of a new artifact to disk, outside of the transaction that adds it.

        Raises:
            JournalError: the disk refused.
        """
        return content if self._files is None or content is None else self._files.write(content)

    def add(self, connection: Connection, digest: str, owner: ArtifactScope, prepared: bytes | Path | None) -> None:
        """Add an artifact for ``owner``. ``prepared`` None: its content is stored already.

        Raises:
            BrokenJournalError: the content is not stored.
        """
        owners = find_owners(connection, digest)
        if prepared is None and not owners:
            raise missing_content(digest)
        if self._files is not None and isinstance(prepared, Path):
            self._files.keep(prepared, digest)
        elif isinstance(prepared, bytes) and self._read_row(connection, digest) is None:
            connection.execute(insert(ARTIFACT_CONTENTS).values(digest=digest, content=prepared))
        if owner not in owners:
            insert_owner(connection, digest, owner)

    def read(self, connection: Connection, digest: str, scope: ArtifactScope) -> bytes | None:
        """The content of an artifact that ``scope`` sees; None if there is no such artifact.

        Raises:
            BrokenJournalError: the content was removed.
        """
        if not any(scope.sees(owner) for owner in find_owners(connection, digest)):
            return None
        content = self._read_row(connection, digest) if self._files is None else self._files.read(digest)
        if content is None:
            raise missing_content(digest)
        return content

    def erase(self, connection: Connection, run: str, seqs: Collection[int], digests: Sequence[str]) -> None:
        """Erase those artifacts of a run that only the items ``seqs`` name. Called before these are erased.

        The content is removed within the transaction, while no other writer can add it.
        """
        bodies = connection.execute(select(ITEMS.c.seq, ITEMS.c.body).where(ITEMS.c.run == run)).all()
        gone = find_unreferenced(digests, {row.seq: row.body for row in bodies}, seqs)
        for digest in gone:
            owner = next(each for each in find_owners(connection, digest) if each.run == run)
            for each in (owner, ArtifactScope(owner.tenant, owner.principal)):
                matches = [ARTIFACTS.c[name] == value for name, value in each._asdict().items()]
                connection.execute(delete(ARTIFACTS).where(ARTIFACTS.c.digest == digest, *matches))
            if find_owners(connection, digest):
                continue
            connection.execute(delete(ARTIFACT_CONTENTS).where(ARTIFACT_CONTENTS.c.digest == digest))
            if self._files is not None:
                self._files.remove(digest)

    def _read_row(self, connection: Connection, digest: str) -> bytes | None:
        statement = select(ARTIFACT_CONTENTS.c.content).where(ARTIFACT_CONTENTS.c.digest == digest)
        return connection.execute(statement).scalar()


def find_digests(connection: Connection, run: str) -> list[str]:
    """The digests of a run's artifacts."""
    return list(connection.execute(select(ARTIFACTS.c.digest).where(ARTIFACTS.c.run == run)).scalars())


def missing_content(digest: str) -> BrokenJournalError:
    """The error for content that was removed."""
    return BrokenJournalError(f"the stored content of artifact {digest[:19]}… is missing; restore it from a backup")


def find_owners(connection: Connection, digest: str) -> list[ArtifactScope]:
    """The principals that own an artifact."""
    columns = [ARTIFACTS.c[name] for name in ArtifactScope._fields]
    rows = connection.execute(select(*columns).where(ARTIFACTS.c.digest == digest)).all()
    return [ArtifactScope(*row) for row in rows]


def insert_owner(connection: Connection, digest: str, owner: ArtifactScope) -> None:
    """Give an artifact to ``owner``, who does not have it."""
    connection.execute(insert(ARTIFACTS).values(digest=digest, **owner._asdict()))
