"""An inventory may forget the access list: a tool that takes a casefile and leaves it open is refused."""

from __future__ import annotations

from collections.abc import Iterator

from remit.inventory import Finding, InventoryError, Operations, ToolDefinition
from remit_casefile.policies.place import PARAMETER
from remit_casefile.policies.sections import CASEFILE, CasefilePolicies, CasefileRules


def refuse_open(operations: Operations) -> None:
    """Refuse an inventory in which a tool takes a casefile and nobody looks at the access list, or the reverse.

    Raises:
        InventoryError: with every such tool.
    """
    found = [finding for tool in operations.tools.values() for finding in _open(tool)]
    if found:
        raise InventoryError(found)


def _open(definition: ToolDefinition) -> Iterator[Finding]:
    whole = definition.tool if definition.method is None else definition.method.contract
    field = whole.schema_in.model.model_fields.get(PARAMETER)
    rules, policies = definition.policies["business_rules"], definition.policies.get(CASEFILE)
    declared = isinstance(rules, CasefileRules) and rules.casefile_permission_level is not None
    looked_at = declared or (isinstance(policies, CasefilePolicies) and policies.enforce_access_control)
    if field is None:
        if declared or (isinstance(rules, CasefileRules) and rules.requires_casefile):
            what = f"{definition.name} takes no {PARAMETER}, and its rules look at one"
            yield Finding(code="no-casefile", where=definition.where, what=what, mend="remove them, or take one")
        return
    if not looked_at:
        what = f"{definition.name} takes a {PARAMETER}, and nothing looks at its access list"
        mend = "say business_rules.casefile_permission_level"
        yield Finding(code="open-casefile", where=definition.where, what=what, mend=mend)
    if not field.is_required() and field.get_default(call_default_factory=True, validated_data={}) is not None:
        what = f"{definition.name} takes a {PARAMETER} with a default, which no gate would see"
        yield Finding(code="open-casefile", where=definition.where, what=what, mend="make it required, or None")
