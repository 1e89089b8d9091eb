"""Generates the JSON schema of a type with pydantic, without parts that are useless to a model."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, cast
from weakref import proxy

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core.core_schema import CoreSchemaType

from remit.errors import ContractError
from remit.schemas.mapping_keys import show_keys

JsonSchema = dict[str, Any]
TIME: Final = r"^\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$"
"""A time of day with an optional zone; the format ``time`` requires one."""
LOCAL_DATE_TIME: Final = r"^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$"
"""The format of `NaiveDatetime`; the format ``date-time`` requires a zone."""
SchemaMethod = Callable[[Any], JsonSchema]


def generate_json_schema(adapter: TypeAdapter[Any]) -> JsonSchema:
    """Generate the JSON schema of a type without titles, which only cost tokens.

    Raises:
        ContractError: a field hides its value from JSON, as ``SecretStr`` does.
    """
    schema = cast(
        "JsonSchema", _strip_titles(adapter.json_schema(by_alias=True, schema_generator=_SchemaGenerator), "")
    )
    root = schema.pop("$ref", None)  # a recursive type; providers require an object at the root
    return schema if root is None else {**schema["$defs"][root.removeprefix("#/$defs/")], **schema}


def list_properties(schema: JsonSchema) -> frozenset[str]:
    """The names of all properties that a schema declares, at any depth."""
    names: set[str] = set()
    parts: list[object] = [schema]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            found = cast("JsonSchema", part)
            if isinstance(properties := found.get("properties"), dict):
                names.update(cast("JsonSchema", properties))
            parts += found.values()
        elif isinstance(part, list):
            parts += cast("list[object]", part)
    return frozenset(names)


class _SchemaGenerator(GenerateJsonSchema):
    """Pydantic's generator with shortcuts for simple types, of which an application has thousands."""

    def generate(self, schema: Any, mode: Any = "validation") -> JsonSchema:
        """Generate the whole schema. Without definitions, there are no references to collect, count and rename."""
        nameless = {key: value for key, value in schema.items() if key != "ref"}
        result = self.generate_inner(nameless)
        return super().generate(schema, mode) if self.core_to_defs_refs else self.sort(result)

    def generate_inner(self, schema: Any) -> JsonSchema:
        """Generate one node. Nodes with only plain annotations skip pydantic's handlers."""
        metadata: JsonSchema = schema.get("metadata") or _NO_METADATA
        if "keys_schema" in schema and (keys := show_keys(schema)) is not None:
            return {**super().generate_inner(cast("Any", {**schema, "keys_schema": _ANY})), "propertyNames": keys}
        if "ref" in schema or "serialization" in schema or not metadata.keys() <= _PLAIN_METADATA_KEYS:
            return super().generate_inner(schema)
        if schema["type"] in _BOUNDED and _is_empty_range(schema):
            return {"not": {}}
        result = self._methods[schema["type"]](schema)
        return {**result, **metadata["pydantic_js_updates"]} if metadata else result

    def build_schema_type_to_method(self) -> dict[Any, SchemaMethod]:
        """Map each kind of core schema to its method."""
        self._methods = _MethodsByKind(self)
        return self._methods

    def time_schema(self, schema: Any) -> JsonSchema:
        """Show a time of day, which needs no zone."""
        return {"type": "string", "pattern": TIME}

    def datetime_schema(self, schema: Any) -> JsonSchema:
        """Show a moment, or a local date and time."""
        is_local = schema.get("tz_constraint") == "naive"
        return {"type": "string", "pattern": LOCAL_DATE_TIME} if is_local else super().datetime_schema(schema)

    def complex_schema(self, schema: Any) -> JsonSchema:
        """Show a complex number, which is a text in a special format."""
        return {"type": "string", "format": "complex"}

    def encode_default(self, dft: Any) -> Any:
        """Encode a default as JSON. Scalars that are valid JSON need no type adapter."""
        if dft is None or type(dft) in _JSON_SCALARS or (type(dft) is str and dft.isascii()):
            return dft
        return super().encode_default(dft)

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Omit titles."""
        return False


class _MethodsByKind(dict[Any, SchemaMethod]):
    """The generator's methods by kind of core schema, looked up on first use.

    The reference to the generator is weak: thousands of reference cycles would burden the garbage collector.
    """

    def __init__(self, generator: GenerateJsonSchema) -> None:
        self._generator = proxy(generator)

    def __missing__(self, kind: CoreSchemaType) -> SchemaMethod:
        return cast("SchemaMethod", getattr(self._generator, _method_names()[kind]))


@cache
def _method_names() -> dict[CoreSchemaType, str]:
    methods = cast("dict[CoreSchemaType, SchemaMethod]", GenerateJsonSchema().build_schema_type_to_method())
    return {kind: method.__name__ for kind, method in methods.items()}


def _is_empty_range(node: JsonSchema) -> bool:
    """Whether the bounds of a type exclude each other. The JSON schema of its text form shows no bounds."""
    try:
        return any(
            low in node and high in node and not (node[low] <= node[high] if is_open else node[low] < node[high])
            for low, high, is_open in _BOUNDS
        )
    except TypeError:  # only one of them has a zone
        return False


_BOUNDED: Final = frozenset({"date", "datetime", "decimal", "fraction", "time", "timedelta"})
_BOUNDS: Final = (("ge", "le", True), ("ge", "lt", False), ("gt", "le", False), ("gt", "lt", False))
_NO_METADATA: Final[JsonSchema] = {}
_ANY: Final[JsonSchema] = {"type": "any"}
_PLAIN_METADATA_KEYS: Final = frozenset({"pydantic_js_updates"})
_JSON_SCALARS: Final = frozenset({bool, int})
_NAMED_SCHEMA_KEYS: Final = frozenset({"properties", "$defs", "patternProperties"})
_LITERAL_VALUE_KEYS: Final = frozenset({"default", "const", "enum", "examples", "discriminator"})


def _strip_titles(schema: Any, name: str) -> Any:
    if isinstance(schema, list):
        return [_strip_titles(part, name) for part in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    stripped: JsonSchema = {}
    for key, value in cast("JsonSchema", schema).items():
        if key == "writeOnly":
            raise ContractError(f"'{name}' hides its value from JSON, so it cannot be an argument or a result")
        if key in _NAMED_SCHEMA_KEYS:
            stripped[key] = {each: _strip_titles(part, each) for each, part in value.items()}
        elif key != "title":
            stripped[key] = value if key in _LITERAL_VALUE_KEYS else _strip_titles(value, name)
    return stripped
