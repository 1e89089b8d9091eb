"""Values to JSON and back: what is written says everything that was there, and equal values are written alike.

Whether a type can be a contract's is decided when the contract is made; its serializer is built for the first value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, Final, cast

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
from remit.schemas.jsontext import compact

Node = dict[str, Any]


def check_fields(adapter: TypeAdapter[Any]) -> None:
    """Refuse a type that does not come back as it was.

    Raises:
        ContractError: a field is not written, or by another name than it is read by.
    """
    for node in _nodes(adapter.core_schema):
        _check_fields(node)


def serializer_of(adapter: TypeAdapter[Any], *, computed: bool = True) -> SchemaSerializer:
    """Writes as pydantic does, but sets sorted, and numbers that are not finite as they are, so that they are seen.

    ``computed``: whether to write what a model computes of its fields, too.
    """
    schema = adapter.core_schema if computed else _changed(adapter.core_schema, _compute_nothing)
    return _serializer(schema)


def validator_of(adapter: TypeAdapter[Any]) -> SchemaValidator:
    """Reads what `serializer_of` writes: what was computed is there, and is computed anew."""
    if not any(node.get("computed_fields") for node in _nodes(adapter.core_schema)):
        return cast("SchemaValidator", adapter.validator)
    return SchemaValidator(cast("CoreSchema", _changed(adapter.core_schema, _expect_computed)), _use_prebuilt=False)


def is_doubtful(adapter: TypeAdapter[Any]) -> bool:
    """Whether only a look at each value can tell that it comes back: serializers of its own may write anything.

    So may one that keeps unknown keys and computes known ones.
    """
    nodes = list(_nodes(adapter.core_schema))
    computes = any(node.get("computed_fields") for node in nodes)
    return (computes and any(map(_keeps_unknown, nodes))) or any(_is_own(node) for node in nodes)


def in_order(value: object) -> object:
    """``value``, or where it holds sets, the same with sorted lists in their place."""
    if type(value) in _SCALARS:
        return value
    try:
        compact(value)  # which takes no set: the quickest way to know that there is none
    except (TypeError, ValueError, RecursionError):
        return _arranged(value)
    return value


_SCALARS: Final = frozenset({str, int, float, bool, type(None)})


def _arranged(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(_arranged(part)) for part in cast("set[Any]", value)), key=compact)
    if isinstance(value, dict):
        return {key: _arranged(part) for key, part in cast("dict[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_arranged(part) for part in cast("list[Any]", value)]
    kind = cast("type[Any]", type(value))
    if issubclass(kind, BaseModel) or is_pydantic_dataclass(kind):
        return _serializer_of_class(kind).to_python(value, mode="json", by_alias=True)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _arranged(getattr(value, field.name)) for field in fields(value)}
    return value


def _plain(value: Any) -> Any:
    return _ANYTHING.to_python(value, mode="json", by_alias=True)


@lru_cache(maxsize=256)
def _serializer_of_class(kind: type) -> SchemaSerializer:
    return _serializer(TypeAdapter[Any](kind).core_schema)


def _serializer(schema: Any) -> SchemaSerializer:
    # Without the serializers that nested models have already: they do not sort.
    return SchemaSerializer(cast("CoreSchema", _changed(schema, _sort)), _NOT_FINITE, _use_prebuilt=False)


def _sorted(value: Any, write: Callable[[Any], list[Any]]) -> list[Any]:
    return sorted(write(value), key=compact)


_NOT_FINITE: Final = CoreConfig(ser_json_inf_nan="constants")
_SORTED: Final = wrap_serializer_function_ser_schema(_sorted, when_used="json")
_IN_ORDER: Final = plain_serializer_function_ser_schema(in_order, when_used="json")
_ANYTHING: Final = SchemaSerializer({"type": "any"}, _NOT_FINITE)
_HOLDING: Final = (dict, list, tuple)
_NO_SCHEMA: Final = frozenset({"default", "expected", "metadata", "keys_schema"})


def _nodes(schema: Any) -> Iterator[Node]:
    """Every node of a core schema, the outermost first."""
    left = [schema]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            node = cast("Node", part)
            named = not isinstance(node.get("type"), str)  # schemas by name
            if not named:
                yield node
            for key, value in reversed(node.items()):
                if isinstance(value, _HOLDING) and (named or key not in _NO_SCHEMA):
                    left.append(value)
        elif isinstance(part, (list, tuple)):
            left += reversed(cast("list[Any]", part))


def _changed(part: Any, change: Callable[[Node], None]) -> Any:
    """A copy of a core schema with ``change`` made to each of its nodes, the innermost first."""
    if isinstance(part, (list, tuple)):  # a tuple is a member of a union and its label
        return type(cast("list[Any]", part))(_changed(each, change) for each in cast("list[Any]", part))
    if not isinstance(part, dict):
        return part
    node = cast("Node", part)
    if not isinstance(node.get("type"), str):  # schemas by name
        return {key: _changed(value, change) for key, value in node.items()}
    copy = {key: value if key in _NO_SCHEMA else _changed(value, change) for key, value in node.items()}
    change(copy)
    return copy


def _sort(node: Node) -> None:
    """Sort at each set and wherever anything may be; tell finite or not in each model."""
    if node["type"] in ("set", "frozenset"):
        node.setdefault("serialization", _SORTED)
    elif _is_anything(node):
        node.setdefault("serialization", _IN_ORDER)
    if node.get("serialization", _IN_ORDER)["type"] == "any":
        node["serialization"] = _IN_ORDER
    if "config" in node:
        node["config"] = {**_NOT_FINITE, **node["config"]}
        if node["type"] == "model" and node["schema"]["type"] == "model-fields" and _keeps_unknown(node):
            node["schema"].setdefault("extras_schema", {"type": "any", "serialization": _IN_ORDER})


def _keeps_unknown(node: Node) -> bool:
    return node.get("config", {}).get("extra_fields_behavior") == "allow"


def _is_anything(node: Node) -> bool:
    """Whether the node, or all that a list or dictionary holds, is of any type: one look at the whole is enough."""
    inside = {"dict": "values_schema", "list": "items_schema"}.get(node["type"])
    inner = node if inside is None else node.get(inside, _ANY)
    return inner["type"] == "any"


_ANY: Final = {"type": "any"}


def _compute_nothing(node: Node) -> None:
    if "computed_fields" in node:
        node["computed_fields"] = []


def _expect_computed(node: Node) -> None:
    if node.get("computed_fields"):
        node["extra_behavior"] = "ignore"


def _is_own(node: Node) -> bool:
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
        raise ContractError(f"'{name}' does not come back from JSON: write it, and by the name that it is read by")
