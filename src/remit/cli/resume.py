"""``remit resume``: drive a run on that was cut off, or that waited."""

from __future__ import annotations

from typing import Annotated

import typer

from remit.app import App
from remit.cli.desk import Desk, needs_model, open_desk
from remit.journal.ports import RunRow


def resume(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run; see: remit runs.")],
    *,
    app: Annotated[
        str, typer.Option(metavar="APP", help="Where its application is, as package.module:attribute.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Drive a run on that was cut off or had to wait.

    That is after its process died, or its questions were decided. What was done is not done again.

    Exit status: 0 done, 1 failed, 2 usage, 3 waiting for a decision.
    """
    with open_desk() as desk:
        row = desk.readable(run)
        return drive_on(desk, row, prepared(desk, row, app), where=app, as_json=as_json)


def prepared(desk: Desk, row: RunRow, where: str) -> App:
    """The application of a run, once it is sure that the model it needs is there.

    Raises:
        SetupError: application or model cannot be had.
    """
    app = desk.app_of(row, where)
    if needs_model(app, row.callee):
        desk.model.check()
    return app


def drive_on(desk: Desk, row: RunRow, app: App, *, where: str, as_json: bool) -> int:
    """Drive a run on and tell how it came out."""
    from remit.cli.lease import DrivingOn
    from remit.cli.outcome import Told, tell
    from remit.cli.terminal import Terminal, console

    terminal = Terminal(console(stderr=True), app)
    runtime = desk.runtime(app, terminal)
    with terminal.busy(row.callee):
        driving = DrivingOn(desk=desk, runtime=runtime, terminal=terminal)
        result = driving(row.run, lambda: desk.find(row.run))
    told = Told(
        as_json=as_json,
        application=row.application,
        conversation=row.conversation,
        where=where,
        following=terminal.following,
    )
    return tell(desk, result, told)
