"""``remit cancel``: cancel a run."""

from __future__ import annotations

import sys
from typing import Annotated, Final

import typer

from remit.cli.client import open_client
from remit.cli.options import RunAppOption
from remit.cli.receipt import receipt_lines
from remit.cli.text import json_text
from remit.client.client import Client
from remit.errors import RequestNotFoundError
from remit.journal.index import UNFINISHED_STATUSES
from remit.journal.run_row import RunRow, RunStatus

_EARLIER_STATE: Final[dict[str, str]] = {
    "queued": "which had not begun",
    "running": "which had not ended",
    "open": "which waited for its next call",
    "waiting": "which waited for a decision",
    "stalled": "which waited for its next try",
    "scheduled": "which was to begin later",
}


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
        questions = [question.id for question in client.open_questions(row)]
        own = client.client_of(client.resolve_app(row, app))
        status = client.wait(own.cancel(run))
        lines = client.wait(_read_receipt(own, run))
    if as_json:
        print(json_text({"run": run, "status": status}))
        return
    print(_describe(row, status, questions))
    if row.status in UNFINISHED_STATUSES and status == "cancelled":
        for line in lines:
            print(line, file=sys.stderr)


async def _read_receipt(client: Client, run: str) -> list[str]:
    """The changes by the calls of a run; empty if the user may cancel the run but not read it."""
    try:
        return receipt_lines((await client.details(run)).receipt)
    except RequestNotFoundError:
        return []


def _describe(row: RunRow, status: RunStatus, questions: list[str]) -> str:
    """The effect of a command on a run. ``row`` and the open ``questions`` are from before the command."""
    if row.status not in UNFINISHED_STATUSES:
        return f"run {row.run} ended before as {row.status}; it is not changed"
    if status == "running":
        return f"run {row.run} is executed by another process, which was told to cancel it"
    if status != "cancelled":
        return f"run {row.run} was not cancelled: it is {status}; see: remit show {row.run}"
    closed = f"; nobody is asked any more: {', '.join(questions)}" if questions else ""
    return f"cancelled run {row.run}, {_EARLIER_STATE[row.status]}{closed}"
