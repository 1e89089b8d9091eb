"""``remit cancel``: cancel a run."""

from __future__ import annotations

from typing import Annotated

import typer

from remit.cli.client import open_client
from remit.cli.options import RunAppOption
from remit.cli.text import json_text


def cancel(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run; see: remit runs.")],
    *,
    app: RunAppOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Cancel a run, wherever it is executed.

    Its open calls end as cancelled, and its conversation can continue. A run that has already ended is not changed.
    """
    with open_client() as client:
        row = client.get_cancellable_run(run)
        status = client.wait(client.client_of(client.resolve_app(row, app)).cancel(run))
    if as_json:
        print(json_text({"run": run, "status": status}))
    elif status != "running":
        print(f"run {run} is {status}")
    else:
        print(f"run {run} is executed by another process, which was told to cancel it")
