"""The JSON schema of a type, as pydantic describes it, less what says nothing to a model."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, cast

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core.core_schema import CoreSchemaType

from remit.errors import ContractError

JsonSchema = dict[str, Any]


def json_schema_of(adapter: TypeAdapter[Any]) -> JsonSchema:
    """The JSON schema of a type, without titles: tokens that say nothing.

    Raises:
        ContractError: a field hides its value from JSON, as a secret does.
    """
    schema = cast("JsonSchema", _untitled(adapter.json_schema(by_alias=True, schema_generator=_Describing), ""))
    root = schema.pop("$ref", None)  # of a type that holds itself; providers want to see an object
    return schema if root is None else {**schema["$defs"][root.removeprefix("#/$defs/")], **schema}


class _Describing(GenerateJsonSchema):
    """Pydantic's own generator, less what it does anew for every type: an application has a thousand of them."""

    def build_schema_type_to_method(self) -> dict[Any, Callable[[Any], JsonSchema]]:
        """The method for each kind of core schema, by names that are looked up once."""
        return {kind: getattr(self, name) for kind, name in _method_names()}

    def encode_default(self, dft: Any) -> Any:
        """A default as JSON; one that is JSON already needs no type adapter."""
        if dft is None or type(dft) in _PLAIN or (type(dft) is str and dft.isascii()):
            return dft
        return super().encode_default(dft)

    def field_title_should_be_set(self, schema: Any) -> bool:
        """No: titles are left out."""
        return False


@cache
def _method_names() -> tuple[tuple[CoreSchemaType, str], ...]:
    methods = cast("dict[CoreSchemaType, Callable[..., Any]]", GenerateJsonSchema().build_schema_type_to_method())
    return tuple((kind, method.__name__) for kind, method in methods.items())


_PLAIN: Final = frozenset({bool, int})
_BY_NAME: Final = frozenset({"properties", "$defs", "patternProperties"})
_VALUES: Final = frozenset({"default", "const", "enum", "examples", "discriminator"})


def _untitled(schema: Any, name: str) -> Any:
    if isinstance(schema, list):
        return [_untitled(part, name) for part in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    kept: JsonSchema = {}
    for key, value in cast("JsonSchema", schema).items():
        if key == "writeOnly":
            raise ContractError(f"'{name}' hides its value from JSON: it cannot be an argument or a result")
        if key in _BY_NAME:
            kept[key] = {each: _untitled(part, each) for each, part in value.items()}
        elif key != "title":
            kept[key] = value if key in _VALUES else _untitled(value, name)
    return kept
