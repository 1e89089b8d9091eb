"""Keeps a list of files in sync: everything once, then changes, without losing any."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Final

from remit.errors import CallError, InvalidArgumentsError, NotFoundError
from remit_casefile.google.drive import DriveClient
from remit_casefile.google.errors import GoogleUnavailableError, UnexpectedResponseError
from remit_casefile.google.payloads.drive import FileList, FileView, GetFile, ListFiles
from remit_casefile.google.payloads.sync import DriveSyncResult, Missing
from remit_casefile.google.sync import SyncCursor, make_missing, read_pages, retry_while_busy
from remit_casefile.google.wire import ChangePage
from remit_casefile.google.write_confirmation import WaitSchedule

_ID: Final = re.compile("[A-Za-z0-9_-]{1,200}")
_UNREADABLE: Final = UnexpectedResponseError("Google's metadata of this file cannot be read")
_INCOMPLETE_SEARCH: Final = GoogleUnavailableError("Drive could not search all places; worth another try")


class DriveSync:
    """Syncs the files visible to an account, or those of one folder.

    A token holds a page token of Drive's change list, and the ids of files whose metadata could not be read. If Drive
    no longer accepts it, everything is read again, and ``full`` is set.
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
                return await self._sync_changes(cursor.since, cursor.pending)
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
        unreadable = [each for page in found.pages for each in page.unreadable]
        return _build_result(
            full=True,
            files=files,
            removed=[],
            present=None if missing_parts else list(files),
            missing_parts=missing_parts,
            since=None if missing_parts else start,
            unreadable=dict.fromkeys(unreadable, _UNREADABLE),
        )

    async def _sync_changes(self, since: str, pending: Sequence[str]) -> DriveSyncResult:
        async def fetch(token: str | None) -> ChangePage:
            return await self._drive.list_changes(token or since)

        found = await read_pages(fetch, self._schedule)
        files, removed, unreadable = await self._read_pending(pending)
        for change in (change for page in found.pages for change in page.changes if change.file_id):
            for known in (files, removed, unreadable):
                known.pop(change.file_id, None)
            if change.unreadable and not change.removed:
                unreadable[change.file_id] = _UNREADABLE
            elif change.file is not None and not change.removed and self._is_in_scope(change.file):
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
            unreadable=unreadable,
        )

    async def _read_pending(
        self, pending: Sequence[str]
    ) -> tuple[dict[str, FileView], dict[str, None], dict[str, CallError]]:
        """The files that an earlier sync could not read: what they are now, which are gone, which still cannot be."""
        files, removed, unreadable = dict[str, FileView](), dict[str, None](), dict[str, CallError]()
        for each in pending:
            try:
                file = await retry_while_busy(lambda it=each: self._drive.get_file(GetFile(file_id=it)), self._schedule)
            except NotFoundError:
                removed[each] = None
            except CallError as error:
                unreadable[each] = error
            else:
                if self._is_in_scope(file):
                    files[each] = file
                else:
                    removed[each] = None
        return files, removed, unreadable

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
    unreadable: Mapping[str, CallError],
) -> DriveSyncResult:
    missing = [*missing_parts, *(make_missing(each or "a file without an id", unreadable[each]) for each in unreadable)]
    return DriveSyncResult(
        status="partial" if missing else "completed",
        full=full,
        files=list(files.values()),
        removed=removed,
        present=present,
        missing=missing,
        sync_token=SyncCursor(since=since, pending=tuple(filter(_ID.fullmatch, unreadable))).token,
    )
