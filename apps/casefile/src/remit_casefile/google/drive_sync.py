"""Keeps a list of files up to date: everything once, then what changed, and nothing lost on the way."""

from __future__ import annotations

import asyncio
from typing import Final

from remit.errors import ExternalError, InvalidError, NotFoundError
from remit_casefile.google.drive import DriveClient
from remit_casefile.google.payloads.drive import FileList, FileView, ListFiles
from remit_casefile.google.payloads.sync import DriveSynced, Missing
from remit_casefile.google.settling import Patience
from remit_casefile.google.sync import Mark, listed, missing, waiting
from remit_casefile.google.wire import ChangePage

_UNSEARCHED: Final = ExternalError("Drive could not search all places; worth another try")


class DriveSync:
    """Syncs what an account sees of Drive, or the files of one folder.

    A token holds a page token of Drive's list of changes. Where Drive takes it no more everything is read anew, and
    ``full`` says so.
    """

    def __init__(self, drive: DriveClient, *, folder_id: str | None = None, patience: Patience | None = None) -> None:
        self._drive = drive
        self._folder = folder_id
        self._patience = patience or Patience(sleep=asyncio.sleep)

    async def sync(self, sync_token: str | None = None) -> DriveSynced:
        """What is new since the sync that gave the token; without one, everything.

        Raises:
            CallError: nothing at all could be had. The token given is as good as before.
        """
        mark = Mark.of(sync_token)
        if mark.since is not None:
            try:
                return await self._changes(mark.since)
            except (InvalidError, NotFoundError):  # of the first page alone: Drive takes the token no more
                pass
        return await self._everything()

    async def _everything(self) -> DriveSynced:
        start = (await waiting(self._drive.start_page_token, self._patience)).start_page_token

        async def fetch(token: str | None) -> FileList:
            return await self._drive.list_files(ListFiles(folder_id=self._folder, page_size=1000, page_token=token))

        found = await listed(fetch, self._patience)
        files = {file.id: file for page in found.pages for file in page.files}
        lacks = found.missing("the list of files")
        if any(page.incomplete_search for page in found.pages):
            lacks.append(missing("places that were not searched", _UNSEARCHED))
        present = None if lacks else list(files)
        return _synced(full=True, files=files, removed=[], present=present, lacks=lacks, since=None if lacks else start)

    async def _changes(self, since: str) -> DriveSynced:
        async def fetch(token: str | None) -> ChangePage:
            return await self._drive.changes(token or since)

        found = await listed(fetch, self._patience)
        files, removed = dict[str, FileView](), dict[str, None]()
        for change in (change for page in found.pages for change in page.changes if change.file_id):
            files.pop(change.file_id, None)
            removed.pop(change.file_id, None)
            if change.file is not None and not change.removed and self._holds(change.file):
                files[change.file_id] = change.file
            else:
                removed[change.file_id] = None
        last = found.pages[-1]  # where the list was cut, the page that did not come is where the next sync begins
        going_on = last.next_page_token if found.cut is not None else last.new_start_page_token
        lacks = found.missing("the list of changes")
        return _synced(
            full=False, files=files, removed=list(removed), present=None, lacks=lacks, since=going_on or since
        )

    def _holds(self, file: FileView) -> bool:
        return not file.trashed and (self._folder is None or self._folder in file.parents)


def _synced(
    *,
    full: bool,
    files: dict[str, FileView],
    removed: list[str],
    present: list[str] | None,
    lacks: list[Missing],
    since: str | None,
) -> DriveSynced:
    return DriveSynced(
        status="partial" if lacks else "completed",
        full=full,
        files=list(files.values()),
        removed=removed,
        present=present,
        missing=lacks,
        sync_token=Mark(since=since).token,
    )
