"""``remit check``: compare an application's code, inventory and lock."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from remit.agent.linking import link_agents
from remit.app import App
from remit.call.entity import entity_kinds
from remit.cli.apps import find_app, installed_apps
from remit.cli.home import HomeFolder
from remit.cli.options import AppArgument
from remit.cli.role_check import compare_roles
from remit.cli.status import ExitStatus, UsageError
from remit.cli.text import json_text
from remit.dispatch.registry import AnyCallee
from remit.errors import SetupError
from remit.home import data_folder
from remit.inventory.drift import CHECKLIST, CheckResult, report_load_errors, run_checklist
from remit.inventory.operations import Operations
from remit.record.arguments import Limits
from remit.runtime import Runtime
from remit.schemas.finding import Finding, InventoryError


def check_app(
    app: AppArgument,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> int:
    """Compare an application's code, inventory and lock file.

    Each finding gives its location and its fix; a change since the lock also gives the version bump that it needs.
    Notes do not change the exit status: permissions that no role in config.toml grants, or that a role grants for
    nothing. Below them: which tools return which entities.

    Of an application without an inventory it is checked that it starts: its agents, layers and references.

    Exit status: 0 no findings, 1 findings, 2 usage.
    """
    try:
        found = find_app(app, installed_apps())
        if found.operations is None:
            return _check_start(found, app, as_json=as_json)
        points, entities = examine(found), tools_by_entity(require_operations(found))
        notes = compare_roles(require_operations(found), offered_callees(found), found.build_layers(), _config_file())
    except InventoryError as error:
        points, notes, entities = report_load_errors(error), (), {}
    points = tuple(
        replace(point, findings=tuple(_with_app_name(each, app) for each in point.findings)) for point in points
    )
    findings = [finding for point in points for finding in point.findings]
    if as_json:
        print(json_text(_summary(app, points, notes) | {"entities": entities}))
    else:
        _draw(points, findings, notes)
        for kind, tools in entities.items():
            print(f"\nentity {kind}, in results of: {', '.join(tools)}")
    return ExitStatus.FAILED if findings else ExitStatus.DONE


def examine(app: App) -> tuple[CheckResult, ...]:
    """Check all points of an application, with its agents linked as in a runtime."""
    layers = app.build_layers()
    return run_checklist(require_operations(app), offered_callees(app), layers)


def _check_start(app: App, name: str, *, as_json: bool) -> int:
    """Check an application without an inventory as the start of a runtime does, and report the result."""
    findings: list[Finding] = []
    try:
        Runtime(app)
    except SetupError as error:
        findings.append(Finding(code="setup", where=f"application {app.name}", what=error.message, fix="correct it"))
    point = CheckResult(name="running", checked_count=len([*app.agents, *app.tools]), findings=tuple(findings))
    what = "the application has no inventory, so no other point is checked"
    note = Finding(code="no-inventory", where=f"application {app.name}", what=what, fix="pass operations= to its App")
    if as_json:
        print(json_text(_summary(name, (point,), (note,)) | {"entities": dict[str, list[str]]()}))
    else:
        _draw((point,), findings, (note,))
    return ExitStatus.FAILED if findings else ExitStatus.DONE


def offered_callees(app: App) -> list[AnyCallee]:
    """Everything that an application offers, its agents linked as in a runtime."""
    return link_agents([*app.agents, *app.tools], None, Limits().handoffs)


def tools_by_entity(operations: Operations) -> dict[str, list[str]]:
    """The tools by the kinds of entities that their results describe."""
    found: dict[str, list[str]] = {}
    for name, each in operations.tools.items():
        for kind in entity_kinds(each.tool.schema_out.result_type):
            found.setdefault(kind, []).append(name)
    return dict(sorted(found.items()))


def _config_file() -> Path:
    """The file with users and roles. Neither it nor its folder is created by a check."""
    return HomeFolder(data_folder(os.environ)).config_file


def _with_app_name(finding: Finding, app: str) -> Finding:
    """The finding with the application's name in its suggested command."""
    return replace(finding, fix=finding.fix.replace("remit lock APP", f"remit lock {app}"))


def require_operations(app: App) -> Operations:
    """The code and inventory of an application.

    Raises:
        UsageError: it has no inventory.
    """
    if app.operations is None:
        raise UsageError(f"the application {app.name!r} has no inventory; pass operations= to its App")
    return app.operations


def _summary(app: str, points: Sequence[CheckResult], notes: Sequence[Finding]) -> dict[str, object]:
    summaries = [
        {"point": point.name, "means": CHECKLIST[point.name], "looked_at": point.checked_count, **_findings(point)}
        for point in points
    ]
    return {
        "application": app,
        "holds": not any(point.findings for point in points),
        "points": summaries,
        "notes": [_note_json(note) for note in notes],
    }


def _findings(point: CheckResult) -> dict[str, object]:
    return {"findings": [_finding_json(finding) for finding in point.findings]}


def _note_json(note: Finding) -> dict[str, str]:
    return {"code": note.code, "where": note.where, "what": note.what, "mend": note.fix}


def _finding_json(finding: Finding) -> dict[str, str]:
    return {**_note_json(finding), "step": finding.bump.value, "governance": finding.governance.value}


def _draw(points: Sequence[CheckResult], findings: Sequence[Finding], notes: Sequence[Finding]) -> None:
    from remit.cli.tables import make_table, print_table

    listing = make_table("point", "looked at", "found", "what holds")
    for point in points:
        listing.add_row(point.name, f"{point.checked_count:,}", f"{len(point.findings):,}", CHECKLIST[point.name])
    print_table(listing)
    for finding in findings:
        needs = f" (needs a {finding.bump.value.upper()} version)" if finding.bump.value else ""
        needs += f" ({finding.governance.value} governance)" if finding.governance.value else ""
        print(f"\n{finding.where}: {finding.code}: {finding.what}{needs}\n    {finding.fix}")
    for note in notes:
        print(f"\nnote: {note.where}: {note.code}: {note.what}\n    {note.fix}")
