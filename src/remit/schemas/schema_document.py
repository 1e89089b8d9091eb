"""Checks external JSON schemas and converts them to Remit's single form.

A schema from an MCP server, an OpenAPI document or a file is untrusted input. `read_schema` refuses schemas that could
access the network, cost unbounded time or memory, or be misread.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, cast
from urllib.parse import unquote

from remit.errors import ContractError
from remit.schemas.json_schema import JsonSchema
from remit.schemas.jsontext import canonical_text
from remit.shown import HALF_CHARACTER

MAX_SCHEMA_BYTES: Final = 256 << 10
MAX_SCHEMA_DEPTH: Final = 64

DEFINITION_KEYS: Final = ("$defs", "definitions")
_MAP_KEYS: Final = (*DEFINITION_KEYS, "properties", "patternProperties", "dependentSchemas")
_LIST_KEYS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_SCHEMA_KEYS: Final = (
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_LOCAL_REFERENCE: Final = re.compile(r"#(/|$)")
_DRAFT_2020: Final = "https://json-schema.org/draft/2020-12/schema"
_DRAFT_7: Final = "http://json-schema.org/draft-07/schema"
_REFUSED_KEYS: Final = {
    "$anchor": "name a definition with '$ref': '#/$defs/…'",
    "$dynamicAnchor": "dynamic references are not supported",
    "$dynamicRef": "dynamic references are not supported",
    "$recursiveRef": "dynamic references are not supported",
    "nullable": "it belongs to OpenAPI 3.0; write 'type': [..., 'null']",
    "writeOnly": "a value that is hidden from JSON cannot be an argument or a result",
}


def read_schema(schema: Mapping[str, Any]) -> JsonSchema:
    """Check ``schema`` and copy it as JSON Schema 2020-12, without ``$schema`` and ``$id``.

    Draft 7 is translated. References are local pointers, like ``#/$defs/Page``.

    Raises:
        ContractError: one line that names the unsupported part and its location.
    """
    document = _copy(schema)
    draft = document.pop("$schema", _DRAFT_2020)
    document.pop("$id", None)
    if str(draft).rstrip("#").replace("https:", "http:") == _DRAFT_7:
        document = _upgrade(document)
    elif str(draft).rstrip("#") != _DRAFT_2020:
        raise ContractError(f"its JSON schema is written in {draft!r}; use draft 2020-12 or draft-07")
    nodes = dict(iter_schemas(document))
    for pointer, node in nodes.items():
        _check_node(nodes, pointer, node)
    return document


def iter_schemas(schema: object, pointer: str = "#") -> Iterator[tuple[str, JsonSchema]]:
    """Iterate over all subschemas that are objects, outermost first, each with its JSON pointer."""
    if not isinstance(schema, dict):
        return
    node = cast("JsonSchema", schema)
    yield pointer, node
    for key, child in iter_children(node):
        yield from iter_schemas(child, f"{pointer}/{key}")


def iter_children(node: JsonSchema) -> Iterator[tuple[str, object]]:
    """Iterate over the direct subschemas of a schema, each with its pointer relative to the schema."""
    for key in _MAP_KEYS:
        named = node.get(key)
        if isinstance(named, dict):
            for name, child in cast("JsonSchema", named).items():
                yield f"{key}/{escape_pointer(name)}", child
    for key in _LIST_KEYS:
        listed = node.get(key)
        if isinstance(listed, list):
            for index, child in enumerate(cast("list[object]", listed)):
                yield f"{key}/{index}", child
    for key in _SCHEMA_KEYS:
        if key in node:
            yield key, node[key]


def map_children(node: JsonSchema, change: Callable[[str, object], object]) -> JsonSchema:
    """Copy a schema and replace each direct subschema by ``change(keyword, subschema)``."""
    copy: JsonSchema = {}
    for key, value in node.items():
        if key in _MAP_KEYS and isinstance(value, dict):
            copy[key] = {name: change(key, each) for name, each in cast("JsonSchema", value).items()}
        elif key in _LIST_KEYS and isinstance(value, list):
            copy[key] = [change(key, each) for each in cast("list[object]", value)]
        else:
            copy[key] = change(key, value) if key in _SCHEMA_KEYS else value
    return copy


def escape_pointer(name: str) -> str:
    """Escape a key as one part of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def resolve_pointer(document: JsonSchema, pointer: str) -> object:
    """Return the part of a checked document to which a local reference points."""
    part: object = document
    for name in unquote(pointer).split("/")[1:]:
        key = name.replace("~1", "/").replace("~0", "~")
        part = cast("Any", part)[int(key) if isinstance(part, list) else key]
    return cast("object", part)


