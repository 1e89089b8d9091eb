"""Describes one tool for people: what it does, its parameters, and how to call it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, cast

from remit.cli.text import escape_unprintable, json_text
from remit.dispatch.registry import AnyCallee

_WORDS: Final = {"string": "text", "integer": "whole number", "boolean": "true or false", "null": "null"}
_BOUNDS: Final = (
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minItems", "at least {} of them"),
    ("maxItems", "at most {} of them"),
)
_MAX_DEPTH: Final = 3

Schema = Mapping[str, Any]


def describe_tool(tool: AnyCallee, app_reference: str, state: str) -> str:
    """The help of a tool, as lines. ``app_reference`` is how the command line names its application."""
    return escape_unprintable("\n".join(_lines(tool, app_reference, state)))


def _lines(tool: AnyCallee, app_reference: str, state: str) -> Iterator[str]:
    yield tool.name
    yield from (f"  {line}".rstrip() for line in tool.description.strip().splitlines())
    facts = tool.facts
    permissions = " ".join(sorted(facts.permissions)) or "none"
    yield from ("", f"  risk         {facts.risk.value}", f"  effect       {facts.effect.value}")
    yield f"  permissions  {permissions}"
    if state:
        yield f"  state        {state}"
    document = cast("Schema", tool.schema_in.json_schema)
    parameters = cast("dict[str, Schema]", document.get("properties", {}))
    required = [name for name in parameters if name in document.get("required", ())]
    yield from ("", "Parameters:" if parameters else "It takes no parameters.")
    for name in [*required, *(each for each in parameters if each not in required)]:
        schema = parameters[name]
        need = "required" if name in required else _describe_default(schema)
        yield f"  {name}: {_describe_type(document, schema)}; {need}"
        if "description" in schema:
            yield f"    {' '.join(str(schema['description']).split())}"
    example = json.dumps({name: _example(document, parameters[name], name) for name in required}, ensure_ascii=False)
    yield from ("", "Example:", f"  remit call {shlex.quote(app_reference)} {tool.name} {shlex.quote(example)}")


def _describe_default(schema: Schema) -> str:
    return f"default {json_text(schema['default'])}" if schema.get("default") is not None else "optional"


def _describe_type(document: Schema, schema: Schema, depth: int = 0) -> str:
    """The type of a value in words: ``list of objects (definitionId, content)``."""
    schema = _resolve(document, schema)
    if "enum" in schema:
        return " or ".join(json_text(each) for each in schema["enum"])
    if "const" in schema:
        return json_text(schema["const"])
    if depth > _MAX_DEPTH:
        return "value"
    alternatives = [each for each in _alternatives(schema) if each.get("type") != "null"]
    if alternatives:
        return " or ".join(dict.fromkeys(_describe_type(document, each, depth + 1) for each in alternatives))
    kind = schema.get("type")
    if kind == "array":
        what = f"list of {_describe_type(document, schema.get('items', {}), depth + 1)}"
    elif kind == "object":
        keys = ", ".join(schema.get("properties", {}))
        what = f"object ({keys})" if keys else "object"
    else:
        what = _WORDS.get(str(kind), str(kind)) if kind else "any value"
    bounds = [words.format(schema[name]) for name, words in _BOUNDS if name in schema]
    return ", ".join([what, *bounds])


def _example(document: Schema, schema: Schema, name: str, depth: int = 0) -> object:
    """A placeholder value of the right type."""
    schema = _resolve(document, schema)
    alternatives = [each for each in _alternatives(schema) if each.get("type") != "null"]
    if depth > _MAX_DEPTH:
        return None
    if alternatives:
        return _example(document, alternatives[0], name, depth + 1)
    choices = [*schema.get("examples", ()), *schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())]
    fields: Mapping[str, Schema] = schema.get("properties", {})
    examples: dict[object, Callable[[], object]] = {
        "integer": lambda: schema.get("minimum", 1),
        "number": lambda: schema.get("minimum", 1),
        "boolean": lambda: True,
        "array": lambda: [_example(document, schema.get("items", {}), name, depth + 1)],
        "object": lambda: {
            each: _example(document, fields[each], each, depth + 1) for each in schema.get("required", ())
        },
    }
    return choices[0] if choices else examples.get(schema.get("type"), lambda: f"<{name}>")()


def _alternatives(schema: Schema) -> list[Schema]:
    return [*schema.get("anyOf", ()), *schema.get("oneOf", ())]


def _resolve(document: Schema, schema: Schema) -> Schema:
    """The schema that a reference names."""
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return cast("Schema", document.get("$defs", {}).get(name, {})) if name else schema
