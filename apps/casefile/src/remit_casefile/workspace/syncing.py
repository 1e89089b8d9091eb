"""Brings a casefile's copies up to date with Google.

What comes is fetched first and written then, in one transaction with the token that the next sync begins with. So a
crash in between loses nothing and doubles nothing: the next sync fetches from the old token.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final, TypeVar

from remit import LeafContext
from remit.errors import CallError, ConflictError, NotFoundError
from remit.inventory import Failure, Request, Response, Status, method
from remit_casefile.casefiles.access import Level, casefile_at
from remit_casefile.google.settling import Patience
from remit_casefile.google.tools import Clients
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import DriveFile, GmailMessage, SheetRange
from remit_casefile.storage.work import Edit, View, editing, given, marking, viewing
from remit_casefile.workspace.copies import Copies, Table, sync_of
from remit_casefile.workspace.fetching import Begun, Came, cells_anew, new_files, new_mail, range_id
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

_SHOWN: Final = 20
_TABLES: Final[dict[Source, Table]] = {"gmail": GmailMessage, "drive": DriveFile, "sheets": SheetRange}


class Syncing:
    """Syncs casefiles with the one account of this process.

    Args:
        database: where the casefiles are.
        clients: of the account.
        patience: how long to wait where Google asks to.
    """

    def __init__(self, database: Database, clients: Clients, *, patience: Patience | None = None) -> None:
        self._database = database
        self._clients = clients
        self._patience = patience or Patience(sleep=asyncio.sleep)

    @method
    async def sync_gmail(self, ctx: LeafContext, request: SyncGmailRequest) -> SyncGmailResponse:
        """Bring the mail of a casefile up to date: new messages come, deleted ones go. Call again while partial."""

        async def fetch(begun: Begun) -> Came:
            return await new_mail(self._clients.gmail, begun, self._patience)

        asked = request.payload
        sync = _Sync(self._database, ctx, request, "gmail", asked.casefile_id, asked.label_id)
        return await sync.run(SyncGmailResponse, fetch)

    @method
    async def sync_drive(self, ctx: LeafContext, request: SyncDriveRequest) -> SyncDriveResponse:
        """Bring the files of a casefile up to date: new ones come, deleted ones go. Call again while partial."""

        async def fetch(begun: Begun) -> Came:
            return await new_files(self._clients.drive, begun, self._patience)

        asked = request.payload
        sync = _Sync(self._database, ctx, request, "drive", asked.casefile_id, asked.folder_id)
        return await sync.run(SyncDriveResponse, fetch)

    @method
    async def sync_sheets(self, ctx: LeafContext, request: SyncSheetsRequest) -> SyncSheetsResponse:
        """Read the cells of a casefile anew, and more cells from now on where a spreadsheet and ranges are named."""
        asked = request.payload

        async def fetch(begun: Begun) -> Came:
            async with viewing(self._database, ctx) as view:
                await casefile_at(view, asked.casefile_id, Level.EDITOR, request.operation)
                known = await Copies(view, asked.casefile_id, SheetRange).ids()
            wanted = known | {range_id(asked.spreadsheet_id or "", cells) for cells in asked.ranges}
            if not wanted:
                raise NotFoundError(f"No cells in casefile '{asked.casefile_id}'; give a spreadsheet_id and ranges.")
            return replace(await cells_anew(self._clients.sheets, wanted, self._patience), token=begun.token)

        sync = _Sync(self._database, ctx, request, "sheets", asked.casefile_id, None)
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
    ) -> None:
        self._database = database
        self._ctx = ctx
        self._request = request
        self._source: Source = source
        self._casefile = casefile_id
        self._scope = scope

    async def run(self, response: type[R], fetch: Callable[[Begun], Awaitable[Came]]) -> R:
        """Fetch what is new, then write it."""
        done = await given(self._database, self._ctx, self._request, SyncedPayload)
        if done is None:
            begun = await self._begin()
            try:
                came = await fetch(begun)
            except CallError as error:
                return await self._failed(response, begun, error)
            done = await editing(
                self._database, self._ctx, self._request, SyncedPayload, lambda edit: self._write(edit, begun, came)
            )
        return response.completed(self._request, done)

    async def _look(self, view: View) -> None:
        """Look at the access list, before and after: fetching takes its time."""
        await casefile_at(view, self._casefile, Level.EDITOR, self._request.operation)

    async def _begin(self) -> Begun:
        """Say that a sync has begun; from where. Another label or folder begins at the beginning."""
        async with marking(self._database, self._ctx) as view:
            await self._look(view)
            row = await sync_of(view, self._casefile, self._source)
            row.status = "syncing"
            seen = (row.scope, row.token)
            if self._scope is None or self._scope == row.scope:
                return Begun(scope=row.scope, token=row.token, seen=seen)
            return Begun(scope=self._scope, token=None, seen=seen)

    async def _write(self, edit: Edit, begun: Begun, came: Came) -> SyncedPayload:
        await self._look(edit)
        row = await sync_of(edit, self._casefile, self._source)
        if (row.scope, row.token) != begun.seen:
            raise ConflictError(f"another sync of {self._source} has ended meanwhile in {self._casefile}: look there")
        copies = Copies(edit, self._casefile, _TABLES[self._source])
        counts = await copies.put(came.things, overwrite=True, kept=False)
        gone = set(came.removed)
        if came.present is not None:
            gone |= await copies.ids() - set(came.present) - {each.what for each in came.missing}
        removed = await copies.drop(gone)
        row.status, row.scope, row.token, row.synced_at, row.error = "idle", begun.scope, came.token, edit.now, None
        return SyncedPayload(
            casefile_id=self._casefile,
            **counts._asdict(),
            removed=removed,
            full=came.full,
            missing=list(came.missing[:_SHOWN]),
            missing_count=len(came.missing),
            sync_status="partial" if came.missing else "completed",
            synced_at=edit.now,
        )

    async def _failed(self, response: type[R], begun: Begun, error: CallError) -> R:
        """Say why nothing came. The casefile is as it was, and so is its token."""
        async with marking(self._database, self._ctx) as view:
            row = await sync_of(view, self._casefile, self._source)
            if (row.scope, row.token) == begun.seen:
                row.status, row.error = "error", error.message
            synced_at = row.synced_at
        nothing = SyncedPayload(
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
        failure = Failure(code=error.code, message=error.message)
        return response(request_id=self._request.request_id, status=Status.FAILED, error=failure, payload=nothing)
