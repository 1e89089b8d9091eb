"""``remit replay``: compare a run with what today's code would do."""

from __future__ import annotations

from typing import Annotated

import typer

from remit.cli.client import open_client
from remit.cli.options import RunAppOption
from remit.cli.status import ExitStatus
from remit.cli.text import escape_controls, json_text


def replay(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run; see: remit runs.")],
    *,
    app: RunAppOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> int:
    """Compare a run with what today's code would do.

    The run is executed again with model and tools answered from its journal, and compared byte for byte. Nothing is
    written and no tool runs. Also names the tools whose definition has changed since the run called them.

    Exit status: 0 identical, 1 different.
    """
    with open_client() as client:
        runtime = client.runtime(client.resolve_app(client.get_readable_run(run), app))
        report = client.wait(runtime.replay(run))
    if as_json:
        changed = {"changedTools": report.changed_tools} if report.changed_tools else {}
        summary = {"run": run, "identical": report.is_identical, "compared": report.compared_count, **changed}
        print(json_text(summary | ({} if report.is_identical else {"difference": report.difference})))
    elif report.is_identical:
        print(f"identical: {report.compared_count} messages and ends of calls, to the byte")
    else:
        print(f"different, after {report.compared_count} that are identical: {escape_controls(report.difference)}")
    if report.changed_tools and not as_json:
        print(f"changed since the run: {', '.join(report.changed_tools)}")
    return ExitStatus.DONE if report.is_identical else ExitStatus.FAILED
