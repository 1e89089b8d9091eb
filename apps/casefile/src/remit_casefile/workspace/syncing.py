"""Brings a casefile's copies up to date with Google.

Changes are fetched first, then written in one transaction with the token for the next sync. So a
crash in between loses nothing and doubles nothing: the next sync fetches from the old token.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final, TypeVar

from remit import LeafContext
from remit.errors import CallError, ConflictError, NotFoundError
from remit.inventory import Failure, Request, Response, Status
from remit.tools import Changed
from remit_casefile.casefiles.access import Level, require_casefile
from remit_casefile.google.operations import ClientsOfCaller
from remit_casefile.google.write_confirmation import WaitSchedule
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import DriveFile, GmailMessage, SheetRange
from remit_casefile.storage.transactions import (
    Edit,
    View,
    edit_once,
    find_earlier_result,
    open_unkeyed_write,
    open_view,
)
from remit_casefile.workspace.copies import Copies, CopyTable, get_or_add_sync
from remit_casefile.workspace.fetching import FetchResult, SyncStart, fetch_cells, fetch_files, fetch_mail, range_id
from remit_casefile.workspace.payloads import Source
from remit_casefile.workspace.syncing_payloads import (
    SyncDriveRequest,
    SyncDriveResponse,
    SyncedPayload,
    SyncGmailRequest,
    SyncGmailResponse,
    SyncSheetsRequest,
    SyncSheetsResponse,
)

R = TypeVar("R", bound=Response[SyncedPayload])

_MAX_MISSING_LISTED: Final = 20
_TABLES: Final[dict[Source, CopyTable]] = {"gmail": GmailMessage, "drive": DriveFile, "sheets": SheetRange}


class CopySyncer:
    """Syncs casefiles with the account of the caller.

    Args:
        database: the database with the casefiles.
        clients: the Google clients of each caller.
        schedule: how long to wait when Google throttles.
    """

    def __init__(self, database: Database, clients: ClientsOfCaller, *, schedule: WaitSchedule | None = None) -> None:
        self._database = database
        self._clients = clients
        self._schedule = schedule or WaitSchedule(sleep=asyncio.sleep)

    async def sync_gmail(self, ctx: LeafContext, request: SyncGmailRequest) -> SyncGmailResponse:
        """Sync the mail of a casefile: add new messages, remove deleted ones. Call again while partial."""
        clients = self._clients.of(ctx)

        async def fetch(start: SyncStart) -> FetchResult:
            return await fetch_mail(clients.gmail, start, self._schedule)

        payload = request.payload
        sync = _Sync(self._database, ctx, request, "gmail", payload.casefile_id, payload.label_id, clients.owner)
        return await sync.run(SyncGmailResponse, fetch)

    async def sync_drive(self, ctx: LeafContext, request: SyncDriveRequest) -> SyncDriveResponse:
        """Sync the files of a casefile: add new ones, remove deleted ones. Call again while partial."""
        clients = self._clients.of(ctx)

        async def fetch(start: SyncStart) -> FetchResult:
            return await fetch_files(clients.drive, start, self._schedule)

        payload = request.payload
        sync = _Sync(self._database, ctx, request, "drive", payload.casefile_id, payload.folder_id, clients.owner)
        return await sync.run(SyncDriveResponse, fetch)

    async def sync_sheets(self, ctx: LeafContext, request: SyncSheetsRequest) -> SyncSheetsResponse:
        """Sync the cells of a casefile. A spreadsheet and ranges, if given, are added to its synced cells."""
        payload, clients = request.payload, self._clients.of(ctx)

        async def fetch(start: SyncStart) -> FetchResult:
            async with open_view(self._database, ctx) as view:
                await require_casefile(view, payload.casefile_id, Level.EDITOR)
                existing = await Copies(view, payload.casefile_id, SheetRange).list_ids()
            range_ids = existing | {range_id(payload.spreadsheet_id or "", cells) for cells in payload.ranges}
            if not range_ids:
                raise NotFoundError(f"No cells in casefile '{payload.casefile_id}'; give a spreadsheet_id and ranges.")
            return replace(await fetch_cells(clients.sheets, range_ids, self._schedule), token=start.token)

        sync = _Sync(self._database, ctx, request, "sheets", payload.casefile_id, None, clients.owner)
        return await sync.run(SyncSheetsResponse, fetch)


class _Sync:
    """One sync of one source into one casefile."""

    def __init__(
        self,
        database: Database,
        ctx: LeafContext,
        request: Request[Any],
        source: Source,
        casefile_id: str,
        scope: str | None,
        owner: str,
    ) -> None:
        self._database = database
        self._ctx = ctx
        self._request = request
        self._source: Source = source
        self._casefile = casefile_id
        self._scope = scope
        self._owner = owner

    async def run(self, response: type[R], fetch: Callable[[SyncStart], Awaitable[FetchResult]]) -> R:
        """Fetch the changes, then write them."""
        done = await find_earlier_result(self._database, self._ctx, self._request.payload, SyncedPayload)
        if done is None:
            start = await self._mark_started()
            try:
                fetched = await fetch(start)
            except CallError as error:
                return await self._record_failure(response, start, error)
            done = await edit_once(
                self._database,
                self._ctx,
                self._request.payload,
                SyncedPayload,
                lambda edit: self._write_fetched(edit, start, fetched),
            )
        return response.completed(self._request, done)

    async def _check_access(self, view: View) -> None:
        """Check the access list, before and after fetching, which takes time."""
        await require_casefile(view, self._casefile, Level.EDITOR)

    async def _mark_started(self) -> SyncStart:
        """Record that a sync has started, and return its start. Another label or folder starts from scratch."""
        async with open_unkeyed_write(self._database, self._ctx) as view:
            await self._check_access(view)
            row = await get_or_add_sync(view, self._casefile, self._source)
            if row.token is not None and row.account != self._owner:
                raise ConflictError(
                    f"The {self._source} copies in '{self._casefile}' come from the account of "
                    f"{row.account or 'the application'}, and a sync from another account would remove them. "
                    "Sync with that account, or into another casefile."
                )
            row.status = "syncing"
            stored_state = (row.scope, row.token)
            if self._scope is None or self._scope == row.scope:
                return SyncStart(scope=row.scope, token=row.token, stored_state=stored_state)
            return SyncStart(scope=self._scope, token=None, stored_state=stored_state)

    async def _write_fetched(self, edit: Edit, start: SyncStart, fetched: FetchResult) -> SyncedPayload:
        await self._check_access(edit)
        row = await get_or_add_sync(edit, self._casefile, self._source)
        if (row.scope, row.token) != start.stored_state:
            raise ConflictError(f"another sync of {self._source} has ended meanwhile in {self._casefile}: look there")
        copies = Copies(edit, self._casefile, _TABLES[self._source])
        counts = await copies.put(fetched.items, overwrite=True, kept=False)
        removed_ids = set(fetched.removed)
        if fetched.present is not None:
            removed_ids |= await copies.list_ids() - set(fetched.present) - {each.what for each in fetched.missing}
        removed = await copies.drop(removed_ids)
        row.status, row.scope, row.token, row.synced_at, row.error = "idle", start.scope, fetched.token, edit.now, None
        row.account = self._owner
        edit.add_change("casefile", self._casefile, self._source)
        return SyncedPayload(
            casefile_id=self._casefile,
            **counts._asdict(),
            removed=removed,
            full=fetched.full,
            missing=list(fetched.missing[:_MAX_MISSING_LISTED]),
            missing_count=len(fetched.missing),
            sync_status="partial" if fetched.missing else "completed",
            synced_at=edit.now,
        )

    async def _record_failure(self, response: type[R], start: SyncStart, error: CallError) -> R:
        """Record why the sync failed. The casefile and its token are not changed."""
        async with open_unkeyed_write(self._database, self._ctx) as view:
            row = await get_or_add_sync(view, self._casefile, self._source)
            if (row.scope, row.token) == start.stored_state:
                row.status, row.error = "error", error.message
            synced_at = row.synced_at
        payload = SyncedPayload(
            casefile_id=self._casefile,
            stored=0,
            updated=0,
            skipped=0,
            removed=0,
            full=False,
            missing=[],
            missing_count=0,
            sync_status="failed",
            synced_at=synced_at,
        )
        self._ctx.emit(Changed("casefile", self._casefile, fields=(self._source,)))
        failure = Failure(code=error.code, message=error.message)
        return response(request_id=self._request.request_id, status=Status.FAILED, error=failure, payload=payload)
