"""``remit runs``: list runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from remit.cli.client import open_client
from remit.cli.text import format_cost, format_duration, format_time, json_text, one_line
from remit.journal.ports import RunRow
from remit.journal.rest import find_rest
from remit.record.items import Position


def runs(
    *,
    conversation: Annotated[str, typer.Option(metavar="NAME", help="Only the runs of one conversation.")] = "",
    target: Annotated[str, typer.Option(metavar="TARGET", help="Only the runs of one target.")] = "",
    status: Annotated[str, typer.Option(metavar="STATUS", help="Only the runs with this status: scheduled, …")] = "",
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="The maximum number of runs.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """List runs, newest first. `due` is the time of a scheduled run, or of the next try of a stalled one.

    Lists your own runs, or all of your tenant if you hold runs:read (for the target, if you name one). Your tenant is
    in config.toml. That of a run is the tenant of its principal: of a program's, "default" unless it gives another.
    """
    with open_client() as client:
        chosen: Any = status  # the reader refuses one that there is not
        page = client.reader.runs(status=chosen, conversation=conversation, target=target, limit=limit)
        rows = client.wait(page).items
        items = {row.run: client.wait(client.reader.items(row.run)) for row in rows}
        usage = {run: client.usage(each) for run, each in items.items()}
        due = {row.run: _due(row, items[row.run]) for row in rows}
    if as_json:
        print(json_text({"runs": [_fields(row, due[row.run]) | {"usage": usage[row.run]._asdict()} for row in rows]}))
        return
    if not rows:
        who = f"{one_line(client.principal.name)} of the tenant {one_line(client.principal.tenant)}"
        print(f"no runs that {who} may see; those of a program have the tenant of its Principal", file=sys.stderr)
        return
    from remit.cli.tables import make_table, print_table

    listing = make_table(
        "run",
        "status",
        "application",
        "callee",
        "by",
        "target",
        "conversation",
        "started",
        "due",
        "took",
        "tokens",
        "cost",
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
            format_time(row.opened),
            format_time(due[row.run]),
            _duration(row),
            f"{usage[row.run].tokens:,}",
            format_cost(usage[row.run].cost),
        )
    print_table(listing)


def _fields(row: RunRow, due: float) -> dict[str, object]:
    return {**asdict(row), **({"due": due} if due else {})}


def _due(row: RunRow, items: Sequence[Position]) -> float:
    """When a resting run continues automatically, in epoch seconds; 0 if it does not."""
    if row.status not in ("scheduled", "stalled"):
        return 0.0
    return find_rest(each.item for each in items).due


def _duration(row: RunRow) -> str:
    return format_duration(row.ended - row.opened) if row.ended else ""