def _copy(schema: Mapping[str, Any]) -> JsonSchema:
    if not isinstance(cast("object", schema), Mapping):
        raise ContractError(f"its JSON schema is {type(schema).__name__}; give a dictionary, such as json.loads(text)")
    try:
        text = canonical_text(dict(schema))
    except (TypeError, ValueError, RecursionError) as error:
        raise ContractError(f"its JSON schema is not JSON: {error}") from error
    if len(text) > MAX_SCHEMA_BYTES:
        raise ContractError(f"its JSON schema is {len(text):,} bytes long; at most {MAX_SCHEMA_BYTES:,}")
    if _depth(text) > MAX_SCHEMA_DEPTH:
        raise ContractError(f"its JSON schema is nested too deeply; at most {MAX_SCHEMA_DEPTH} levels")
    escaped = json.dumps(schema)
    copy = cast("JsonSchema", json.loads(escaped))  # the canonical text would lose the order of the parameters
    where = next(_find_halves(copy, "#"), "") if "\\ud" in escaped else ""
    if where:
        raise ContractError(f"its JSON schema has a lone surrogate {where}; leave that character out")
    return copy


def _find_halves(part: object, pointer: str) -> Iterator[str]:
    """Find the lone surrogates in a JSON value, which UTF-8 cannot encode."""
    if isinstance(part, str):
        if HALF_CHARACTER.search(part):
            yield f"at {pointer}"
    elif isinstance(part, list):
        for index, each in enumerate(cast("list[object]", part)):
            yield from _find_halves(each, f"{pointer}/{index}")
    elif isinstance(part, dict):
        for key, each in cast("dict[str, object]", part).items():
            if HALF_CHARACTER.search(key):
                yield f"in a key of {pointer}"
            yield from _find_halves(each, f"{pointer}/{escape_pointer(key)}")


def _depth(text: str) -> int:
    """The nesting depth of a JSON text. Brackets within strings count too, so the result may be too high."""
    deepest = level = 0
    for character in text:
        if character in "{[":
            level += 1
            deepest = max(deepest, level)
        elif character in "}]":
            level -= 1
    return deepest


def _check_node(nodes: Mapping[str, JsonSchema], pointer: str, node: JsonSchema) -> None:
    for key, reason in _REFUSED_KEYS.items():
        if node.get(key, False) is not False:
            raise ContractError(f"its JSON schema has {key!r} at {pointer}: {reason}")
    if "$id" in node or "$schema" in node:
        raise ContractError(f"its JSON schema contains another document at {pointer}: move it to '$defs'")
    if "$ref" not in node:
        return
    reference: object = node["$ref"]
    if not isinstance(reference, str) or not _LOCAL_REFERENCE.match(reference):
        raise ContractError(
            f"its JSON schema refers to {reference!r} at {pointer}; "
            f"only local references, like '#/$defs/Page', are read"
        )
    if unquote(reference) not in nodes:
        raise ContractError(f"its JSON schema refers to {reference!r} at {pointer}, which does not exist")


def _upgrade(schema: JsonSchema) -> JsonSchema:
    """Convert a schema from draft 7 to 2020-12."""
    node = dict(schema)
    if "$ref" in node:  # which excludes all sibling keywords
        node = {key: value for key, value in node.items() if key in ("$ref", *DEFINITION_KEYS)}
    others = node.pop("additionalItems", None)
    if isinstance(node.get("items"), list):
        node["prefixItems"] = node.pop("items")
        if others is not None:
            node["items"] = others
    dependencies = node.pop("dependencies", None)
    if isinstance(dependencies, dict):
        pairs = cast("JsonSchema", dependencies).items()
        node["dependentRequired"] = {name: each for name, each in pairs if isinstance(each, list)}
        node["dependentSchemas"] = {name: each for name, each in pairs if not isinstance(each, list)}
    return map_children(node, _upgrade_child)


def _upgrade_child(_key: str, schema: object) -> object:
    return _upgrade(cast("JsonSchema", schema)) if isinstance(schema, dict) else schema
