"""Names in policy: a field like ``redact_fields`` names fields of a call. A mistyped one would hide nothing.

Templates name what any of many operations may have. So only what an entry says itself is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from remit.inventory.definition import AnyTool
from remit.inventory.governance import Table
from remit.inventory.operations import Operations
from remit.inventory.schema import Named
from remit.schemas.finding import Finding
from remit.schemas.suggestions import near

Schema = Mapping[str, Any]


class _Fields(NamedTuple):
    """The names of fields that a value may have, and whether it may have any others."""

    names: frozenset[str]
    others: bool


def unknown_names(operations: Operations) -> Iterator[Finding]:
    """Names that an entry says in a field of its policy, and that are no fields of its call or its result."""
    entries, table = operations.inventory, operations.inventory.table
    for key, method in operations.methods.items():
        for each in entries.methods[key].names if key in entries.methods else ():
            yield from _unknown(each, key, table, [method.contract])
    for name, tool in operations.tools.items():
        of = [tool.tool] if tool.method is None else [tool.tool, tool.method.contract]
        for each in entries.tools[name].names if name in entries.tools else ():
            yield from _unknown(each, name, table, of)


def _unknown(said: Named, of: str, table: Table, contracts: Sequence[AnyTool]) -> Iterator[Finding]:
    anywhere = table.sections[said.section].enforced[said.field].names == "call"
    found = [_fields(each.schema_out.json_schema, deep=anywhere) for each in contracts]
    if anywhere:
        found += [_fields(each.schema_in.json_schema, deep=True) for each in contracts]
    names = frozenset[str]().union(*(each.names for each in found))
    known = said.name.lower() in {name.lower() for name in names} if anywhere else said.name in names
    if known or any(each.others for each in found):
        return
    where = "the parameters or the result" if anywhere else "the result"
    what = f"{said.section}.{said.field}: no field {said.name!r} in {where} of {of}"
    yield Finding(code="unknown-field", where=said.where, what=what, mend=near(said.name, names))


def _fields(schema: Schema, *, deep: bool) -> _Fields:
    names, others = set[str](), False
    for node in _schemas(schema, deep=deep):
        names |= node.get("properties", {}).keys()
        others = others or _is_open(node)
    return _Fields(frozenset(names), others)


def _schemas(schema: Schema, *, deep: bool) -> Iterator[Schema]:
    """The schemas that a value may be of; if ``deep``, those of what is in it too."""
    left: list[Any] = [schema]
    seen: set[str] = set()
    while left:
        node: object = left.pop()
        if not isinstance(node, dict):
            continue
        known = cast("dict[str, Any]", node)
        yield known
        reference = str(known.get("$ref", "")).rpartition("/")[2]
        if reference and reference not in seen:
            seen.add(reference)
            left.append(schema["$defs"][reference])
        for several in ("anyOf", "oneOf", "allOf"):
            left += known.get(several, ())
        if deep:
            left += (*known.get("properties", {}).values(), *known.get("prefixItems", ()))
            left += (known.get("items"), known.get("additionalProperties"))


def _is_open(schema: Schema) -> bool:
    """Whether an object of it may have fields of any name."""
    if not schema.keys() & {"type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"}:
        return True
    return schema.get("type") == "object" and ("properties" not in schema or bool(schema.get("additionalProperties")))
