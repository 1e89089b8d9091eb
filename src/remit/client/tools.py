"""The tools of an application, for programs that show or offer them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from remit.call.contract import definition_digest
from remit.call.facts import Facts
from remit.dispatch.registry import AnyCallee
from remit.layers.authorize import why_refused
from remit.record.principal import Principal


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolInfo:
    """A tool that a principal may call: its description for models, the JSON schema of its result, and its facts.

    ``result`` is empty if a result may be anything. ``digest`` changes with the definition to which approvals are
    bound: name, description, parameters, effect, risk, permissions and egress. The schemas must not be changed.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    result: Mapping[str, Any]
    facts: Facts
    digest: str


def list_tools(tools: Iterable[AnyCallee], by: Principal, target: str) -> list[ToolInfo]:
    """The tools that ``by`` may call for ``target``, sorted by name."""
    acting = by.at(target)
    allowed = [each for each in tools if why_refused(each, acting, target) is None]
    return [_describe(each) for each in sorted(allowed, key=lambda tool: tool.name)]


def _describe(tool: AnyCallee) -> ToolInfo:
    return ToolInfo(
        name=tool.name,
        description=tool.description,
        parameters=tool.schema_in.json_schema,
        result=tool.schema_out.json_schema,
        facts=tool.facts,
        digest=definition_digest(tool),
    )
