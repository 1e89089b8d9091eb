"""Tamper evidence outside the journal: a log of the heads of runs, and its anchor."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.audit.anchor import Anchor as Anchor
    from remit.audit.anchor import FileAnchor as FileAnchor
    from remit.audit.anchor import LogHead as LogHead
    from remit.audit.audit import Audit as Audit
    from remit.audit.report import AuditFault as AuditFault
    from remit.audit.report import AuditReport as AuditReport
else:
    __getattr__ = lazy_exports(__name__)
