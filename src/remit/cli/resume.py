"""``remit resume``: drive a run on that was cut off, or that waited."""

from __future__ import annotations

from typing import Annotated

import typer

from remit.app import App
from remit.cli.client import LocalClient, needs_model, open_client
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
    with open_client() as client:
        row = client.get_readable_run(run)
        return resume_run(client, row, prepare_app(client, row, app), app_reference=app, as_json=as_json)


def prepare_app(client: LocalClient, row: RunRow, app_reference: str) -> App:
    """The application of a run, once it is sure that the model it needs is there.

    Raises:
        SetupError: application or model cannot be had.
    """
    app = client.resolve_app(row, app_reference)
    if needs_model(app, row.callee):
        client.model.check()
    return app


def resume_run(client: LocalClient, row: RunRow, app: App, *, app_reference: str, as_json: bool) -> int:
    """Drive a run on and tell how it came out."""
    from remit.cli.report import ReportOptions, report_result
    from remit.cli.resume_when_free import ResumeWhenFree
    from remit.cli.terminal import Terminal, make_console

    terminal = Terminal(make_console(stderr=True), app)
    runtime = client.runtime(app, terminal)
    with terminal.show_busy(row.callee):
        resume_when_free = ResumeWhenFree(client=client, runtime=runtime, terminal=terminal)
        result = resume_when_free(row.run, lambda: client.find_run(row.run))
    options = ReportOptions(
        as_json=as_json,
        application=row.application,
        conversation=row.conversation,
        app_reference=app_reference,
        follower=terminal.follower,
    )
    return report_result(client, result, options)
