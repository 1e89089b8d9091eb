"""What a look at journal, log and anchor has found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from remit.audit.anchor import LogHead
from remit.audit.log import LogContents


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFault:
    """Something is not what was entered.

    ``run`` and ``seq`` name the first item that may be concerned. ``run`` is empty where the log itself is.
    """

    run: str = ""
    seq: int | None = None
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What a look at one tenant has found.

    Args:
        runs, items, entries: how many were looked at. erased: bodies that were erased, which is no fault.
        anchored: how many entries the anchor covers.
        lag: for how many seconds the oldest item has been waiting that the anchor does not cover; 0 if it covers all.
    """

    tenant: str
    faults: tuple[AuditFault, ...]
    runs: int
    items: int
    erased: int
    entries: int
    anchored: int
    lag: float

    @property
    def is_intact(self) -> bool:
        """Whether everything up to the last anchor is what was entered."""
        return not self.faults


def find_log_faults(contents: LogContents, anchored: Sequence[LogHead]) -> list[AuditFault]:
    """What is wrong with a log by itself, and held against the heads that were anchored."""
    found: list[AuditFault] = []
    number = len(contents.entries)
    if contents.broken_line is not None:
        found.append(AuditFault(what=f"entry {number} of the log does not follow from those before it"))
    anchored_count = max((head.count for head in anchored), default=0)
    if anchored_count > number and contents.broken_line is None:
        what = (
            f"the log ends after {number} entries, and {anchored_count} were anchored: its "
            "tail was cut, or it was removed"
        )
        found.append(AuditFault(what=what))
    forged = next((h for h in anchored if 0 < h.count <= number and contents.links[h.count - 1] != h.link), None)
    if forged is not None:
        entry = contents.entries[forged.count - 1]
        what = f"the log up to entry {entry.number} is not the one that was anchored"
        found.append(AuditFault(run=entry.run, seq=entry.last, what=what))
    if number and not anchored_count:
        found.append(AuditFault(what="the anchor knows nothing of this log; whether it is whole cannot be told"))
    return found
