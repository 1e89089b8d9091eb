"""``remit approvals grant``, ``grants`` and ``revoke``: approve calls in advance."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from remit.cli.apps import find_app, installed_apps
from remit.cli.client import open_client
from remit.cli.options import AppArgument, TargetOption
from remit.cli.status import ExitStatus
from remit.cli.text import format_duration, json_text, one_line, summarize_arguments
from remit.record.grant import GrantRow

_AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def grant(
    app: AppArgument,
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="The tool's name; see: remit tools APP.")],
    *,
    principal: Annotated[
        str, typer.Option("--for", metavar="USER", help="The user in whose runs the calls may happen.")
    ],
    count: Annotated[int, typer.Option(metavar="N", help="The number of calls.")],
    hours: Annotated[float, typer.Option(metavar="H", help="How long the grant is valid, in hours.")],
    arguments: Annotated[
        str,
        typer.Option(
            metavar="JSON",
            help='The arguments that calls must have; others may be anything. {"$like": "blog-*"} matches a pattern.',
        ),
    ] = "{}",
    reason: Annotated[str, typer.Option(metavar="TEXT", help="The reason, kept in the journal.")] = "",
    who: Annotated[
        str, typer.Option(metavar="PERMISSION", help="The permission that the asking rule requires, which you hold.")
    ] = "approvals:decide",
    target: TargetOption = "",
    as_json: _AsJson = False,
) -> int:
    """Approve calls of a tool in advance.

    A grant approves a limited number of calls, for some hours, in the runs of one user.
    The grant becomes void when the tool's definition or the policy changes.
    """
    with open_client() as client:
        creation = client.client_of(find_app(app, installed_apps())).create_grant(
            tool,
            principal=principal,
            count=count,
            expires_in=hours * 3600,
            arguments=arguments,
            who=who,
            reason=reason,
            target=target,
        )
        created = client.wait(creation)
    if as_json:
        print(json_text(_summary(GrantRow(created, 0, ""), created.given)))
    else:
        print(
            f"granted: {one_line(created.tool)}, grant {created.id}; revoke it with: remit "
            f"approvals revoke {created.id}"
        )
    return ExitStatus.DONE


def grants(
    *,
    include_all: Annotated[
        bool, typer.Option("--all", help="Include grants that are used up, expired or revoked.")
    ] = False,
    as_json: _AsJson = False,
) -> None:
    """List the usable grants, oldest first."""
    with open_client() as client:
        found = client.read_pages(client.reader.grants)
        now = client.clock()
    rows = [row for row in found if include_all or row.is_usable(now)]
    if as_json:
        print(json_text({"grants": [_summary(row, now) for row in rows]}))
        return
    from remit.cli.tables import make_table, print_table

    listing = make_table("grant", "status", "tool", "for", "target", "arguments", "used", "over in", "given by")
    for row in rows:
        each = row.grant
        used = f"{row.used} of {each.count}"
        remaining = format_duration(each.expires - now) if each.expires > now else "-"
        who = (one_line(each.principal), each.target, summarize_arguments(each.arguments) or "any")
        listing.add_row(each.id, _status(row, now), one_line(each.tool), *who, used, remaining, one_line(each.by))
    print_table(listing)


def revoke(
    grant: Annotated[str, typer.Argument(metavar="GRANT", help="The id of a grant; see: remit approvals grants.")],
    *,
    as_json: _AsJson = False,
) -> int:
    """Revoke a grant. Calls that it already started continue; no further call starts."""
    with open_client() as client:
        client.wait(client.client_of(None).revoke_grant(grant))
    if as_json:
        print(json_text({"grant": grant, "status": "revoked"}))
    else:
        print(f"revoked: grant {grant}", file=sys.stderr)
    return ExitStatus.DONE


def _summary(row: GrantRow, now: float) -> dict[str, object]:
    field_names = ("id", "tenant", "tool", "arguments", "principal", "target", "who", "by", "given", "expires", "count")
    fields = {name: getattr(row.grant, name) for name in (*field_names, "reason")}
    return {**fields, "used": row.used, "status": _status(row, now), "revoked": row.revoked_by}


def _status(row: GrantRow, now: float) -> str:
    if row.revoked_by:
        return "revoked"
    if row.used >= row.grant.count:
        return "used up"
    return "standing" if row.grant.expires > now else "over"
