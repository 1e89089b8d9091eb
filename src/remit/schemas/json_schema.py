"""The JSON schema of a type, as pydantic describes it, less what says nothing to a model."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, cast
from weakref import proxy

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core.core_schema import CoreSchemaType

from remit.errors import ContractError

JsonSchema = dict[str, Any]
SchemaMethod = Callable[[Any], JsonSchema]


def generate_json_schema(adapter: TypeAdapter[Any]) -> JsonSchema:
    """The JSON schema of a type, without titles: tokens that say nothing.

    Raises:
        ContractError: a field hides its value from JSON, as a secret does.
    """
    schema = cast(
        "JsonSchema", _strip_titles(adapter.json_schema(by_alias=True, schema_generator=_SchemaGenerator), "")
    )
    root = schema.pop("$ref", None)  # of a type that holds itself; providers want to see an object
    return schema if root is None else {**schema["$defs"][root.removeprefix("#/$defs/")], **schema}


class _SchemaGenerator(GenerateJsonSchema):
    """Pydantic's own generator, less what few types need of it: an application has a thousand of them."""

    def generate(self, schema: Any, mode: Any = "validation") -> JsonSchema:
        """The whole. Where no part of it has a name, there is nothing to gather, to count and to name anew."""
        nameless = {key: value for key, value in schema.items() if key != "ref"}
        result = self.generate_inner(nameless)
        return super().generate(schema, mode) if self.core_to_defs_refs else self.sort(result)

    def generate_inner(self, schema: Any) -> JsonSchema:
        """One part. Where nothing but words is hung on it, it says what its kind does, and these."""
        metadata: JsonSchema = schema.get("metadata") or _NO_METADATA
        if "ref" in schema or "serialization" in schema or not metadata.keys() <= _PLAIN_METADATA_KEYS:
            return super().generate_inner(schema)
        result = self._methods[schema["type"]](schema)
        return {**result, **metadata["pydantic_js_updates"]} if metadata else result

    def build_schema_type_to_method(self) -> dict[Any, SchemaMethod]:
        """The method for each kind of core schema."""
        self._methods = _MethodsByKind(self)
        return self._methods

    def encode_default(self, dft: Any) -> Any:
        """A default as JSON; one that is JSON already needs no type adapter."""
        if dft is None or type(dft) in _JSON_SCALARS or (type(dft) is str and dft.isascii()):
            return dft
        return super().encode_default(dft)

    def field_title_should_be_set(self, schema: Any) -> bool:
        """No: titles are left out."""
        return False


class _MethodsByKind(dict[Any, SchemaMethod]):
    """The methods of a generator by kind of core schema, each looked up when a part of that kind comes.

    They do not hold the generator: a thousand that hold themselves are garbage that takes long to find.
    """

    def __init__(self, generator: GenerateJsonSchema) -> None:
        self._generator = proxy(generator)

    def __missing__(self, kind: CoreSchemaType) -> SchemaMethod:
        return cast("SchemaMethod", getattr(self._generator, _method_names()[kind]))


@cache
def _method_names() -> dict[CoreSchemaType, str]:
    methods = cast("dict[CoreSchemaType, SchemaMethod]", GenerateJsonSchema().build_schema_type_to_method())
    return {kind: method.__name__ for kind, method in methods.items()}


_NO_METADATA: Final[JsonSchema] = {}
_PLAIN_METADATA_KEYS: Final = frozenset({"pydantic_js_updates"})
_JSON_SCALARS: Final = frozenset({bool, int})
_NAMED_SCHEMA_KEYS: Final = frozenset({"properties", "$defs", "patternProperties"})
_LITERAL_VALUE_KEYS: Final = frozenset({"default", "const", "enum", "examples", "discriminator"})


def _strip_titles(schema: Any, name: str) -> Any:
    if isinstance(schema, list):
        return [_strip_titles(part, name) for part in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    kept: JsonSchema = {}
    for key, value in cast("JsonSchema", schema).items():
        if key == "writeOnly":
            raise ContractError(f"'{name}' hides its value from JSON: it cannot be an argument or a result")
        if key in _NAMED_SCHEMA_KEYS:
            kept[key] = {each: _strip_titles(part, each) for each, part in value.items()}
        elif key != "title":
            kept[key] = value if key in _LITERAL_VALUE_KEYS else _strip_titles(value, name)
    return kept
