"""``remit tools``: what an application's agents can call."""

from __future__ import annotations

from typing import Annotated

import typer

from remit.cli.apps import find_app, installed, tools_of
from remit.cli.legible import json_text, one_line
from remit.contracts.classification import Visibility
from remit.dispatch.registry import AnyCallee
from remit.inventory.gates import Deprecated, Enabled


def tools(
    app: Annotated[str, typer.Argument(metavar="APP", help="An installed application, or package.module:attribute.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout, with schemas.")] = False,
) -> None:
    """List an application's tools, their effect and their risk."""
    found = find_app(app, installed())
    listed = sorted(tools_of(found), key=lambda tool: tool.name)
    if as_json:
        print(json_text({"application": found.name, "tools": [_summary(tool) for tool in listed]}))
        return
    from remit.cli.terminal import draw, risk_text, table

    shown = table("tool", "effect", "risk", "permissions", "state", "what it does")
    for tool in listed:
        facts = tool.facts
        first = one_line(tool.description.partition("\n")[0], most=160)
        permissions, risk = " ".join(sorted(facts.permissions)), risk_text(facts.risk.value)
        shown.add_row(tool.name, facts.effect.value, risk, permissions, _state(tool), first)
    draw(shown)


def _state(tool: AnyCallee) -> str:
    """Why a tool is not there for everybody; empty for one that is."""
    for layer in tool.layers:
        if isinstance(layer, Enabled) and not layer.enabled:
            return "disabled"
        if isinstance(layer, Deprecated):
            return "removed" if layer.deprecation.gone(layer.version) else "deprecated"
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
