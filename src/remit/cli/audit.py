"""``remit audit``: enter runs into the audit log, and detect later changes."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated, cast

import typer

from remit.audit.report import AuditReport
from remit.cli.client import LocalClient, open_client
from remit.cli.group import make_group
from remit.cli.status import ExitStatus, error_line
from remit.cli.text import json_text, one_line
from remit.errors import AuditError, RequestDeniedError

AUDIT_ALL_TENANTS = "audit:tenants"
"""The permission to read the audit of another tenant."""

ACCEPT_JOURNAL = "audit:accept"
"""The permission to accept the journal as it is."""

commands = make_group("Enter runs into the audit log, and detect later changes.")

_Anchor = Annotated[str, typer.Option(metavar="FILE", help="The anchor: a file, or package.module:attribute.")]
_Tenant = Annotated[str, typer.Option(metavar="NAME", help="Another tenant than your own.")]
_AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


@commands.command()
def seal(*, tenant: _Tenant = "", anchor: _Anchor = "", as_json: _AsJson = False) -> None:
    """Enter the state of every run into the audit log.

    The log is anchored afterwards.
    With REMIT_ANCHOR set, each run is entered automatically when it ends or suspends.
    """
    with open_client() as client:
        head = client.wait(client.audit(anchor).seal(_resolve_tenant(client, tenant)))
    if as_json:
        print(json_text({"head": asdict(head) if head else None}))
    elif head is None:
        print("there is no run to enter")
    else:
        print(f"tenant {one_line(head.tenant)}: {head.count} entries are anchored, the last is {head.link}")


@commands.command()
def verify(*, tenant: _Tenant = "", anchor: _Anchor = "", as_json: _AsJson = False) -> int:
    """Detect changes made before the last anchor.

    Compares the journal with the audit log, and the log with its anchor. Exit status 1 if anything was edited, deleted,
    reordered, truncated or removed.
    """
    with open_client() as client:
        report = client.wait(client.audit(anchor).verify(_resolve_tenant(client, tenant)))
    if as_json:
        print(json_text({**asdict(report), "intact": report.is_intact}))
    else:
        _print_report(report)
    if report.is_intact:
        return ExitStatus.DONE
    fault_count = len(report.faults)
    subject = "one thing is" if fault_count == 1 else f"{fault_count} things are"
    print(error_line(AuditError.code, f"{subject} different from the audit log"), file=sys.stderr)
    return ExitStatus.FAILED


@commands.command()
def accept() -> None:
    """Accept the journal as it is, if its key is lost.

    This also applies if its signatures do not match. Every row is signed again, with the key of the journal or with a
    new key if it has none. Rows that were changed are valid afterwards: run `remit audit verify` first, and check the
    open questions and grants.
    """
    with open_client() as client:
        if not client.principal.may(ACCEPT_JOURNAL):
            raise RequestDeniedError(
                f"{client.principal.name} may not accept the journal: missing permission {ACCEPT_JOURNAL}"
            )
        from remit.journal.sql.store import SqlStore

        client.wait(cast("SqlStore", client.store).accept_rows())  # the command line uses no other store
    print("every row of the journal is signed; check the open questions and grants")


def _resolve_tenant(client: LocalClient, tenant: str) -> str:
    if tenant not in ("", client.principal.tenant) and not client.principal.may(AUDIT_ALL_TENANTS):
        raise RequestDeniedError(
            f"{client.principal.name} may not read the audit of another tenant: missing permission {AUDIT_ALL_TENANTS}"
        )
    return tenant or client.principal.tenant


def _print_report(report: AuditReport) -> None:
    counts = f"{report.runs} runs, {report.items} items, {report.erased} of them erased"
    print(f"tenant {one_line(report.tenant)}: {counts}; {report.anchored} of {report.entries} entries are anchored")
    for fault in report.faults:
        location = f"run {fault.run}, item {fault.seq}: " if fault.run else ""
        print(one_line(f"{location}{fault.what}", max_length=400))
    if report.is_intact:
        print("everything up to the last anchor is unchanged")
    print(f"lag of the anchor: {report.lag:.1f} s")
