"""Schemas of OpenAPI as JSON Schema 2020-12, each with the definitions that it refers to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from remit.openapi.document import Document, Part
from remit.schemas.json_schema import JsonSchema
from remit.schemas.schema_document import map_children

_LEFT_OUT: Final = frozenset(
    {"discriminator", "example", "examples", "externalDocs", "nullable", "readOnly", "writeOnly", "xml"}
)
"""Keywords of OpenAPI that say nothing about which values are valid, or are translated."""

_LIMITS: Final = (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum"))
_NAME: Final = re.compile(r"[^A-Za-z0-9_.-]+")


class SchemaReader:
    """Reads schemas of one document for one operation, and collects the definitions that they share.

    ``is_request``: whether the values are sent, so that those which only the server sets are left out.
    """

    def __init__(self, document: Document, *, is_request: bool = True) -> None:
        self._document, self._is_request = document, is_request
        self._names = dict[str, str]()
        self.definitions: JsonSchema = {}

    def read(self, part: Part) -> JsonSchema:
        """The schema of a part.

        Raises:
            ContractError: it refers to something else than a part of the document.
        """
        return cast("JsonSchema", self._convert("", part.value))

    def _convert(self, _key: str, schema: object) -> object:
        if not isinstance(schema, dict):
            return schema
        node = cast("JsonSchema", schema)
        if "$ref" in node:
            reference = {"$ref": f"#/$defs/{self._define(node['$ref'])}"}
            kept = {} if self._document.is_3_0 else {key: each for key, each in node.items() if key != "$ref"}
            told: JsonSchema = {**cast("JsonSchema", self._convert("", kept)), **reference}
        else:
            told = map_children(self._without_server_fields(node), self._convert)
        if self._document.is_3_0:
            told = _translate_3_0(told)
        return {key: each for key, each in told.items() if key not in _LEFT_OUT and not key.startswith("x-")}

    def _define(self, reference: object) -> str:
        """The name of the definition for a reference."""
        text = str(reference)
        if text in self._names:
            return self._names[text]
        part = self._document.find(reference, Part({"$ref": reference}, ()))
        wanted = _NAME.sub("_", str(part.path[-1])) or "part"
        name, number = wanted, 2
        while name in self.definitions:
            name, number = f"{wanted}_{number}", number + 1
        self._names[text] = name
        self.definitions[name] = {}  # a schema may refer to itself
        self.definitions[name] = self._convert("", part.value)
        return name

    def _without_server_fields(self, node: JsonSchema) -> JsonSchema:
        """A schema of an object without the properties that only one side sets: the server, or the client."""
        mark = "readOnly" if self._is_request else "writeOnly"
        properties: object = node.get("properties")
        if not isinstance(properties, dict):
            return node
        named = cast("dict[str, object]", properties)
        hidden = {key for key, each in named.items() if isinstance(each, dict) and cast("JsonSchema", each).get(mark)}
        if not hidden:
            return node
        told = {**node, "properties": {key: each for key, each in named.items() if key not in hidden}}
        if isinstance(node.get("required"), list):
            told["required"] = [each for each in node["required"] if each not in hidden]
        return told


def _translate_3_0(node: Mapping[str, Any]) -> JsonSchema:
    """A schema of OpenAPI 3.0 in 2020-12, apart from its subschemas."""
    told = dict(node)
    for exclusive, limit in _LIMITS:
        if isinstance(told.get(exclusive), bool):
            is_exclusive = told.pop(exclusive)
            if is_exclusive and limit in told:
                told[exclusive] = told.pop(limit)
    if told.get("nullable") is not True:
        return told
    if "enum" in told and None not in told["enum"]:
        told["enum"] = [*told["enum"], None]
    kind: object = told.get("type")
    if isinstance(kind, str):
        told["type"] = [kind, "null"]
        return told
    words = {key: told.pop(key) for key in ("title", "description", "default", "deprecated") if key in told}
    rest = {key: each for key, each in told.items() if key not in _LEFT_OUT}
    return {**words, "anyOf": [rest, {"type": "null"}]} if rest else words
