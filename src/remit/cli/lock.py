"""``remit lock``: record the current contracts of an application."""

from __future__ import annotations

from typing import Annotated

import typer

from remit.cli.apps import find_app, installed_apps
from remit.cli.check import offered_callees, require_operations
from remit.cli.options import AppArgument
from remit.cli.status import ExitStatus
from remit.inventory.lock import Loosening, build_lock, lock_path, read_lock
from remit.inventory.lock_diff import diff_lock
from remit.record.secret import redact_secrets
from remit.schemas.finding import GovernanceChange, InventoryError, VersionBump


def lock(
    app: AppArgument,
    *,
    loosen: Annotated[str, typer.Option(help="Accept changes that loosen governance, for this reason.")] = "",
) -> int:
    """Write the lock file of an application's inventory.

    Commit it with the inventory.
    Prints what has changed since the last lock, and the version bump that the changes need. Changes that loosen
    governance are accepted with --loosen only, and so is a lock that cannot be read or was edited by hand; the lock
    file keeps them with the reason.

    Exit status: 0 written, 1 governance would be loosened without a reason, 2 usage.
    """
    found = find_app(app, installed_apps())
    operations, callees = require_operations(found), offered_callees(found)
    path, today = lock_path(operations), build_lock(operations, callees)
    looser: list[str] = []
    try:
        before = read_lock(path)
    except InventoryError as error:
        before = None
        looser.append(error.findings[0].what)
        print(f"{error.findings[0].where}: {error.findings[0].what}; changes since then are unknown")
    findings = list(diff_lock(before, operations, callees)) if before is not None else []
    steps = {finding.bump for finding in findings}
    for finding in findings:
        direction = finding.governance.value
        print(f"{finding.bump.value or 'mended':<7} {finding.what}{direction and f' ({direction})'}")
    looser += [finding.what for finding in findings if finding.governance is GovernanceChange.LOOSER]
    if looser and not loosen.strip():
        print('not written, because governance would be loosened; accept that by name: --loosen "the reason"')
        return ExitStatus.FAILED
    accepted = [Loosening(reason=redact_secrets(loosen.strip()), changes=looser)] if looser else []
    today = today.model_copy(update={"loosened": [*(before.loosened if before is not None else ()), *accepted]})
    path.write_text(today.to_text(), encoding="utf-8")
    needed = next(
        (step.value for step in (VersionBump.MAJOR, VersionBump.MINOR, VersionBump.PATCH) if step in steps), ""
    )
    parts = {"method": today.methods, "tool": today.tools, "agent": today.agents}
    counts = [f"{len(entries):,} {noun}{'' if len(entries) == 1 else 's'}" for noun, entries in parts.items()]
    print(f"{path}: {', '.join(counts)}")
    if needed:
        print(f"the next version is a {needed.upper()} one")
    return ExitStatus.DONE
