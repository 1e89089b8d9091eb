"""Keeps a list of files in sync: everything once, then changes, without losing any."""

from __future__ import annotations

import asyncio
from typing import Final

from remit.errors import InvalidArgumentsError, NotFoundError
from remit_casefile.google.drive import DriveClient
from remit_casefile.google.errors import GoogleUnavailableError
from remit_casefile.google.payloads.drive import FileList, FileView, ListFiles
from remit_casefile.google.payloads.sync import DriveSyncResult, Missing
from remit_casefile.google.sync import SyncCursor, make_missing, read_pages, retry_while_busy
from remit_casefile.google.wire import ChangePage
from remit_casefile.google.write_confirmation import WaitSchedule

_INCOMPLETE_SEARCH: Final = GoogleUnavailableError("Drive could not search all places; worth another try")


class DriveSync:
    """Syncs the files visible to an account, or those of one folder.

    A token holds a page token of Drive's change list. If Drive no longer accepts it, everything is read again, and
    ``full`` is set.
    """

    def __init__(
        self, drive: DriveClient, *, folder_id: str | None = None, schedule: WaitSchedule | None = None
    ) -> None:
        self._drive = drive
        self._folder = folder_id
        self._schedule = schedule or WaitSchedule(sleep=asyncio.sleep)

    async def sync(self, sync_token: str | None = None) -> DriveSyncResult:
        """The changes since the sync that returned the token; without one, everything.

        Raises:
            CallError: nothing could be read. The given token stays valid.
        """
        cursor = SyncCursor.parse(sync_token)
        if cursor.since is not None:
            try:
                return await self._sync_changes(cursor.since)
            except (InvalidArgumentsError, NotFoundError):  # of the first page alone: Drive takes the token no more
                pass
        return await self._sync_all()

    async def _sync_all(self) -> DriveSyncResult:
        start = (await retry_while_busy(self._drive.get_start_page_token, self._schedule)).start_page_token

        async def fetch(token: str | None) -> FileList:
            return await self._drive.list_files(ListFiles(folder_id=self._folder, page_size=1000, page_token=token))

        found = await read_pages(fetch, self._schedule)
        files = {file.id: file for page in found.pages for file in page.files}
        missing_parts = found.missing_parts("the list of files")
        if any(page.incomplete_search for page in found.pages):
            missing_parts.append(make_missing("places that were not searched", _INCOMPLETE_SEARCH))
        present = None if missing_parts else list(files)
        return _build_result(
            full=True,
            files=files,
            removed=[],
            present=present,
            missing_parts=missing_parts,
            since=None if missing_parts else start,
        )

    async def _sync_changes(self, since: str) -> DriveSyncResult:
        async def fetch(token: str | None) -> ChangePage:
            return await self._drive.list_changes(token or since)

        found = await read_pages(fetch, self._schedule)
        files, removed = dict[str, FileView](), dict[str, None]()
        for change in (change for page in found.pages for change in page.changes if change.file_id):
            files.pop(change.file_id, None)
            removed.pop(change.file_id, None)
            if change.file is not None and not change.removed and self._is_in_scope(change.file):
                files[change.file_id] = change.file
            else:
                removed[change.file_id] = None
        last = found.pages[-1]  # where the list was cut, the page that did not come is where the next sync begins
        next_token = last.next_page_token if found.error is not None else last.new_start_page_token
        missing_parts = found.missing_parts("the list of changes")
        return _build_result(
            full=False,
            files=files,
            removed=list(removed),
            present=None,
            missing_parts=missing_parts,
            since=next_token or since,
        )

    def _is_in_scope(self, file: FileView) -> bool:
        return not file.trashed and (self._folder is None or self._folder in file.parents)


def _build_result(
    *,
    full: bool,
    files: dict[str, FileView],
    removed: list[str],
    present: list[str] | None,
    missing_parts: list[Missing],
    since: str | None,
) -> DriveSyncResult:
    return DriveSyncResult(
        status="partial" if missing_parts else "completed",
        full=full,
        files=list(files.values()),
        removed=removed,
        present=present,
        missing=missing_parts,
        sync_token=SyncCursor(since=since).token,
    )
