"""``remit lock``: record the current contracts of an application."""

from __future__ import annotations

from remit.cli.apps import find_app, installed_apps
from remit.cli.check import require_operations
from remit.cli.options import AppArgument
from remit.inventory.lock import build_lock, lock_path, read_lock
from remit.inventory.lock_diff import diff_lock
from remit.schemas.finding import InventoryError, VersionBump


def lock(app: AppArgument) -> None:
    """Write the lock file of an application's inventory.

    Commit it with the inventory.
    Prints what has changed since the last lock, and the version bump that the changes need.
    """
    operations = require_operations(find_app(app, installed_apps()))
    path, today = lock_path(operations), build_lock(operations)
    try:
        before = read_lock(path)
    except InventoryError as error:
        before = None
        print(f"{error.findings[0].where}: {error.findings[0].what}; changes since then are unknown")
    steps: set[VersionBump] = set()
    for finding in diff_lock(before, operations) if before is not None else ():
        steps.add(finding.bump)
        print(f"{finding.bump.value or 'mended':<7} {finding.what}")
    path.write_text(today.to_text(), encoding="utf-8")
    needed = next(
        (step.value for step in (VersionBump.MAJOR, VersionBump.MINOR, VersionBump.PATCH) if step in steps), ""
    )
    print(f"{path}: {len(today.methods):,} methods, {len(today.tools):,} tools")
    if needed:
        print(f"the next version is a {needed.upper()} one")
