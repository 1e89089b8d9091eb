"""Writes the ranges of OpenAPI's integer formats into a JSON schema.

JSON Schema validators check only text formats, but an API refuses numbers outside the range.
"""

from __future__ import annotations

from typing import Final, cast

from remit.schemas.json_schema import JsonSchema
from remit.schemas.schema_document import map_children

_RANGES: Final = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}


def with_number_ranges(document: JsonSchema) -> JsonSchema:
    """Copy a document and add the bounds of integer formats."""
    return cast("JsonSchema", _bound("", document))


def _bound(_key: str, schema: object) -> object:
    if not isinstance(schema, dict):
        return schema
    node = map_children(cast("JsonSchema", schema), _bound)
    named = node.get("type")
    if node.get("format") in _RANGES and (named == "integer" or (isinstance(named, list) and "integer" in named)):
        low, high = _RANGES[node["format"]]
        node["minimum"], node["maximum"] = max(low, node.get("minimum", low)), min(high, node.get("maximum", high))
    return node
