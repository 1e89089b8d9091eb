"""Checks that JSON preserves every value of a type."""

from __future__ import annotations

from typing import Any, Final, Literal, cast

from pydantic import TypeAdapter

from remit.errors import ContractError
from remit.schemas.computed_defaults import may_differ
from remit.schemas.core_nodes import Node, extra_behavior, iter_nodes, keeps_extra_fields


def check_fields(adapter: TypeAdapter[Any]) -> None:
    """Refuse a type whose values JSON does not preserve.

    Raises:
        ContractError: a field is not written, or is written and read under different names.
    """
    for node in iter_nodes(adapter.core_schema):
        _check_fields(node)


def extra_when_read(adapter: TypeAdapter[Any]) -> Literal["ignore"] | None:
    """How a validator treats unknown keys in the output of `build_serializer`; None means as each class says.

    Computed fields are written, and computed again when they are read.
    """
    for node in iter_nodes(adapter.core_schema):
        if extra_behavior(node) != "ignore" and _fields_of(node).get("computed_fields"):
            return "ignore"
    return None


def _fields_of(node: Node) -> Node:
    while "schema" in node:
        node = node["schema"]
    return node


def computes_defaults(adapter: TypeAdapter[Any]) -> bool:
    """Whether a default comes from a function that may return another value each time, such as a clock."""
    factories = [node["default_factory"] for node in iter_nodes(adapter.core_schema) if "default_factory" in node]
    return any(map(may_differ, factories))


_NOT_WRITTEN: Final = ("serialization_exclude", "init_only")
"""The fields that pydantic never writes: excluded ones, and those that dataclasses do not keep."""


def is_untyped(adapter: TypeAdapter[Any]) -> bool:
    """Whether a part of a value has no type, so that JSON may read it as another type, such as a text for a date."""
    return any(node["type"] == "any" or keeps_extra_fields(node) for node in iter_nodes(adapter.core_schema))


def needs_round_trip_check(adapter: TypeAdapter[Any]) -> bool:
    """Whether each value must be checked, because the type alone does not prove that JSON is lossless.

    This holds for custom serializers, and for types that have both computed fields and unknown keys.
    """
    nodes = list(iter_nodes(adapter.core_schema))
    computes = any(node.get("computed_fields") for node in nodes)
    return (computes and any(map(keeps_extra_fields, nodes))) or any(_has_custom_serializer(node) for node in nodes)


def leaves_out_values(adapter: TypeAdapter[Any]) -> bool:
    """Whether a field is omitted from JSON for some values.

    Results may omit values. Arguments must not, because they would run with a value that the approver did not see.
    """
    return any(node.get("serialization_exclude_if") for node in iter_nodes(adapter.core_schema))


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
    if not by_that_name or any(map(field.get, _NOT_WRITTEN)):
        raise ContractError(f"'{name}' is lost in JSON: serialise it, under the name by which it is validated")
