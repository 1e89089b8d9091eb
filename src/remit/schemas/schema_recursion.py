"""Bounds the cost of recursive JSON schemas.

If two alternatives of a union are recursive, a validator may check every nested value once for each, so its work
doubles with every level. Values of such a schema may only have a limited depth.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, cast

from remit.schemas.json_schema import JsonSchema
from remit.schemas.schema_document import DEFINITION_KEYS, iter_children, iter_schemas, resolve_pointer

MAX_VISITS: Final = 512
"""How often a validator may look at one part of a value."""

_SAME_VALUE_KEYS: Final = frozenset({"allOf", "anyOf", "oneOf", "if", "then", "else", "not", "dependentSchemas"})
_OWN_KEYS: Final = _SAME_VALUE_KEYS.union(DEFINITION_KEYS)
"""Keywords whose schemas do not describe a part of the value."""


class _Edges(NamedTuple):
    """The schemas to which a schema leads, for the same value and for its parts."""

    branches: tuple[JsonSchema, ...]
    parts: tuple[JsonSchema, ...]


def max_value_depth(document: JsonSchema) -> int | None:
    """The maximum depth of a value of a checked schema; None for no limit.

    Each list or object around the innermost part counts one level.
    """
    nodes = [node for _, node in iter_schemas(document)]
    if not any("$ref" in node for node in nodes):
        return None
    edges = {id(node): _Edges(tuple(_branches(document, node)), tuple(_part_schemas(node))) for node in nodes}
    factor, levels = 1, 1
    for node in nodes:
        branches = [(each, _cycle_length(edges, each, node)) for each in edges[id(node)].branches]
        recursive = [(each, length) for each, length in branches if length is not None]
        overlapping = max(sum(_accepts(each, kind) for each, _ in recursive) for kind in ("array", "object"))
        if overlapping > 1:
            factor *= overlapping
            levels = max(levels, min(length for _, length in recursive))
        if factor > MAX_VISITS:
            return 0
    return None if factor == 1 else levels * int(math.log(MAX_VISITS, factor))


def value_depth(value: object) -> int:
    """The nesting depth of a JSON value."""
    depth, level = 0, _parts(value)
    while level is not None:
        depth += 1
        deeper = [parts for each in level if (parts := _parts(each)) is not None]
        level = [part for parts in deeper for part in parts] if deeper else None
    return depth


def _parts(value: object) -> list[object] | None:
    """The elements of a list or values of an object; None for other values."""
    if isinstance(value, dict):
        return list(cast("dict[str, object]", value).values())
    return cast("list[object]", value) if isinstance(value, list) else None


def _branches(document: JsonSchema, node: JsonSchema) -> Iterator[JsonSchema]:
    """The subschemas of ``node`` that describe the same value."""
    if "$ref" in node:
        yield from _as_schemas(resolve_pointer(document, node["$ref"]))
    for pointer, child in iter_children(node):
        if pointer.partition("/")[0] in _SAME_VALUE_KEYS:
            yield from _as_schemas(child)


def _part_schemas(node: JsonSchema) -> Iterator[JsonSchema]:
    """The subschemas that describe the parts of a value."""
    for pointer, child in iter_children(node):
        if pointer.partition("/")[0] not in _OWN_KEYS:
            yield from _as_schemas(child)


def _accepts(node: JsonSchema, kind: str) -> bool:
    """Whether a schema may accept a list or an object, by its own ``type`` alone."""
    types: object = node.get("type", kind)
    return kind in cast("list[object]", types) if isinstance(types, list) else types == kind


def _cycle_length(edges: Mapping[int, _Edges], start: JsonSchema, target: JsonSchema) -> int | None:
    """The fewest levels from a branch of ``target`` back to ``target``; None if the branch does not lead back."""
    seen = {id(start)}
    pending = deque([(start, 0)])
    while pending:
        node, levels = pending.popleft()
        if node is target and levels:
            return levels
        for child in edges[id(node)].branches:
            if id(child) not in seen:
                seen.add(id(child))
                pending.appendleft((child, levels))
        for child in edges[id(node)].parts:
            if child is target or id(child) not in seen:
                seen.add(id(child))
                pending.append((child, levels + 1))
    return None


def _as_schemas(value: object) -> tuple[JsonSchema, ...]:
    return (cast("JsonSchema", value),) if isinstance(value, dict) else ()
