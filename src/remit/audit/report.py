"""The result of verifying journal, log and anchor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from remit.audit.anchor import LogHead
from remit.audit.log import LogContents


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFault:
    """A difference between the journal, the log and the anchor.

    ``run`` and ``seq`` name the first item that may be affected. ``run`` is empty if the log itself is affected.
    """

    run: str = ""
    seq: int | None = None
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """The result of verifying one tenant.

    Args:
        faults: the differences found.
        runs: number of runs checked.
        items: number of items checked.
        erased: number of erased bodies, which are not faults.
        entries: number of log entries checked.
        anchored: number of entries that the anchor covers.
        lag: age in seconds of the oldest item that the anchor does not cover; 0 if it covers all.
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
        """Whether everything up to the last anchor is unchanged."""
        return not self.faults


def find_log_faults(contents: LogContents, anchored: Sequence[LogHead]) -> list[AuditFault]:
    """Find the faults within a log and in comparison with its anchored heads."""
    faults: list[AuditFault] = []
    number = len(contents.entries)
    if contents.broken_line is not None:
        faults.append(AuditFault(what=f"entry {number} of the log does not follow from those before it"))
    anchored_count = max((head.count for head in anchored), default=0)
    if anchored_count > number and contents.broken_line is None:
        what = (
            f"the log ends after {number} entries, but {anchored_count} were anchored: its "
            "tail was cut, or it was removed"
        )
        faults.append(AuditFault(what=what))
    forged = next((h for h in anchored if 0 < h.count <= number and contents.links[h.count - 1] != h.link), None)
    if forged is not None:
        entry = contents.entries[forged.count - 1]
        what = f"the log up to entry {entry.number} is not the one that was anchored"
        faults.append(AuditFault(run=entry.run, seq=entry.last, what=what))
    if number and not anchored_count:
        faults.append(AuditFault(what="the anchor has no head of this log, so its completeness cannot be verified"))
    return faults
