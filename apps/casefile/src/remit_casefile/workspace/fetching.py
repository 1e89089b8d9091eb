"""Fetches the changes at Google for one casefile, before anything is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from remit.errors import CallError, InvalidArgumentsError
from remit_casefile.google.drive import DriveClient
from remit_casefile.google.drive_sync import DriveSync
from remit_casefile.google.errors import UnexpectedResponseError
from remit_casefile.google.gmail import GmailClient
from remit_casefile.google.mailbox_sync import MailboxSync
from remit_casefile.google.payloads.sheets import BatchGet, ValueRange, ValueRanges
from remit_casefile.google.payloads.sync import Missing
from remit_casefile.google.sheets import SheetsClient
from remit_casefile.google.sync import make_missing, retry_while_busy
from remit_casefile.google.write_confirmation import WaitSchedule
from remit_casefile.workspace.reading_payloads import CellsView

MAX_MESSAGES: Final = 500
"""How many messages one sync reads, so that it ends in time. The next one goes on."""

_RANGES_PER_REQUEST: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncStart:
    """The start of a sync: the label or folder, empty for everything, and the token of the last sync.

    ``stored_state`` is the casefile's value of both when the sync began: another sync that ends meanwhile changes it.
    """

    scope: str
    token: str | None
    stored_state: tuple[str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchResult:
    """The result of a fetch. ``present``: all existing ids after a full sync, else None."""

    items: Mapping[str, BaseModel]
    removed: Collection[str] = ()
    present: Collection[str] | None = None
    missing: Sequence[Missing] = ()
    full: bool = True
    token: str | None = None


async def fetch_mail(gmail: GmailClient, start: SyncStart, schedule: WaitSchedule | None) -> FetchResult:
    """Fetch the messages that are new or changed."""
    sync = MailboxSync(gmail, label_id=start.scope or None, max_messages=MAX_MESSAGES, schedule=schedule)
    synced = await sync.sync(start.token)
    return FetchResult(
        items={message.id: message for message in synced.messages},
        removed=synced.removed,
        present=synced.present,
        missing=synced.missing,
        full=synced.full,
        token=synced.sync_token,
    )


async def fetch_files(drive: DriveClient, start: SyncStart, schedule: WaitSchedule | None) -> FetchResult:
    """Fetch the files that are new or changed."""
    synced = await DriveSync(drive, folder_id=start.scope or None, schedule=schedule).sync(start.token)
    return FetchResult(
        items={file.id: file for file in synced.files},
        removed=synced.removed,
        present=synced.present,
        missing=synced.missing,
        full=synced.full,
        token=synced.sync_token,
    )


async def fetch_cells(sheets: SheetsClient, range_ids: Iterable[str], schedule: WaitSchedule) -> FetchResult:
    """Fetch the present cells of ranges, each named by `range_id`.

    Raises:
        CallError: no range could be read.
    """
    by_spreadsheet = defaultdict[str, list[str]](list)
    for each in sorted(set(range_ids)):
        spreadsheet_id, _, cells = each.partition("/")
        by_spreadsheet[spreadsheet_id].append(cells)
    items, missing_parts, last_error = dict[str, CellsView](), list[Missing](), None
    for spreadsheet_id, ranges in by_spreadsheet.items():
        for start in range(0, len(ranges), _RANGES_PER_REQUEST):
            read, errors = await _read_batch(
                sheets, spreadsheet_id, ranges[start : start + _RANGES_PER_REQUEST], schedule
            )
            items |= {range_id(spreadsheet_id, cells): cells_view(spreadsheet_id, cells, of) for cells, of in read}
            for what, error in errors.items():
                missing_parts.append(make_missing(what, error))
                last_error = error
    if last_error is not None and not items:
        raise last_error
    return FetchResult(items=items, missing=missing_parts)


def range_id(spreadsheet_id: str, cells: str) -> str:
    """The id of a range in a casefile. Ids of spreadsheets contain no slash."""
    return f"{spreadsheet_id}/{cells}"


def cells_view(spreadsheet_id: str, cells: str, value_range: ValueRange) -> CellsView:
    """The cells under the requested range, because Google may spell it differently."""
    return CellsView(spreadsheet_id=spreadsheet_id, range=cells, values=value_range.values)


async def _read_batch(
    sheets: SheetsClient, spreadsheet_id: str, ranges: list[str], schedule: WaitSchedule
) -> tuple[list[tuple[str, ValueRange]], dict[str, CallError]]:
    """The cells of ranges, and the errors of others, or of the spreadsheet. One bad range does not hide the others."""
    try:
        read = await retry_while_busy(lambda: _read_ranges(sheets, spreadsheet_id, ranges), schedule)
        return list(zip(ranges, read, strict=True)), {}
    except CallError as error:
        if not isinstance(error, (InvalidArgumentsError, UnexpectedResponseError)):
            return [], {spreadsheet_id: error}
        if len(ranges) == 1:
            return [], {range_id(spreadsheet_id, ranges[0]): error}
    found, errors = list[tuple[str, ValueRange]](), dict[str, CallError]()
    for each in ranges:
        read, failed = await _read_batch(sheets, spreadsheet_id, [each], schedule)
        found += read
        errors |= failed
    return found, errors


async def _read_ranges(sheets: SheetsClient, spreadsheet_id: str, ranges: list[str]) -> list[ValueRange]:
    read: ValueRanges = await sheets.batch_get(BatchGet(spreadsheet_id=spreadsheet_id, ranges=ranges))
    if len(read.value_ranges) != len(ranges):
        raise UnexpectedResponseError(
            f"Google gave {len(read.value_ranges)} of {len(ranges)} ranges of {spreadsheet_id}"
        )
    return read.value_ranges
