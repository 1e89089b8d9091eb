"""``remit show``: print the timeline of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Annotated

import typer
from msgspec import structs

from remit.agent.linking import all_callees
from remit.call.contract import Contract
from remit.cli.client import LocalClient, open_client
from remit.cli.options import RunAppOption
from remit.cli.receipt import receipt_lines
from remit.cli.report import app_option, describe_continuation, name_app
from remit.cli.status import ExitStatus
from remit.cli.text import describe_tokens, format_cost, format_time, json_text
from remit.cli.timeline import Timeline, TimelineEntry
from remit.errors import BrokenJournalError, RemitError
from remit.journal.codec import find_broken_link
from remit.journal.ports import RunRow
from remit.journal.rest import find_rest
from remit.record.items import Position
from remit.record.usage import UsageTotals
from remit.views.receipt import receipt_of


def show(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run; see: remit runs.")],
    *,
    app: RunAppOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print every item in one JSON object on stdout.")] = False,
) -> int:
    """Show what happened in a run, and when.

    Prints messages, calls with risk and duration, questions and decisions, and what was changed. Exit status 1 if the
    journal of the run was tampered with.
    """
    with open_client() as client:
        row = client.get_readable_run(run)
        positions = client.wait(client.reader.items(run))
        broken = find_broken_link(positions)
        usage = client.usage(positions)
        if as_json:
            items = [_item_fields(position) for position in positions]
            print(json_text({**asdict(row), "usage": usage._asdict(), "changedAt": broken, "items": items}))
        else:
            tools = _find_tools(client, row, app)
            timeline = Timeline(positions, tools)
            _draw(timeline.entries())
            print(_usage_line(usage))
            if at := timeline.view.continued_at:
                print(f"interrupted: its process ended in the middle; it went on at {format_time(at)}")
            print("\n".join(receipt_lines(receipt_of(timeline.view, tools.get))))
            if row.status == "stalled":
                print(_describe_stall(row, positions, app))
    if broken is not None:
        raise BrokenJournalError(f"item {broken} of run {run} does not verify; the journal was changed")
    return ExitStatus.DONE


def _draw(lines: Sequence[TimelineEntry]) -> None:
    from remit.cli.tables import make_table, print_table, risk_text

    listing = make_table("time", "what", "risk", "")
    for line in lines:
        listing.add_row(f"{line.offset:+.3f} s", line.label, risk_text(line.risk), "  " * line.depth + line.text)
    print_table(listing)


def _describe_stall(row: RunRow, positions: Sequence[Position], app: str) -> str:
    """How a stalled run continues."""
    rest = find_rest(each.item for each in positions)
    return describe_continuation(row.run, rest.lacks, rest.due, app_option(name_app(app, row.application)))


def _usage_line(usage: UsageTotals) -> str:
    tokens = describe_tokens(usage)
    requests = "1 request" if usage.requests == 1 else f"{usage.requests:,} requests"
    return f"{requests} to models: {tokens}, {format_cost(usage.cost) or 'at an unknown price'}"


def _find_tools(client: LocalClient, row: RunRow, app: str) -> Mapping[str, Contract]:
    """The present tools of the installed application by name; empty if it is not installed."""
    with suppress(RemitError):
        found = client.resolve_app(row, app)
        return {tool.name: tool for tool in all_callees([*found.agents, *found.tools])}
    return {}


def _item_fields(position: Position) -> dict[str, object]:
    return {
        "seq": position.seq,
        "epoch": position.epoch,
        "at": position.at,
        "kind": position.item.kind,
        **structs.asdict(position.item),
        "chain": position.chain.hex(),
    }
