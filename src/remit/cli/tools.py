"""``remit tools``: list the tools of an application, or show how to call one."""

from __future__ import annotations

from typing import Annotated

import typer

from remit.app import App
from remit.call.classification import Visibility
from remit.cli.apps import collect_tools, find_app, installed_apps
from remit.cli.options import AppArgument
from remit.cli.status import NoSuchError, did_you_mean
from remit.cli.text import json_text, one_line
from remit.dispatch.registry import AnyCallee
from remit.inventory.gates import DeprecationGate, EnabledGate


def tools(
    app: AppArgument,
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="Show one tool: its parameters and how to call it.")] = "",
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object with schemas on stdout.")] = False,
) -> None:
    """List an application's tools with effect and risk.

    With TOOL: show its description, permissions and parameters, and an example of a call.
    """
    found = find_app(app, installed_apps())
    all_tools = sorted(collect_tools(found), key=lambda each: each.name)
    if tool:
        print(_show(_find_tool(tool, found, app), app, as_json=as_json))
        return
    if as_json:
        print(json_text({"application": found.name, "tools": [_summary(each) for each in all_tools]}))
        return
    from remit.cli.tables import make_table, print_table, risk_text

    listing = make_table("tool", "effect", "risk", "permissions", "state", "what it does")
    for each in all_tools:
        facts = each.facts
        first = one_line(each.description.partition("\n")[0], max_length=160)
        permissions, risk = " ".join(sorted(facts.permissions)), risk_text(facts.risk.value)
        listing.add_row(each.name, facts.effect.value, risk, permissions, _state(each), first)
    print_table(listing)


def _find_tool(name: str, app: App, app_reference: str) -> AnyCallee:
    """The tool or agent of this name.

    Raises:
        NoSuchError: it does not exist.
    """
    callees: dict[str, AnyCallee] = {each.name: each for each in (*collect_tools(app), *app.agents)}
    if name in callees:
        return callees[name]
    raise NoSuchError(
        f"the application {app.name!r} has no tool {name!r}{did_you_mean(name, callees)}; see: remit tools "
        f"{app_reference}"
    )


def _show(tool: AnyCallee, app_reference: str, *, as_json: bool) -> str:
    from remit.cli.tool_help import describe_tool

    return json_text(_summary(tool)) if as_json else describe_tool(tool, app_reference, _state(tool))


def _state(tool: AnyCallee) -> str:
    """The restriction on a tool, such as disabled or internal; empty without one."""
    for layer in tool.layers:
        if isinstance(layer, EnabledGate) and not layer.enabled:
            return "disabled"
        if isinstance(layer, DeprecationGate):
            return "removed" if layer.deprecation.is_removed_in(layer.version) else "deprecated"
    visibility = tool.facts.visibility
    return "" if visibility is Visibility.PUBLIC else visibility.value


def _summary(tool: AnyCallee) -> dict[str, object]:
    facts = tool.facts
    return {
        "name": tool.name,
        "description": tool.description,
        "effect": facts.effect.value,
        "risk": facts.risk.value,
        "state": _state(tool),
        "permissions": sorted(facts.permissions),
        "timeout": facts.timeout,
        "egress": facts.egress,
        "trusted": facts.trusted,
        "tags": sorted(facts.tags),
        "confirm": facts.confirm,
        "parameters": tool.schema_in.json_schema,
        "result": tool.schema_out.json_schema,
    }
