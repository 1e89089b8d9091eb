"""``remit tools``: list the tools of an application."""

from __future__ import annotations

from typing import Annotated

import typer

from remit.cli.apps import collect_tools, find_app, installed_apps
from remit.cli.options import AppArgument
from remit.cli.text import json_text, one_line
from remit.contracts.classification import Visibility
from remit.dispatch.registry import AnyCallee
from remit.inventory.gates import DeprecationGate, EnabledGate


def tools(
    app: AppArgument,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object with schemas on stdout.")] = False,
) -> None:
    """List an application's tools with effect and risk."""
    found = find_app(app, installed_apps())
    all_tools = sorted(collect_tools(found), key=lambda tool: tool.name)
    if as_json:
        print(json_text({"application": found.name, "tools": [_summary(tool) for tool in all_tools]}))
        return
    from remit.cli.tables import make_table, print_table, risk_text

    listing = make_table("tool", "effect", "risk", "permissions", "state", "what it does")
    for tool in all_tools:
        facts = tool.facts
        first = one_line(tool.description.partition("\n")[0], max_length=160)
        permissions, risk = " ".join(sorted(facts.permissions)), risk_text(facts.risk.value)
        listing.add_row(tool.name, facts.effect.value, risk, permissions, _state(tool), first)
    print_table(listing)


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
