"""``remit runs``: list runs."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated

import typer

from remit.cli.client import open_client
from remit.cli.text import format_cost, format_duration, json_text, one_line
from remit.journal.ports import RunRow


def runs(
    *,
    conversation: Annotated[str, typer.Option(metavar="NAME", help="Only the runs of one conversation.")] = "",
    target: Annotated[str, typer.Option(metavar="TARGET", help="Only the runs of one target.")] = "",
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="The maximum number of runs.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """List runs, newest first.

    Lists your own runs, or all of your tenant if you hold runs:read (for the target, if you name one).
    """
    with open_client() as client:
        rows = client.wait(client.reader.runs(conversation=conversation, target=target, limit=limit)).items
        usage = {row.run: client.usage(client.wait(client.reader.items(row.run))) for row in rows}
    if as_json:
        print(json_text({"runs": [{**asdict(row), "usage": usage[row.run]._asdict()} for row in rows]}))
        return
    from remit.cli.tables import make_table, print_table

    listing = make_table(
        "run", "status", "application", "callee", "by", "target", "conversation", "started", "took", "tokens", "cost"
    )
    for row in rows:
        listing.add_row(
            row.run,
            row.status,
            row.application,
            row.callee,
            one_line(row.principal),
            row.target,
            one_line(row.conversation),
            datetime.fromtimestamp(row.opened).astimezone().strftime("%Y-%m-%d %H:%M:%S"),
            _duration(row),
            f"{usage[row.run].tokens:,}",
            format_cost(usage[row.run].cost),
        )
    print_table(listing)


def _duration(row: RunRow) -> str:
    return format_duration(row.ended - row.opened) if row.ended else ""
