"""Tamper evidence outside the journal: a log of the heads of runs, and its anchor."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.audit.anchor import Anchor, FileAnchor, LogHead
    from remit.audit.audit import Audit
    from remit.audit.report import AuditFault, AuditReport

__all__ = [
    "Anchor",
    "Audit",
    "AuditFault",
    "AuditReport",
    "FileAnchor",
    "LogHead",
]

if not TYPE_CHECKING:
    __getattr__ = lazy_exports(
        __name__,
        {
            "remit.audit.anchor": ("Anchor", "FileAnchor", "LogHead"),
            "remit.audit.audit": ("Audit",),
            "remit.audit.report": ("AuditFault", "AuditReport"),
        },
    )
