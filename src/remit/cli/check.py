"""``remit check``: whether an application's code, inventory and lock say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from remit.app import App
from remit.cli.apps import find_app, installed, tools_of
from remit.cli.legible import json_text
from remit.cli.status import Status, UsageError
from remit.dispatch.preset import preset
from remit.inventory.drift import CHECKLIST, Point, check, refused
from remit.inventory.operations import Operations
from remit.schemas.finding import Finding, InventoryError


def check_app(
    app: Annotated[str, typer.Argument(metavar="APP", help="An installed application, or package.module:attribute.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Compare an application's code, inventory and lock, by the eight points of a checklist.

    Each finding says where it is and how to mend it; a change since the lock, which step of the version it needs.

    Exit status: 0 nothing found, 1 something found, 2 usage.
    """
    try:
        found = find_app(app, installed())
        offered = {tool.name for tool in tools_of(found)}
        layers = found.layers() if found.layers is not None else preset(found.env)
        points = check(operations_of(found), offered, layers)
    except InventoryError as error:
        points = refused(error)
    points = tuple(replace(point, findings=tuple(_named(each, app) for each in point.findings)) for point in points)
    findings = [finding for point in points for finding in point.findings]
    if as_json:
        print(json_text(_summary(app, points)))
    else:
        _draw(points, findings)
    return Status.FAILED if findings else Status.DONE


def _named(finding: Finding, app: str) -> Finding:
    """The finding, with the application where the command that mends it wants one."""
    return replace(finding, mend=finding.mend.replace("remit lock APP", f"remit lock {app}"))


def operations_of(app: App) -> Operations:
    """The code and inventory of an application.

    Raises:
        UsageError: it has no inventory.
    """
    if app.operations is None:
        raise UsageError(f"the application {app.name!r} has no inventory; give its App the operations made from one")
    return app.operations


def _summary(app: str, points: Sequence[Point]) -> dict[str, object]:
    told = [
        {"point": point.name, "means": CHECKLIST[point.name], "looked_at": point.looked_at, **_findings(point)}
        for point in points
    ]
    return {"application": app, "holds": not any(point.findings for point in points), "points": told}


def _findings(point: Point) -> dict[str, object]:
    return {"findings": [_finding(finding) for finding in point.findings]}


def _finding(finding: Finding) -> dict[str, str]:
    return {
        "code": finding.code,
        "where": finding.where,
        "what": finding.what,
        "mend": finding.mend,
        "step": finding.step.value,
    }


def _draw(points: Sequence[Point], findings: Sequence[Finding]) -> None:
    from remit.cli.terminal import draw, table

    shown = table("point", "looked at", "found", "what holds")
    for point in points:
        shown.add_row(point.name, f"{point.looked_at:,}", f"{len(point.findings):,}", CHECKLIST[point.name])
    draw(shown)
    for finding in findings:
        needs = f" (needs a {finding.step.value.upper()} version)" if finding.step.value else ""
        print(f"\n{finding.where}: {finding.code}: {finding.what}{needs}\n    {finding.mend}")
