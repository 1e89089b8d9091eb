"""``remit resume``: resume a run that was interrupted or is waiting."""

from __future__ import annotations

import shlex
import sys
from typing import Annotated

import typer

from remit.app import App
from remit.cli.client import LocalClient, open_client
from remit.cli.needed_models import check_models
from remit.cli.options import WAIT_SECONDS, RunAppOption, WaitOption
from remit.cli.report import ReportOptions, app_option, name_app, report_result
from remit.cli.status import UsageError
from remit.errors import LeaseError
from remit.journal.ports import RunRow


def resume(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run; see: remit runs.")],
    *,
    app: RunAppOption = "",
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="NAME", help="Continue without this rule, layer or limit; repeatable."),
    ] = None,
    reason: Annotated[str, typer.Option("--reason", help="Why the run continues without it; recorded.")] = "",
    wait: WaitOption = WAIT_SECONDS,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> int:
    """Resume an interrupted or decided run.

    Completed calls are not repeated. If another process executes the run, the command waits for its result.

    If the application no longer has the rules, layers or limits under which a run was opened, the run is stalled, and
    its reason names them. With the permission runs:loosen, --without continues it.

    Exit status: 0 done, or open for calls, 1 failed, 2 usage, 3 waiting for a decision, or stalled.
    """
    if reason and not without:
        raise UsageError("--reason needs --without NAME: it says why the run continues without it")
    with open_client() as client:
        row = client.get_readable_run(run)
        if without and not reason.strip():
            option = app_option(name_app(app, row.application))
            names = " ".join(f"--without {shlex.quote(each)}" for each in without)
            raise UsageError(f"say why: remit resume {run}{option} {names} --reason WHY")
        found = prepare_app(client, row, app)
        if without:
            client.wait(client.client_of(found).loosen(run, without=without, reason=reason))
        return resume_run(client, row, found, app_reference=app, wait=wait, as_json=as_json)


def prepare_app(client: LocalClient, row: RunRow, app_reference: str) -> App:
    """The application of a run, after a check that every model it can reach is available.

    Raises:
        SetupError: the application or a model is not available.
    """
    app = client.resolve_app(row, app_reference)
    check_models(client, app, row.callee)
    return app


def resume_run(
    client: LocalClient,
    row: RunRow,
    app: App,
    *,
    app_reference: str,
    wait: float,
    as_json: bool,
    decided_after: int | None = None,
    decided_question: str = "",
) -> int:
    """Resume a run and report its result. Waits ``wait`` seconds for a live process that executes the run.

    ``decided_after``: an executor continues the run after this item. ``decided_question``: the user has already seen
    its decision.

    Raises:
        LeaseError: another process still executes it.
    """
    from remit.cli.elsewhere import Elsewhere
    from remit.cli.resume_when_free import ResumeWhenFree
    from remit.cli.tables import make_console
    from remit.cli.terminal import Terminal

    terminal = Terminal(make_console(stderr=True), app, shows_answers=sys.stdout.isatty() and not as_json)
    terminal.announced_decisions.add(decided_question)
    runtime = client.runtime(app, terminal)
    with terminal.show_busy(row.callee):
        if decided_after is not None:
            execution = Elsewhere(client=client, terminal=terminal, run=row.run, patience=wait, after=decided_after)
            if not execution.wait_until_free():
                raise LeaseError(f"an executor continues run {row.run}")
        resume_when_free = ResumeWhenFree(client=client, runtime=runtime, terminal=terminal, patience=wait)
        result = resume_when_free(row.run, lambda: client.find_run(row.run))
    options = ReportOptions(
        as_json=as_json,
        application=row.application,
        conversation=row.conversation,
        app_reference=app_reference,
        follower=terminal.follower,
    )
    return report_result(client, result, options)
