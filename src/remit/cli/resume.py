"""``remit resume``: resume a run that was interrupted or is waiting."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from remit.app import App
from remit.cli.client import LocalClient, needs_model, open_client
from remit.cli.options import RunAppOption
from remit.journal.ports import RunRow


def resume(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run; see: remit runs.")],
    *,
    app: RunAppOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> int:
    """Resume an interrupted or decided run.

    Completed calls are not repeated.

    Exit status: 0 done, 1 failed, 2 usage, 3 waiting for a decision, or stalled.
    """
    with open_client() as client:
        row = client.get_readable_run(run)
        return resume_run(client, row, prepare_app(client, row, app), app_reference=app, as_json=as_json)


def prepare_app(client: LocalClient, row: RunRow, app_reference: str) -> App:
    """The application of a run, once its model is known to be available.

    Raises:
        SetupError: the application or its model is not available.
    """
    app = client.resolve_app(row, app_reference)
    if needs_model(app, row.callee):
        client.model.check()
    return app


def resume_run(client: LocalClient, row: RunRow, app: App, *, app_reference: str, as_json: bool) -> int:
    """Resume a run and report its result."""
    from remit.cli.report import ReportOptions, report_result
    from remit.cli.resume_when_free import ResumeWhenFree
    from remit.cli.tables import make_console
    from remit.cli.terminal import Terminal

    terminal = Terminal(make_console(stderr=True), app, shows_answers=sys.stdout.isatty() and not as_json)
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
