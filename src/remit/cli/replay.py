"""``remit replay``: does today's code do what the journal says?"""

from __future__ import annotations

from typing import Annotated

import typer

from remit.cli.desk import open_desk
from remit.cli.legible import json_text, legible
from remit.cli.status import Status


def replay(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run; see: remit runs.")],
    *,
    app: Annotated[
        str, typer.Option(metavar="APP", help="Where its application is, as package.module:attribute.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Compare a run with what today's code would do.

    It is driven again with model and world answered by its journal, and compared to the byte. Nothing is done.

    Exit status: 0 identical, 1 different.
    """
    with open_desk() as desk:
        runtime = desk.runtime(desk.app_of(desk.readable(run), app))
        report = desk.wait(runtime.replay(run))
    if as_json:
        summary = {"run": run, "identical": report.identical, "compared": report.compared}
        print(json_text(summary | ({} if report.identical else {"difference": report.difference})))
    elif report.identical:
        print(f"identical: {report.compared} messages and ends of calls, to the byte")
    else:
        print(f"different, after {report.compared} that are identical: {legible(report.difference)}")
    return Status.DONE if report.identical else Status.FAILED
