"""What is new at Google for one casefile, before anything is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from remit.errors import CallError
from remit_casefile.google.drive import DriveClient
from remit_casefile.google.drive_sync import DriveSync
from remit_casefile.google.failures import AnswerError
from remit_casefile.google.gmail import GmailClient
from remit_casefile.google.mailbox_sync import MailboxSync
from remit_casefile.google.payloads.sheets import BatchGet, ValueRange, ValueRanges
from remit_casefile.google.payloads.sync import Missing
from remit_casefile.google.settling import Patience
from remit_casefile.google.sheets import SheetsClient
from remit_casefile.google.sync import missing, waiting
from remit_casefile.workspace.stored_payloads import CellsView

MOST: Final = 500
"""How many messages one sync reads, so that it ends in time. The next one goes on."""

_RANGES: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """From where a sync goes on: the label or folder, empty for everything, and the token of the last one.

    ``seen`` is what the casefile had of both when the sync began: another sync that ends meanwhile changes it.
    """

    scope: str
    token: str | None
    seen: tuple[str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """What a sync brought. ``present``: after one that saw everything, the ids of all there is; else None."""

    things: Mapping[str, BaseModel]
    removed: Collection[str] = ()
    present: Collection[str] | None = None
    missing: Sequence[Missing] = ()
    full: bool = True
    token: str | None = None


async def new_mail(gmail: GmailClient, begun: Begun, patience: Patience | None) -> Came:
    """The messages that are new or changed."""
    sync = MailboxSync(gmail, label_id=begun.scope or None, most=MOST, patience=patience)
    synced = await sync.sync(begun.token)
    return Came(
        things={message.id: message for message in synced.messages},
        removed=synced.removed,
        present=synced.present,
        missing=synced.missing,
        full=synced.full,
        token=synced.sync_token,
    )


async def new_files(drive: DriveClient, begun: Begun, patience: Patience | None) -> Came:
    """The files that are new or changed."""
    synced = await DriveSync(drive, folder_id=begun.scope or None, patience=patience).sync(begun.token)
    return Came(
        things={file.id: file for file in synced.files},
        removed=synced.removed,
        present=synced.present,
        missing=synced.missing,
        full=synced.full,
        token=synced.sync_token,
    )


async def cells_anew(sheets: SheetsClient, wanted: Iterable[str], patience: Patience) -> Came:
    """The cells of those ranges, each named by `range_id`, as they are now.

    Raises:
        CallError: not one could be had.
    """
    by_spreadsheet = defaultdict[str, list[str]](list)
    for each in sorted(set(wanted)):
        spreadsheet_id, _, cells = each.partition("/")
        by_spreadsheet[spreadsheet_id].append(cells)
    things, lacks, last = dict[str, CellsView](), list[Missing](), None
    for spreadsheet_id, ranges in by_spreadsheet.items():
        for start in range(0, len(ranges), _RANGES):
            some = ranges[start : start + _RANGES]
            try:
                read = await waiting(lambda asked=some, of=spreadsheet_id: _read(sheets, of, asked), patience)
            except CallError as error:
                lacks.append(missing(spreadsheet_id, error))
                last = error
            else:
                named = zip(some, read, strict=True)
                things |= {range_id(spreadsheet_id, cells): view(spreadsheet_id, cells, of) for cells, of in named}
    if last is not None and not things:
        raise last
    return Came(things=things, missing=lacks)


def range_id(spreadsheet_id: str, cells: str) -> str:
    """How a casefile names cells. The id of a spreadsheet has no slash in it."""
    return f"{spreadsheet_id}/{cells}"


def view(spreadsheet_id: str, cells: str, of: ValueRange) -> CellsView:
    """Cells, under the range that was asked for: Google may answer with another spelling of it."""
    return CellsView(spreadsheet_id=spreadsheet_id, range=cells, values=of.values)


async def _read(sheets: SheetsClient, spreadsheet_id: str, ranges: list[str]) -> list[ValueRange]:
    read: ValueRanges = await sheets.batch_get(BatchGet(spreadsheet_id=spreadsheet_id, ranges=ranges))
    if len(read.value_ranges) != len(ranges):
        raise AnswerError(f"Google gave {len(read.value_ranges)} of {len(ranges)} ranges of {spreadsheet_id}")
    return read.value_ranges
