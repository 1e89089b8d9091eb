"""``remit runs``: list runs."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec import to_builtins

from remit.cli.client import open_client
from remit.cli.text import format_cost, format_duration, format_time, json_text, one_line

if TYPE_CHECKING:
    from remit.client.listed_run import ListedRun


def runs(
    *,
    conversation: Annotated[str, typer.Option(metavar="NAME", help="Only the runs of one conversation.")] = "",
    target: Annotated[str, typer.Option(metavar="TARGET", help="Only the runs of one target.")] = "",
    status: Annotated[str, typer.Option(metavar="STATUS", help="Only the runs with this status: scheduled, …")] = "",
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="The maximum number of runs.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """List runs, newest first. `due` is the time of a scheduled run, or of the next try of a stalled one.

    `title` is the beginning of the prompt or of the first text among the arguments, or the name of a session. `calls`
    are those that the run made and that have ended; a direct call counts itself.

    Lists your own runs, or all of your tenant if you hold runs:read (for the target, if you name one). Your tenant is
    in config.toml. That of a run is the tenant of its principal: of a program's, "default" unless it gives another.
    """
    with open_client() as client:
        chosen: Any = status  # the reader refuses unknown values
        page = client.reader.runs(status=chosen, conversation=conversation, target=target, limit=limit)
        rows = client.wait(page).items
    if as_json:
        print(json_text({"runs": [_fields(row) for row in rows]}))
        return
    if not rows:
        who = f"{one_line(client.principal.name)} of the tenant {one_line(client.principal.tenant)}"
        print(f"no runs that {who} may see; those of a program have the tenant of its Principal", file=sys.stderr)
        return
    from remit.cli.tables import make_table, print_table

    listing = make_table(*_COLUMNS)
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
            format_time(row.due),
            _duration(row),
            f"{row.calls:,}",
            f"{row.usage.tokens:,}",
            format_cost(row.usage.cost),
            one_line(row.title),
        )
    print_table(listing)


_COLUMNS: Final = (
    *("run", "status", "application", "callee", "by", "target", "conversation"),
    *("started", "due", "took", "calls", "tokens", "cost", "title"),
)


def _fields(row: ListedRun) -> dict[str, Any]:
    failure = None if row.failure is None else to_builtins(row.failure)
    fields = {**asdict(row), "usage": row.usage._asdict(), "failure": failure}
    return fields if row.due else {name: value for name, value in fields.items() if name != "due"}


def _duration(row: ListedRun) -> str:
    return format_duration(row.ended - row.opened) if row.ended else ""
