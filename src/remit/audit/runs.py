"""Holds one run of the journal against what the log says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from remit.audit.log import Entry, advance
from remit.audit.report import AuditFault
from remit.contracts.items import Erased, Finished, Opened, Position
from remit.core.frozen import frozen
from remit.errors import FormatError
from remit.journal.codec import broken_link
from remit.journal.index import row_of
from remit.journal.ports import Store


@dataclass(slots=True)
class RunCheck:
    """What the log says of a run: its head at each seq that was entered, and up to where the anchor covers it."""

    heads: dict[int, str] = field(default_factory=dict[int, str])
    covered: int = -1

    def enter(self, entry: Entry, *, anchored: bool) -> None:
        """Take in an entry about the run."""
        self.heads[entry.last] = entry.head
        if anchored:
            self.covered = max(self.covered, entry.last)


@frozen
class Seen:
    """What a look at one run has found; ``oldest`` is when the first item was written that the anchor lacks."""

    faults: list[AuditFault]
    items: int = 0
    erased: int = 0
    oldest: float | None = None


async def check_run(store: Store, run: str, check: RunCheck) -> Seen:
    """Hold a run against the log. What cannot even be read is not what was written."""
    try:
        positions = await store.read(run)
        faults = _faults(run, positions, check)
        faults += [] if faults else await _index_faults(store, run, positions)
        return Seen(
            faults=faults,
            items=len(positions),
            erased=sum(isinstance(position.item, Erased) for position in positions),
            oldest=next((float(position.at) for position in positions if position.seq > check.covered), None),
        )
    except FormatError as error:
        seq = await _unreadable(store, run)
        return Seen(faults=[AuditFault(run=run, seq=seq, what=f"the item cannot be read: {error.message}")])
    except (TypeError, ValueError, AttributeError) as error:  # a column that holds what no store has written there
        return Seen(faults=[AuditFault(run=run, seq=0, what=f"an item of the run is of no known form: {error}")])


def _faults(run: str, positions: Sequence[Position], check: RunCheck) -> list[AuditFault]:
    last = max(check.heads, default=-1)
    broken = broken_link(positions)
    if broken is not None:
        return [AuditFault(run=run, seq=broken, what="the item is not what was written, or not where it was written")]
    if len(positions) <= last:
        gone = "the run was removed" if not positions else f"the run ends here, and had items up to {last}"
        return [AuditFault(run=run, seq=len(positions), what=gone)]
    head, good = "", -1
    for position in positions[: last + 1]:
        head = advance(head, position)
        entered = check.heads.get(position.seq, head)
        if entered != head:
            what = f"the items {good + 1} to {position.seq} are not those that were entered"
            return [AuditFault(run=run, seq=good + 1, what=what)]
        good = position.seq if position.seq in check.heads else good
    return []


async def _index_faults(store: Store, run: str, positions: Sequence[Position]) -> list[AuditFault]:
    """Whether the line by which the run is found says what its items say."""
    row = await store.find_run(run)
    if row is None:
        return [AuditFault(run=run, seq=0, what="the run is not in the index any more")]
    header, end = positions[0], positions[-1]
    if not isinstance(header.item, Opened):
        return []
    said = row_of(header, header.item)
    if isinstance(end.item, Finished):
        said = replace(said, status=end.item.status, ended=end.at)
    else:
        said = replace(said, status=row.status, ended=row.ended)
    return [] if said == row else [AuditFault(run=run, seq=0, what="its line in the index is not what its items say")]


async def _unreadable(store: Store, run: str) -> int:
    """The seq of the last item of a run that cannot be read: every read that begins before it fails."""
    low, high = -1, 0
    while await _fails(store, run, high):
        low, high = high, high * 2 + 1
    while high - low > 1:
        middle = (low + high) // 2
        if await _fails(store, run, middle):
            low = middle
        else:
            high = middle
    return high


async def _fails(store: Store, run: str, after: int) -> bool:
    try:
        await store.read(run, after=after)
    except FormatError:
        return True
    return False
