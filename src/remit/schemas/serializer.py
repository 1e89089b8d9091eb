"""Serializers that write deterministic JSON: sets are sorted, and no number is silently replaced."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, Final, cast

from pydantic import BaseModel, TypeAdapter
from pydantic.dataclasses import is_pydantic_dataclass
from pydantic_core import SchemaSerializer
from pydantic_core.core_schema import (
    CoreConfig,
    CoreSchema,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    any_schema,
    definitions_schema,
    plain_serializer_function_ser_schema,
    tuple_schema,
    union_schema,
    wrap_serializer_function_ser_schema,
)

from remit.schemas.core_nodes import Node, iter_nodes, keeps_extra_fields, list_choices, transform_nodes
from remit.schemas.jsontext import canonical_text, compact_json


def build_serializer(adapter: TypeAdapter[Any], *, include_computed: bool = True) -> SchemaSerializer:
    """Build a serializer that sorts sets, and writes non-finite numbers literally so that they are detected.

    ``include_computed`` says whether to write a model's computed fields.
    """
    schema = adapter.core_schema if include_computed else transform_nodes(adapter.core_schema, _drop_computed_fields)
    return _build_sorting_serializer(schema)


def sort_sets(value: object, context: object = None) -> object:
    """Return ``value`` with sorted lists instead of its sets. ``context`` is pydantic's, for the models in it.

    Raises:
        ValueError: two keys of a mapping have the same text, such as 1 and "1".
    """
    if type(value) in _SCALAR_TYPES:
        return value
    try:
        canonical_text(value)  # fails on sets and on keys of mixed types, which is the quickest test
    except (TypeError, ValueError, RecursionError):
        return _sort_nested_sets(value, context)
    return value


def _serialize_any(value: object, info: SerializationInfo[Any]) -> object:
    return sort_sets(value, info.context)


_SCALAR_TYPES: Final = frozenset({str, int, float, bool, type(None)})


def _sort_nested_sets(value: Any, context: object) -> Any:
    if isinstance(value, (set, frozenset)):
        parts = (_sort_nested_sets(part, context) for part in cast("set[Any]", value))
        return sorted(map(_to_json_value, parts), key=compact_json)
    if isinstance(value, dict):
        named = cast("dict[Any, Any]", value)
        if len(_to_json_value(dict.fromkeys(named))) < len(named):
            raise ValueError("two keys of a mapping have the same text in JSON, such as 1 and '1'")
        return {key: _sort_nested_sets(part, context) for key, part in named.items()}
    if isinstance(value, (list, tuple)):
        return [_sort_nested_sets(part, context) for part in cast("list[Any]", value)]
    kind = cast("type[Any]", type(value))
    if issubclass(kind, BaseModel) or is_pydantic_dataclass(kind):
        return _write_by_class(value, context)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _sort_nested_sets(getattr(value, field.name), context) for field in fields(value)}
    return value


def _to_json_value(value: Any) -> Any:
    return _ANY_SERIALIZER.to_python(value, mode="json", by_alias=True)


def _write_by_class(value: object, context: object) -> Any:
    return _class_serializer(type(value)).to_python(value, mode="json", by_alias=True, context=context)


@lru_cache(maxsize=256)
def _class_serializer(kind: type) -> SchemaSerializer:
    adapter = TypeAdapter[Any](kind)
    adapter.rebuild()  # a model with defer_build has no schema yet
    return _build_sorting_serializer(adapter.core_schema)


def _build_sorting_serializer(schema: Any) -> SchemaSerializer:
    """Build a serializer from the whole schema.

    For a complete model or dataclass, pydantic-core ignores the schema and uses the serializer of the class, which does
    not sort. Therefore the schema names a stand-in for each class.
    """
    definitions = [part for node in iter_nodes(schema) for part in node.get("definitions", ())]

    def change(node: Node, original: Node) -> None:
        _add_set_sorting(node)
        if node["type"] == "json":
            node.setdefault("serialization", _JSON_TEXT_SERIALIZATION)
        elif node["type"] in _CLASS_TYPES:
            _use_stand_in(node)
        elif node["type"] == "union" and _is_ambiguous(original):
            choices: dict[str, Any] = {str(index): choice for index, choice in enumerate(list_choices(node))}
            # Stand-ins fail the first, strict attempt; a tuple among the choices makes pydantic try again.
            choices["lax"] = tuple_schema([])
            chooser = _build_chooser(list_choices(original), definitions)
            node.update(type="tagged-union", choices=choices, discriminator=chooser)

    return SchemaSerializer(cast("CoreSchema", transform_nodes(schema, change)), _NON_FINITE_CONFIG)


def _serialize_sorted(value: Any, write: Callable[[Any], list[Any]]) -> list[Any]:
    return sorted(write(value), key=compact_json)


def _write_json_text(value: Any, write: Callable[[Any], Any]) -> str:
    """Write JSON within a text, in the form in which it is read."""
    return canonical_text(write(value))


_NON_FINITE_CONFIG: Final = CoreConfig(ser_json_inf_nan="constants")
_SORTED_SET_SERIALIZATION: Final = wrap_serializer_function_ser_schema(_serialize_sorted, when_used="json")
_JSON_TEXT_SERIALIZATION: Final = wrap_serializer_function_ser_schema(_write_json_text, when_used="json")
_SORT_SETS_SERIALIZATION: Final = plain_serializer_function_ser_schema(_serialize_any, info_arg=True, when_used="json")
_ANY_SERIALIZER: Final = SchemaSerializer({"type": "any"}, _NON_FINITE_CONFIG)
_CLASS_TYPES: Final = frozenset({"model", "dataclass"})


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
        if node["type"] == "model" and node["schema"]["type"] == "model-fields" and keeps_extra_fields(node):
            node["schema"].setdefault("extras_schema", {"type": "any", "serialization": _SORT_SETS_SERIALIZATION})


def _accepts_anything(node: Node) -> bool:
    """Whether the node, or each element of its list or dictionary, has the type Any, so that one pass can sort it."""
    inside = {"dict": "values_schema", "list": "items_schema"}.get(node["type"])
    inner = node if inside is None else node.get(inside, _ANY_SCHEMA)
    return inner["type"] == "any"


_ANY_SCHEMA: Final = {"type": "any"}


def _drop_computed_fields(node: Node, _original: Node) -> None:
    if "computed_fields" in node:
        node["computed_fields"] = []


def _use_stand_in(node: Node) -> None:
    """Replace the class by an abstract class that counts as its base and has no serializer yet."""
    kind: type = node["cls"]
    stand_in = cast("ABCMeta", ABCMeta(kind.__name__, (), {}))
    stand_in.register(kind)
    node["cls"] = stand_in
    if not node.get("config", {}).get("polymorphic_serialization"):
        return

    def write(value: object, write_fields: SerializerFunctionWrapHandler, info: SerializationInfo[Any]) -> Any:
        return write_fields(value) if type(value) is kind else _write_by_class(value, info.context)

    node["config"] = {**node["config"], "polymorphic_serialization": False}
    inner = {key: part for key, part in node.items() if key != "ref"}
    node["serialization"] = wrap_serializer_function_ser_schema(
        write, info_arg=True, schema=cast("CoreSchema", inner), when_used="json"
    )


def _is_ambiguous(union: Node) -> bool:
    """Whether a union's choice depends on exact classes, which stand-ins cannot distinguish from subclasses."""
    kinds = [choice["type"] for choice in list_choices(union) if choice["type"] not in _EXACT_TYPES or len(choice) > 1]
    holds_class = any(node["type"] in (*_CLASS_TYPES, "definition-ref") for node in iter_nodes(union["choices"]))
    return holds_class and not (len(kinds) == 1 and kinds[0] in _CLASS_TYPES)


_EXACT_TYPES: Final = frozenset({"str", "int", "float", "bool", "none"})


def _build_chooser(choices: list[Node], definitions: list[Any]) -> Callable[[object], str | None]:
    """Build a function that picks the choice of a union for a value, as pydantic's own serializer does."""

    def mark(index: int, choice: Node) -> CoreSchema:
        def write(
            value: object, write_choice: SerializerFunctionWrapHandler, info: SerializationInfo[list[str]]
        ) -> None:
            write_choice(value)
            info.context.append(str(index))

        serialization = wrap_serializer_function_ser_schema(write, info_arg=True, schema=cast("CoreSchema", choice))
        return any_schema(serialization=serialization)

    union = union_schema([mark(index, choice) for index, choice in enumerate(choices)])
    serializer = SchemaSerializer(definitions_schema(union, definitions))

    def choose(value: object) -> str | None:
        taken: list[str] = []
        serializer.to_python(value, mode="json", context=taken, warnings=False)
        return taken[-1] if taken else None

    return choose
