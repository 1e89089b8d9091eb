"""Rejects an inventory with a tool that takes a casefile but does not check the access list."""

from __future__ import annotations

from collections.abc import Iterator

from remit.inventory import Finding, InventoryError, Operations, ToolDefinition, Visibility
from remit_casefile.policies.casefile_resolver import CASEFILE_PARAMETER
from remit_casefile.policies.sections import CASEFILE_SECTION, CasefilePolicies, CasefileRules


def check_access_is_governed(operations: Operations) -> None:
    """Reject tools that take a casefile without an access check, or the reverse.

    Tools that only the application's own functions may call are exempt: those functions are checked.

    Raises:
        InventoryError: lists every such tool.
    """
    found = [
        finding for tool in operations.tools.values() if not _is_internal(tool) for finding in _find_ungoverned(tool)
    ]
    if found:
        raise InventoryError(found)


def _is_internal(definition: ToolDefinition) -> bool:
    return definition.tool.facts.visibility is Visibility.INTERNAL


def _find_ungoverned(definition: ToolDefinition) -> Iterator[Finding]:
    contract = definition.tool if definition.method is None else definition.method.contract
    schema = contract.schema_in.json_schema
    parameter = schema.get("properties", {}).get(CASEFILE_PARAMETER)
    rules, policies = definition.policies.get("business_rules"), definition.policies.get(CASEFILE_SECTION)
    declared = isinstance(rules, CasefileRules) and rules.casefile_permission_level is not None
    is_governed = declared or (isinstance(policies, CasefilePolicies) and policies.enforce_access_control)
    if parameter is None:
        if declared or (isinstance(rules, CasefileRules) and rules.requires_casefile):
            what = f"{definition.name} takes no {CASEFILE_PARAMETER}, and its rules look at one"
            yield Finding(code="no-casefile", where=definition.location, what=what, fix="remove them, or take one")
        return
    if not is_governed:
        what = f"{definition.name} takes a {CASEFILE_PARAMETER}, and nothing looks at its access list"
        mend = "say business_rules.casefile_permission_level"
        yield Finding(code="open-casefile", where=definition.location, what=what, fix=mend)
    is_required = CASEFILE_PARAMETER in schema.get("required", ())
    if not is_required and parameter.get("default", CASEFILE_PARAMETER) is not None:
        what = f"{definition.name} takes a {CASEFILE_PARAMETER} with a default, which no gate would see"
        yield Finding(code="open-casefile", where=definition.location, what=what, fix="make it required, or None")
