"""Checks names in policies and facts: a mistyped field in ``redact_fields`` would redact nothing.

Only policy names in an entry itself are checked: a template serves many operations and may name fields of any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from remit.call.callee import AgentLike
from remit.core.protocols import implements
from remit.inventory.definition import AnyCallee, AnyTool
from remit.inventory.document import Vocabulary
from remit.inventory.governance import PolicyTable
from remit.inventory.operations import Operations
from remit.inventory.running import locate_callee
from remit.inventory.schema import FieldReference
from remit.schemas.finding import Finding
from remit.schemas.suggestions import suggest

Schema = Mapping[str, Any]


class _FieldNames(NamedTuple):
    """The field names that a value may have, and whether it may have others."""

    names: frozenset[str]
    allows_others: bool


def find_unknown_fields(operations: Operations) -> Iterator[Finding]:
    """Findings for names in an entry's policy that are fields of neither its call nor its result."""
    entries, policy_table = operations.inventory, operations.inventory.policy_table
    for key, method in operations.methods.items():
        for each in entries.methods[key].field_references:
            yield from _find_unknown_field(each, key, policy_table, [method.contract])
    for name, tool in operations.tools.items():
        tools_to_search = [tool.tool] if tool.method is None else [tool.tool, tool.method.contract]
        for each in entries.tools[name].field_references if name in entries.tools else ():
            yield from _find_unknown_field(each, name, policy_table, tools_to_search)


def find_unknown_permissions(callees: Iterable[AnyCallee], vocabulary: Vocabulary) -> Iterator[Finding]:
    """Findings for permissions that calls need, or that agents narrow their calls to, but that no role grants."""
    for callee in callees:
        narrowed = callee.permissions if implements(callee, AgentLike) else None
        for permission in sorted(callee.facts.permissions | (narrowed or frozenset())):
            area = permission.removesuffix("*")
            known = vocabulary.permissions
            if permission not in known and not (area != permission and any(each.startswith(area) for each in known)):
                what = f"{callee.name}: no role grants the permission {permission!r}"
                fix = suggest(permission, known, "grant it to a role, or correct the name")
                yield Finding(code="unknown-permission", where=locate_callee(callee), what=what, fix=fix)


def _find_unknown_field(
    reference: FieldReference, owner: str, policy_table: PolicyTable, contracts: Sequence[AnyTool]
) -> Iterator[Finding]:
    anywhere = policy_table.sections[reference.section].enforcers[reference.field].lists_fields_of == "call"
    found = [_collect_field_names(each.schema_out.json_schema, deep=anywhere) for each in contracts]
    if anywhere:
        found += [_collect_field_names(each.schema_in.json_schema, deep=True) for each in contracts]
    names = frozenset[str]().union(*(each.names for each in found))
    known = reference.name.lower() in {name.lower() for name in names} if anywhere else reference.name in names
    if known or any(each.allows_others for each in found):
        return
    where = "the parameters or the result" if anywhere else "the result"
    what = f"{reference.section}.{reference.field}: no field {reference.name!r} in {where} of {owner}"
    yield Finding(code="unknown-field", where=reference.location, what=what, fix=suggest(reference.name, names))


def _collect_field_names(schema: Schema, *, deep: bool) -> _FieldNames:
    names, others = set[str](), False
    for node in _iter_schemas(schema, deep=deep):
        names |= node.get("properties", {}).keys()
        others = others or _allows_any_field(node)
    return _FieldNames(frozenset(names), others)


def _iter_schemas(schema: Schema, *, deep: bool) -> Iterator[Schema]:
    """The schemas of a value; if ``deep``, also those of its parts."""
    pending: list[Any] = [schema]
    seen: set[str] = set()
    while pending:
        node: object = pending.pop()
        if not isinstance(node, dict):
            continue
        mapping = cast("dict[str, Any]", node)
        yield mapping
        reference = str(mapping.get("$ref", "")).rpartition("/")[2]
        if reference and reference not in seen:
            seen.add(reference)
            pending.append(schema["$defs"][reference])
        for several in ("anyOf", "oneOf", "allOf"):
            pending += mapping.get(several, ())
        if deep:
            pending += (*mapping.get("properties", {}).values(), *mapping.get("prefixItems", ()))
            pending += (mapping.get("items"), mapping.get("additionalProperties"))


def _allows_any_field(schema: Schema) -> bool:
    """Whether an object may have fields of any name."""
    if not schema.keys() & {"type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"}:
        return True
    return schema.get("type") == "object" and ("properties" not in schema or bool(schema.get("additionalProperties")))
