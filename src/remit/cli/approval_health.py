"""``remit approvals health``: how questions were answered, and advice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec import to_builtins

from remit.cli.client import open_client
from remit.cli.periods import SinceOption, parse_since
from remit.cli.policy_trial import PolicyAppOption, find_policy_app
from remit.cli.text import format_duration, json_text, one_line

if TYPE_CHECKING:
    from remit.trial.health import ApprovalHealth


def health(
    *,
    since: SinceOption = "30d",
    app: PolicyAppOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Show how questions were answered, with advice.

    `unread` were answered in under 2 seconds, and `edited` approved with other arguments. `time` is the median time to
    an answer. Advice needs 20 answers. It was tried on the calls of the period: `would change` counts the calls that it
    would change, and the runs are listed with --json.
    """
    with open_client() as client:
        begin = parse_since(since, client.clock())
        found = client.wait(client.client_of(find_policy_app(app)).approval_health(since=begin))
    if as_json:
        print(json_text({"approvals": [_fields(each) for each in found]}))
        return
    from remit.cli.tables import make_table, print_table

    table = make_table(
        "tool", "rule", "asked", "approved", "denied", "edited", "expired", "unread", "time", "advice", "would change"
    )
    for each in found:
        numbers = (each.asked, each.approved, each.denied, each.edited, each.expired, each.unread)
        seconds = "" if each.median_seconds is None else format_duration(each.median_seconds)
        changes = sum(group.calls for group in each.changes)
        change = f"{changes:,}" if each.changes else ""
        table.add_row(each.tool, one_line(each.rule), *map(str, numbers), seconds, each.advice or "", change)
    print_table(table)


def _fields(health: ApprovalHealth) -> Any:
    return to_builtins(health)
