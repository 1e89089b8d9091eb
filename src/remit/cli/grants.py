"""``remit approvals grant``, ``grants`` and ``revoke``: a person's yes to calls that have not been made yet."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from remit.app import App
from remit.cli.apps import find_app, installed
from remit.cli.desk import open_desk
from remit.cli.legible import brief, json_text, lasting, one_line
from remit.cli.status import Status
from remit.contracts.grant import GrantRow

_Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]


def grant(
    app: Annotated[str, typer.Argument(metavar="APP", help="An installed application, or package.module:attribute.")],
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="The tool's name; see: remit tools APP.")],
    *,
    principal: Annotated[str, typer.Option("--for", metavar="USER", help="In whose runs.")],
    count: Annotated[int, typer.Option(metavar="N", help="How many calls.")],
    hours: Annotated[float, typer.Option(metavar="H", help="For how long.")],
    arguments: Annotated[
        str,
        typer.Option(
            metavar="JSON",
            help='What the arguments must be; what it does not name may be anything. {"$like": "blog-*"} is a shape.',
        ),
    ] = "{}",
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; the journal keeps it.")] = "",
    who: Annotated[
        str, typer.Option(metavar="PERMISSION", help="What the rule asks for that would ask, and you hold.")
    ] = "approvals:decide",
    as_json: _Json = False,
) -> int:
    """Allow calls of a tool beforehand: so many, for so long, in the runs of one user. Nobody is asked about them.

    The grant is void once the tool's definition or the policy changes.
    """
    with open_desk() as desk:
        giving = desk.runtime(find_app(app, installed())).grants.give(
            tool,
            by=desk.me,
            principal=principal,
            count=count,
            expires_in=hours * 3600,
            arguments=arguments,
            who=who,
            reason=reason,
        )
        given = desk.wait(giving)
    if as_json:
        print(json_text(_summary(GrantRow(given, 0, ""), given.given)))
    else:
        print(
            f"granted: {one_line(given.tool)}, grant {given.id}; take it back with: remit approvals revoke {given.id}"
        )
    return Status.DONE


def grants(
    *,
    everything: Annotated[bool, typer.Option("--all", help="Those that are used up, over or revoked, too.")] = False,
    as_json: _Json = False,
) -> None:
    """List the grants that stand, oldest first."""
    with open_desk() as desk:
        found = desk.wait(desk.store.grants(tenant=desk.me.tenant))
        now = desk.clock()
    rows = [row for row in found if everything or row.stands(now)]
    if as_json:
        print(json_text({"grants": [_summary(row, now) for row in rows]}))
        return
    from remit.cli.terminal import draw, table

    shown = table("grant", "status", "tool", "for", "arguments", "used", "over in", "given by")
    for row in rows:
        each = row.grant
        used = f"{row.used} of {each.count}"
        left = lasting(each.expires - now) if each.expires > now else "-"
        who = (one_line(each.principal), brief(each.arguments) or "any")
        shown.add_row(each.id, _status(row, now), one_line(each.tool), *who, used, left, one_line(each.by))
    draw(shown)


def revoke(
    grant: Annotated[str, typer.Argument(metavar="GRANT", help="The id of a grant; see: remit approvals grants.")],
    *,
    as_json: _Json = False,
) -> int:
    """Take a grant back. What has started by it goes on; what has not does not start."""
    with open_desk() as desk:
        desk.wait(desk.runtime(App(name="")).grants.revoke(grant, by=desk.me))
    if as_json:
        print(json_text({"grant": grant, "status": "revoked"}))
    else:
        print(f"revoked: grant {grant}", file=sys.stderr)
    return Status.DONE


def _summary(row: GrantRow, now: float) -> dict[str, object]:
    named = ("id", "tenant", "tool", "arguments", "principal", "who", "by", "given", "expires", "count", "reason")
    said = {name: getattr(row.grant, name) for name in named}
    return {**said, "used": row.used, "status": _status(row, now), "revoked": row.revoked}


def _status(row: GrantRow, now: float) -> str:
    if row.revoked:
        return "revoked"
    if row.used >= row.grant.count:
        return "used up"
    return "standing" if row.grant.expires > now else "over"
