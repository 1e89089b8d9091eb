"""The types of the web console, made from the OpenAPI description of the server.

The documents of answers and bodies become interfaces with the names and the meanings that the server gives them.
"""

import json
import re
import textwrap
from collections.abc import Mapping
from typing import Any, Final

from remit.server.openapi import describe_api
from remit.server.operations import OPERATIONS
from remit.server.people import InMemoryDirectory, People, SignIn
from remit.server.people.operations import PeopleOperations
from remit.stores import InMemoryStore

WIRE_TYPES: Final = "console/src/wire.ts"
_NOBODY: Final = SignIn(People(InMemoryDirectory()), InMemoryStore())
_HEAD: Final = "/** The documents of the server. Made from its OpenAPI description by `make docs`; do not edit. */\n"
_REFERENCE: Final = "#/components/schemas/"
_REFERENCED: Final = re.compile(rf'"\$ref": "{_REFERENCE}(\w+)"')
_GENERIC: Final = re.compile(r"(\w+)\[(\w+)\]")
_PLAIN: Final = {
    "string": "string",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "null": "null",
    "object": "Record<string, unknown>",
}
_WIDTH: Final = 120
Schema = Mapping[str, Any]


def wire_types() -> str:
    """The file with the types."""
    described = describe_api((*OPERATIONS, *PeopleOperations(_NOBODY)))
    schemas: Mapping[str, Schema] = described["components"]["schemas"]
    names = _reachable(_exchanged(described), schemas)
    lists = sorted({generic[1] for name in names if (generic := _GENERIC.fullmatch(schemas[name]["title"]))})
    parts = [_generic_interface(name, schemas) for name in lists]
    parts += [declare(name, schemas[name]) for name in names if not _GENERIC.fullmatch(schemas[name]["title"])]
    return "\n".join([_HEAD, *parts])


def _exchanged(described: Schema) -> list[object]:
    """The bodies and answers of all operations."""
    operations = [each for path in described["paths"].values() for each in path.values()]
    return [[each.get("requestBody"), each["responses"]] for each in operations]


def _reachable(start: object, schemas: Mapping[str, Schema]) -> list[str]:
    """The names of the schemas that are used, sorted."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        named = set(_REFERENCED.findall(json.dumps(waiting.pop()))) - found
        found |= named
        waiting += [schemas[name] for name in named]
    return sorted(found)


def _generic_interface(name: str, schemas: Mapping[str, Schema]) -> str:
    """The interface of a generic document, whose items are the only part that differs."""
    schema = next(each for each in schemas.values() if each.get("title", "").startswith(f"{name}["))
    fields = {**schema["properties"], "items": {"type": "array", "items": {"$ref": f"{_REFERENCE}T"}}}
    return declare(f"{name}<T>", {**schema, "properties": fields})


def declare(name: str, schema: Schema) -> str:
    """The declaration of a schema: an interface, or a type if it is no object with fields."""
    comment = _comment(schema.get("description", ""))
    if schema.get("type") != "object" or "properties" not in schema:
        return f"{comment}export type {name} = {_type(schema)};\n"
    required = schema.get("required", ())
    fields = [_field(key if key in required else f"{key}?", each) for key, each in schema["properties"].items()]
    return f"{comment}export interface {name} {{\n{''.join(fields)}}}\n"


def _field(name: str, schema: Schema) -> str:
    kind = _type(schema)
    line = f"  {name}: {kind};\n"
    return line if len(line) <= _WIDTH else f"  {name}:\n    {kind};\n"


def _type(schema: Schema) -> str:
    """The TypeScript type of a schema."""
    match schema:
        case {"$ref": str(reference)}:
            found = reference.removeprefix(_REFERENCE)
        case {"anyOf": choices}:
            found = " | ".join(map(_type, choices))
        case {"enum": values}:
            found = " | ".join("null" if each is None else f'"{each}"' for each in values)
        case {"prefixItems": items}:
            found = f"[{', '.join(map(_type, items))}]"
        case {"type": "array"}:
            item = _type(schema.get("items", {}))
            found = f"({item})[]" if " | " in item else f"{item}[]"
        case {"type": "object", "additionalProperties": {**values}}:
            found = f"Record<string, {_type(values)}>"
        case _:
            found = _PLAIN.get(str(schema.get("type")), "unknown")
    return found


def _comment(text: str) -> str:
    """The meaning of a schema as a comment: on one line if it fits, otherwise as its paragraphs."""
    paragraphs = [" ".join(each.split()).replace("``", "`") for each in text.split("\n\n") if each.strip()]
    if not paragraphs:
        return ""
    if len(paragraphs) == 1 and len(paragraphs[0]) <= _WIDTH - 7:
        return f"/** {paragraphs[0]} */\n"
    lines = [line for each in paragraphs for line in ("", *textwrap.wrap(each, _WIDTH - 3))][1:]
    return "/**\n" + "".join(f" * {line}".rstrip() + "\n" for line in lines) + " */\n"
