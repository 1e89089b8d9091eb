"""``remit audit``: enter runs into the audit log, and find what was changed since."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from remit.audit.report import AuditReport
from remit.cli.desk import Desk, open_desk
from remit.cli.group import group
from remit.cli.legible import json_text, one_line
from remit.cli.status import Status, line_of
from remit.errors import AuditError, RequestError

EVERY_TENANT = "audit:tenants"
"""The permission to look at the audit of another tenant."""

commands = group("Enter runs into the audit log, and find what was changed since.")

_Anchor = Annotated[
    str, typer.Option(metavar="FILE", help="Where it is anchored: a file, or package.module:attribute.")
]
_Tenant = Annotated[str, typer.Option(metavar="NAME", help="Of another tenant than one's own.")]
_Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]


@commands.command()
def seal(*, tenant: _Tenant = "", anchor: _Anchor = "", as_json: _Json = False) -> None:
    """Enter how far every run has come into the audit log, and anchor it.

    With REMIT_ANCHOR set, each run is entered by itself when it comes to rest.
    """
    with open_desk() as desk:
        head = desk.wait(desk.audit(anchor).seal(_tenant(desk, tenant)))
    if as_json:
        print(json_text({"head": asdict(head) if head else None}))
    elif head is None:
        print("there is no run to enter")
    else:
        print(f"tenant {one_line(head.tenant)}: {head.count} entries are anchored, the last is {head.link}")


@commands.command()
def verify(*, tenant: _Tenant = "", anchor: _Anchor = "", as_json: _Json = False) -> int:
    """Find what was changed up to the last anchor.

    Holds the journal against the audit log, and the log against its anchor. Exit status 1 if anything was edited,
    deleted, reordered, cut off or removed.
    """
    with open_desk() as desk:
        report = desk.wait(desk.audit(anchor).verify(_tenant(desk, tenant)))
    if as_json:
        print(json_text({**asdict(report), "intact": report.intact}))
    else:
        _tell(report)
    if report.intact:
        return Status.DONE
    many = len(report.faults)
    said = "one thing is" if many == 1 else f"{many} things are"
    print(line_of(AuditError.code, f"{said} not what was entered into the audit log"), file=sys.stderr)
    return Status.FAILED


def _tenant(desk: Desk, tenant: str) -> str:
    if tenant not in ("", desk.me.tenant) and not desk.me.may(EVERY_TENANT):
        raise RequestError(f"{desk.me.name} may not look at the audit of another tenant: it needs {EVERY_TENANT}")
    return tenant or desk.me.tenant


def _tell(report: AuditReport) -> None:
    counts = f"{report.runs} runs, {report.items} items, {report.erased} of them erased"
    print(f"tenant {one_line(report.tenant)}: {counts}; {report.anchored} of {report.entries} entries are anchored")
    for found in report.faults:
        where = f"run {found.run}, item {found.seq}: " if found.run else ""
        print(one_line(f"{where}{found.what}", most=400))
    if report.intact:
        print("everything up to the last anchor is what was written")
    print(f"lag of the anchor: {report.lag:.1f} s")
