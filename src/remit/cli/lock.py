"""``remit lock``: agree to what an application's code and inventory say today."""

from __future__ import annotations

from typing import Annotated

import typer

from remit.cli.apps import find_app, installed
from remit.cli.check import operations_of
from remit.inventory.changes import changes
from remit.inventory.lock import lock_file, lock_of, read_lock
from remit.schemas.finding import InventoryError, Step


def lock(
    app: Annotated[str, typer.Argument(metavar="APP", help="An installed application, or package.module:attribute.")],
) -> None:
    """Write the lock of an application beside its inventory, to be committed.

    Says what has changed since the last one, and which step of the version the changes need.
    """
    operations = operations_of(find_app(app, installed()))
    path, today = lock_file(operations), lock_of(operations)
    try:
        before = read_lock(path)
    except InventoryError as error:
        before = None
        print(f"{error.findings[0].where}: {error.findings[0].what}; what has changed since is not known")
    steps: set[Step] = set()
    for finding in changes(before, operations) if before is not None else ():
        steps.add(finding.step)
        print(f"{finding.step.value or 'mended':<7} {finding.what}")
    path.write_text(today.text(), encoding="utf-8")
    needed = next((step.value for step in (Step.MAJOR, Step.MINOR, Step.PATCH) if step in steps), "")
    print(f"{path}: {len(today.methods):,} methods, {len(today.tools):,} tools")
    if needed:
        print(f"the next version is a {needed.upper()} one")
