"""Deterministic JSON serialisation that is checked to be lossless.

Types are checked when a contract is made; the serializer is built when the first value is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, Final, cast, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.dataclasses import is_pydantic_dataclass
from pydantic_core import SchemaSerializer, SchemaValidator
from pydantic_core.core_schema import (
    CoreConfig,
    CoreSchema,
    plain_serializer_function_ser_schema,
    wrap_serializer_function_ser_schema,
)

from remit.errors import ContractError
from remit.schemas.jsontext import compact_json

Node = dict[str, Any]


def check_fields(adapter: TypeAdapter[Any]) -> None:
    """Refuse a type whose values JSON does not preserve.

    Raises:
        ContractError: a field is not written, or is written and read under different names.
    """
    for node in iter_nodes(adapter.core_schema):
        _check_fields(node)


def build_serializer(adapter: TypeAdapter[Any], *, include_computed: bool = True) -> SchemaSerializer:
    """Build pydantic's serializer, with sorted sets and literal non-finite numbers, so that these are detected.

    ``include_computed``: whether to write a model's computed fields.
    """
    schema = adapter.core_schema if include_computed else _transform_nodes(adapter.core_schema, _drop_computed_fields)
    return _build_sorting_serializer(schema)


def build_validator(adapter: TypeAdapter[Any]) -> SchemaValidator:
    """Build a validator for the output of `build_serializer`. It ignores computed fields and computes them again."""
    if not any(node.get("computed_fields") for node in iter_nodes(adapter.core_schema)):
        return cast("SchemaValidator", adapter.validator)
    return SchemaValidator(
        cast("CoreSchema", _transform_nodes(adapter.core_schema, _ignore_computed_fields)), _use_prebuilt=False
    )


def computes_defaults(adapter: TypeAdapter[Any]) -> bool:
    """Whether a default comes from a function that may return another value each time, such as a clock."""
    factories = [node["default_factory"] for node in iter_nodes(adapter.core_schema) if "default_factory" in node]
    return any(get_origin(each) not in _EMPTY_TYPES and each not in _EMPTY_TYPES for each in factories)


_EMPTY_TYPES: Final = (list, dict, set, frozenset, tuple, str)


def needs_round_trip_check(adapter: TypeAdapter[Any]) -> bool:
    """Whether each value must be checked, because the type alone does not prove that JSON is lossless.

    This holds for custom serializers, and for types that have both computed fields and unknown keys.
    """
    nodes = list(iter_nodes(adapter.core_schema))
    computes = any(node.get("computed_fields") for node in nodes)
    return (computes and any(map(_keeps_extra_fields, nodes))) or any(_has_custom_serializer(node) for node in nodes)


def sort_sets(value: object) -> object:
    """Return ``value`` with sorted lists in place of its sets."""
    if type(value) in _SCALAR_TYPES:
        return value
    try:
        compact_json(value)  # fails on sets: the quickest way to find out that there are none
    except (TypeError, ValueError, RecursionError):
        return _sort_nested_sets(value)
    return value


_SCALAR_TYPES: Final = frozenset({str, int, float, bool, type(None)})


def _sort_nested_sets(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        return sorted((_to_json_value(_sort_nested_sets(part)) for part in cast("set[Any]", value)), key=compact_json)
    if isinstance(value, dict):
        return {key: _sort_nested_sets(part) for key, part in cast("dict[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_sort_nested_sets(part) for part in cast("list[Any]", value)]
    kind = cast("type[Any]", type(value))
    if issubclass(kind, BaseModel) or is_pydantic_dataclass(kind):
        return _class_serializer(kind).to_python(value, mode="json", by_alias=True)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _sort_nested_sets(getattr(value, field.name)) for field in fields(value)}
    return value


def _to_json_value(value: Any) -> Any:
    return _ANY_SERIALIZER.to_python(value, mode="json", by_alias=True)


@lru_cache(maxsize=256)
def _class_serializer(kind: type) -> SchemaSerializer:
    adapter = TypeAdapter[Any](kind)
    adapter.rebuild()  # that of a model with defer_build has no schema yet
    return _build_sorting_serializer(adapter.core_schema)


def _build_sorting_serializer(schema: Any) -> SchemaSerializer:
    # The prebuilt serializers of nested models do not sort, so they are not used.
    return SchemaSerializer(
        cast("CoreSchema", _transform_nodes(schema, _add_set_sorting)), _NON_FINITE_CONFIG, _use_prebuilt=False
    )


def _serialize_sorted(value: Any, write: Callable[[Any], list[Any]]) -> list[Any]:
    return sorted(write(value), key=compact_json)


_NON_FINITE_CONFIG: Final = CoreConfig(ser_json_inf_nan="constants")
_SORTED_SET_SERIALIZATION: Final = wrap_serializer_function_ser_schema(_serialize_sorted, when_used="json")
_SORT_SETS_SERIALIZATION: Final = plain_serializer_function_ser_schema(sort_sets, when_used="json")
_ANY_SERIALIZER: Final = SchemaSerializer({"type": "any"}, _NON_FINITE_CONFIG)
_CONTAINER_TYPES: Final = (dict, list, tuple)
_NON_SCHEMA_KEYS: Final = frozenset({"default", "expected", "metadata", "keys_schema"})


def iter_nodes(schema: Any) -> Iterator[Node]:
    """Iterate over the nodes of a core schema, outermost first."""
    pending = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            node = cast("Node", part)
            is_mapping = not isinstance(node.get("type"), str)  # schemas by name
            if not is_mapping:
                yield node
            for key, value in reversed(node.items()):
                if isinstance(value, _CONTAINER_TYPES) and (is_mapping or key not in _NON_SCHEMA_KEYS):
                    pending.append(value)
        elif isinstance(part, (list, tuple)):
            pending += reversed(cast("list[Any]", part))


def _transform_nodes(part: Any, change: Callable[[Node], None]) -> Any:
    """Copy a core schema and apply ``change`` to each node, innermost first."""
    if isinstance(part, (list, tuple)):  # a tuple holds a union member and its label
        return type(cast("list[Any]", part))(_transform_nodes(each, change) for each in cast("list[Any]", part))
    if not isinstance(part, dict):
        return part
    node = cast("Node", part)
    if not isinstance(node.get("type"), str):  # schemas by name
        return {key: _transform_nodes(value, change) for key, value in node.items()}
    copy = {key: value if key in _NON_SCHEMA_KEYS else _transform_nodes(value, change) for key, value in node.items()}
    change(copy)
    return copy


def _add_set_sorting(node: Node) -> None:
    """Sort sets, and values of any type; keep non-finite numbers in every model."""
    if node["type"] in ("set", "frozenset"):
        node.setdefault("serialization", _SORTED_SET_SERIALIZATION)
    elif _accepts_anything(node):
        node.setdefault("serialization", _SORT_SETS_SERIALIZATION)
    if node.get("serialization", _SORT_SETS_SERIALIZATION)["type"] == "any":
        node["serialization"] = _SORT_SETS_SERIALIZATION
    if "config" in node:
        node["config"] = {**_NON_FINITE_CONFIG, **node["config"]}
        if node["type"] == "model" and node["schema"]["type"] == "model-fields" and _keeps_extra_fields(node):
            node["schema"].setdefault("extras_schema", {"type": "any", "serialization": _SORT_SETS_SERIALIZATION})


def _keeps_extra_fields(node: Node) -> bool:
    return node.get("config", {}).get("extra_fields_behavior") == "allow"


def _accepts_anything(node: Node) -> bool:
    """Whether the node, or each element of its list or dictionary, has the type Any. One pass then sorts it all."""
    inside = {"dict": "values_schema", "list": "items_schema"}.get(node["type"])
    inner = node if inside is None else node.get(inside, _ANY_SCHEMA)
    return inner["type"] == "any"


_ANY_SCHEMA: Final = {"type": "any"}


def _drop_computed_fields(node: Node) -> None:
    if "computed_fields" in node:
        node["computed_fields"] = []


def _ignore_computed_fields(node: Node) -> None:
    if node.get("computed_fields"):
        node["extra_behavior"] = "ignore"


def _has_custom_serializer(node: Node) -> bool:
    function = node.get("function") if node["type"] in ("function-plain", "function-wrap") else None
    return callable(function) and not function.__module__.startswith("pydantic")


def _check_fields(node: Node) -> None:
    if node["type"] == "dataclass-args":
        for field in node["fields"]:
            _check_field(field, field["name"])
    elif node["type"] in ("model-fields", "typed-dict"):
        for name, field in node["fields"].items():
            _check_field(field, name)


def _check_field(field: Node, name: str) -> None:
    read, written = field.get("validation_alias", name), field.get("serialization_alias", name)
    by_that_name = read == written or (isinstance(read, list) and [written] in cast("list[object]", read))
    if not by_that_name or field.get("serialization_exclude"):
        raise ContractError(f"'{name}' is lost in JSON: serialise it, under the name by which it is validated")
