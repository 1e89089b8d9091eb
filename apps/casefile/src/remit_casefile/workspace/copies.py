"""The copies of one kind in one casefile and their sync state, inside a write transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from pydantic import BaseModel
from sqlalchemy import delete, select

from remit_casefile.storage.tables import DriveFile, GmailLabel, GmailMessage, GmailThread, SheetRange, Sync
from remit_casefile.storage.transactions import View
from remit_casefile.workspace.payloads import Source

CopyTable: TypeAlias = type[GmailMessage] | type[GmailThread] | type[GmailLabel] | type[DriveFile] | type[SheetRange]

_BATCH_SIZE: Final = 500
"""How many ids a query names."""


class CopyCounts(NamedTuple):
    """The numbers of copies added, replaced and skipped."""

    stored: int
    updated: int
    skipped: int


class Copies:
    """The copies of one kind in one casefile."""

    def __init__(self, view: View, casefile_id: str, table: CopyTable) -> None:
        self._session = view.session
        self._now = view.now
        self._casefile = casefile_id
        self._table = table

    async def put(self, items: Mapping[str, BaseModel], *, overwrite: bool, kept: bool) -> CopyCounts:
        """Store copies by id. Existing copies that differ are replaced, or skipped without ``overwrite``.

        A copy stays ``kept`` when it is replaced.
        """
        stored = updated = 0
        for batch in _batches(items):
            existing = {row.id: row for row in await self._load_rows(batch)}
            for key in batch:
                row, data = existing.get(key), items[key].model_dump(mode="json")
                if row is None:
                    copy = self._table(casefile=self._casefile, id=key, data=data, kept=kept, synced_at=self._now)
                    self._session.add(copy)
                    stored += 1
                    continue
                row.kept = row.kept or kept
                if row.data == data:
                    row.synced_at = self._now
                elif overwrite:
                    row.data, row.synced_at = data, self._now
                    updated += 1
            await self._session.flush()
        return CopyCounts(stored, updated, len(items) - stored - updated)

    async def drop(self, ids: Collection[str]) -> int:
        """Remove copies whose originals are gone, except those stored by a user. Returns their number."""
        dropped = 0
        for batch in _batches(ids):
            table = self._table
            conditions = (table.casefile == self._casefile, table.id.in_(batch), table.kept.is_(False))
            going = (await self._session.scalars(select(table.id).where(*conditions))).all()
            await self._session.execute(delete(table).where(*conditions))
            dropped += len(going)
        return dropped

    async def list_ids(self) -> set[str]:
        """The ids of all copies."""
        query = select(self._table.id).where(self._table.casefile == self._casefile)
        return set((await self._session.scalars(query)).all())

    async def _load_rows(
        self, ids: list[str]
    ) -> Iterable[GmailMessage | GmailThread | GmailLabel | DriveFile | SheetRange]:
        query = select(self._table).where(self._table.casefile == self._casefile, self._table.id.in_(ids))
        return (await self._session.scalars(query)).all()


async def get_or_add_sync(view: View, casefile_id: str, source: Source) -> Sync:
    """The sync state of a source. Adds an initial row if there is none."""
    found = await view.session.get(Sync, (casefile_id, source))
    if found is None:
        found = Sync(casefile=casefile_id, source=source, status="idle", scope="", account="")
        view.session.add(found)
    return found


def _batches(ids: Iterable[str]) -> Iterator[list[str]]:
    every = list(ids)
    for start in range(0, len(every), _BATCH_SIZE):
        yield every[start : start + _BATCH_SIZE]
