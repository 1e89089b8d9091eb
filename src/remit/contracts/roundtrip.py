"""Values to JSON and back: what is written says everything that was there, and equal values are written alike.

All of it is decided when a contract is made; a call only uses the serializer that was built then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from pydantic import TypeAdapter
from pydantic_core import SchemaSerializer
from pydantic_core.core_schema import CoreConfig, CoreSchema, wrap_serializer_function_ser_schema

from remit.contracts.jsontext import compact
from remit.errors import ContractError

JsonSchema = dict[str, Any]


def json_schema_of(adapter: TypeAdapter[Any]) -> JsonSchema:
    """The JSON schema of a type, without titles: tokens that say nothing.

    Raises:
        ContractError: a field hides its value from JSON, as a secret does.
    """
    return cast("JsonSchema", _untitled(adapter.json_schema(by_alias=True), ""))


def serializer_of(adapter: TypeAdapter[Any]) -> SchemaSerializer:
    """Writes as pydantic does, but sets sorted, and numbers that are not finite as they are, so that they are seen.

    Raises:
        ContractError: a field is not written, or by another name than it is read by.
    """
    # Without the serializers that nested models have already: they do not sort.
    config = CoreConfig(ser_json_inf_nan="constants")
    return SchemaSerializer(cast("CoreSchema", _ordered(adapter.core_schema, "")), config, _use_prebuilt=False)


_BY_NAME: Final = frozenset({"properties", "$defs", "patternProperties"})
_VALUES: Final = frozenset({"default", "const", "enum", "examples"})


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


def _sorted(value: Any, write: Callable[[Any], list[Any]]) -> list[Any]:
    return sorted(write(value), key=compact)


_SORTED: Final = wrap_serializer_function_ser_schema(_sorted, when_used="json")
_FIELDS: Final = frozenset({"model-field", "dataclass-field", "typed-dict-field"})
_NO_SCHEMA: Final = frozenset({"default", "expected", "metadata"})


def _ordered(part: Any, name: str) -> Any:
    """The core schema with `_sorted` at each set, and finite or not told apart in each model."""
    if isinstance(part, list):
        return [_ordered(each, name) for each in cast("list[Any]", part)]
    if isinstance(part, tuple):  # a member of a union and its label
        return tuple(_ordered(each, name) for each in cast("tuple[Any, ...]", part))
    if not isinstance(part, dict):
        return part
    node = cast("dict[str, Any]", part)
    kind = node.get("type")
    if not isinstance(kind, str):  # schemas by name
        return {key: _ordered(value, key) for key, value in node.items()}
    if kind in _FIELDS:
        _check_field(node, node.get("name", name))
    copy = {key: value if key in _NO_SCHEMA else _ordered(value, name) for key, value in node.items()}
    if kind in ("set", "frozenset"):
        copy.setdefault("serialization", _SORTED)
    if "config" in copy:
        copy["config"] = {"ser_json_inf_nan": "constants", **copy["config"]}
    return copy


def _check_field(field: dict[str, Any], name: str) -> None:
    read, written = field.get("validation_alias", name), field.get("serialization_alias", name)
    by_that_name = read == written or (isinstance(read, list) and [written] in cast("list[object]", read))
    if not by_that_name or field.get("serialization_exclude"):
        raise ContractError(f"'{name}' does not come back from JSON: write it, and by the name that it is read by")
