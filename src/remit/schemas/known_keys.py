"""The allowed keys of objects, for errors about unknown keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, cast

from remit.schemas.closed_schema import iter_in_place
from remit.schemas.json_schema import JsonSchema

_MAX_OBJECTS: Final = 3


def describe_known_keys(document: JsonSchema, unknown: Iterable[Sequence[str | int]]) -> str:
    """List the allowed keys at the paths of unknown keys, as the end of an error message.

    Empty without unknown keys. Path elements unknown to the schema, such as pydantic's names for the alternatives of a
    union, are omitted.
    """
    described = [_describe_object(document, path) for path in dict.fromkeys(tuple(each[:-1]) for each in unknown)]
    return "".join(f". {each}" for each in described[:_MAX_OBJECTS] if each)


def find_description(document: JsonSchema, path: Sequence[str | int]) -> str:
    """The description of the part of a value at ``path``; empty if there is none."""
    schemas = [document]
    for part in path:
        schemas = _list_below(document, schemas, part) or schemas
    nodes = (node for schema in schemas for node in (schema, *iter_in_place(document, schema)))
    return next((str(node["description"]) for node in nodes if node is not document and "description" in node), "")


def _describe_object(document: JsonSchema, path: Sequence[str | int]) -> str:
    schemas, known = [document], list[str]()
    for part in path:
        below = _list_below(document, schemas, part)
        if below:
            schemas = below
            known.append(str(part))
    nodes = [node for schema in schemas for node in iter_in_place(document, schema)]
    keys = ", ".join(dict.fromkeys(key for node in nodes for key in node.get("properties", {})))
    if not known:
        return f"Parameters: {keys or 'none'}"
    return f"{'.'.join(known)} has: {keys}" if keys else ""


def _list_below(document: JsonSchema, schemas: Sequence[JsonSchema], part: str | int) -> list[JsonSchema]:
    """The distinct schemas of one part of a value described by all of ``schemas``."""
    return list({id(each): each for schema in schemas for each in _iter_below(document, schema, part)}.values())


def _iter_below(document: JsonSchema, schema: JsonSchema, part: str | int) -> Iterator[JsonSchema]:
    """The schemas of one part of a value."""
    for node in iter_in_place(document, schema):
        items: Any = node.get("items") if isinstance(part, int) else node.get("properties", {}).get(part)
        if isinstance(items, dict):
            yield cast("JsonSchema", items)
