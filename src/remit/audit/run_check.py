"""Compares one run of the journal with the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from remit.audit.log import LogEntry, advance_head
from remit.audit.report import AuditFault
from remit.errors import BrokenJournalError, JournalFormatError
from remit.journal.codec import find_broken_link
from remit.journal.index import run_row_from_header
from remit.journal.ports import Store
from remit.record.items import ErasedItem, Position, RunFinished, RunOpened


@dataclass(slots=True)
class LoggedRun:
    """The heads of a run in the log, by seq, and the seq up to which the anchor covers it."""

    heads: dict[int, str] = field(default_factory=dict[int, str])
    anchored_through: int = -1

    def add_entry(self, entry: LogEntry, *, anchored: bool) -> None:
        """Add an entry about the run."""
        self.heads[entry.last] = entry.head
        if anchored:
            self.anchored_through = max(self.anchored_through, entry.last)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFindings:
    """The result of checking one run.

    ``oldest_unanchored`` is the time of the first item that the anchor does not cover.
    """

    faults: list[AuditFault]
    items: int = 0
    erased: int = 0
    oldest_unanchored: float | None = None


async def check_run(store: Store, run: str, logged_run: LoggedRun) -> RunFindings:
    """Compare a run with the log. Unreadable items are faults."""
    try:
        positions = await store.read(run)
        faults = _find_chain_faults(run, positions, logged_run)
        faults += [] if faults else await _find_index_faults(store, run, positions)
        return RunFindings(
            faults=faults,
            items=len(positions),
            erased=sum(isinstance(position.item, ErasedItem) for position in positions),
            oldest_unanchored=next(
                (float(position.at) for position in positions if position.seq > logged_run.anchored_through), None
            ),
        )
    except JournalFormatError as error:
        seq = await _find_unreadable_item(store, run)
        return RunFindings(faults=[AuditFault(run=run, seq=seq, what=f"the item cannot be read: {error.message}")])
    except BrokenJournalError as error:
        return RunFindings(faults=[AuditFault(run=run, seq=0, what=error.message)])
    except (TypeError, ValueError, AttributeError) as error:  # a column holds a value that no store wrote
        return RunFindings(faults=[AuditFault(run=run, seq=0, what=f"an item of the run has an unknown form: {error}")])


def _find_chain_faults(run: str, positions: Sequence[Position], logged_run: LoggedRun) -> list[AuditFault]:
    last = max(logged_run.heads, default=-1)
    broken = find_broken_link(positions)
    if broken is not None:
        return [AuditFault(run=run, seq=broken, what="the item was changed or moved after it was written")]
    if len(positions) <= last:
        what_is_missing = "the run was removed" if not positions else f"the run ends here, but had items up to {last}"
        return [AuditFault(run=run, seq=len(positions), what=what_is_missing)]
    head, last_verified = "", -1
    for position in positions[: last + 1]:
        head = advance_head(head, position)
        logged_head = logged_run.heads.get(position.seq, head)
        if logged_head != head:
            what = f"the items {last_verified + 1} to {position.seq} differ from those that were entered"
            return [AuditFault(run=run, seq=last_verified + 1, what=what)]
        last_verified = position.seq if position.seq in logged_run.heads else last_verified
    return []


async def _find_index_faults(store: Store, run: str, positions: Sequence[Position]) -> list[AuditFault]:
    """Compare the index row of the run with its items."""
    row = await store.find_run(run)
    if row is None:
        return [AuditFault(run=run, seq=0, what="the run is missing from the index")]
    header, end = positions[0], positions[-1]
    if not isinstance(header.item, RunOpened):
        return []
    expected = run_row_from_header(header, header.item)
    if isinstance(end.item, RunFinished):
        expected = replace(expected, status=end.item.status, ended=end.at)
    else:
        expected = replace(expected, status=row.status, ended=row.ended)
    return [] if expected == row else [AuditFault(run=run, seq=0, what="its row in the index does not match its items")]


async def _find_unreadable_item(store: Store, run: str) -> int:
    """The seq of a run's last unreadable item. Every read that begins before it fails."""
    low, high = -1, 0
    while await _read_fails(store, run, high):
        low, high = high, high * 2 + 1
    while high - low > 1:
        middle = (low + high) // 2
        if await _read_fails(store, run, middle):
            low = middle
        else:
            high = middle
    return high


async def _read_fails(store: Store, run: str, after: int) -> bool:
    try:
        await store.read(run, after=after)
    except JournalFormatError:
        return True
    return False
