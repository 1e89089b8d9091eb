"""Compatibility of JSON schemas: does one accept every value that another accepts? Undecidable cases count as no."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

Schema = Mapping[str, Any]

_ANNOTATION_KEYS: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "discriminator", "$defs"}
)
_LOWER_BOUNDS: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER_BOUNDS: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_EXACT_KEYS: Final = ("pattern", "format", "multipleOf", "uniqueItems", "prefixItems", "contentMediaType")


def inline_references(schema: Schema, definitions: Schema, parents: tuple[str, ...] = ()) -> dict[str, Any]:
    """Replace references by the schemas they name and drop annotations. A recursive schema keeps its self-reference."""
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    if name in parents:
        return {"$ref": name}
    if name:
        return inline_references(definitions[name], definitions, (*parents, name))
    plain: dict[str, Any] = {}
    for key, value in schema.items():
        if key in {"properties", "patternProperties"}:
            fields = cast("dict[str, Schema]", value)
            plain[key] = {each: inline_references(part, definitions, parents) for each, part in fields.items()}
        elif isinstance(value, dict) and key not in _ANNOTATION_KEYS:
            plain[key] = inline_references(cast("Schema", value), definitions, parents)
        elif key in {"anyOf", "oneOf", "allOf", "prefixItems"}:
            plain[key] = [inline_references(part, definitions, parents) for part in cast("list[Schema]", value)]
        elif key not in _ANNOTATION_KEYS:
            plain[key] = value
    return plain


def is_wider(new: Schema, old: Schema) -> bool:
    """Whether ``new`` accepts every value that ``old`` accepts. Both come from `inline_references`."""
    if new == old or not new:
        return True
    for several in ("anyOf", "oneOf"):
        if several in old:
            return all(is_wider(new, each) for each in old[several])
    for several in ("anyOf", "oneOf"):
        if several in new:
            return any(is_wider(each, old) for each in new[several])
    return _is_type_wider(new, old) and _are_bounds_wider(new, old) and _are_members_wider(new, old)


def _is_type_wider(new: Schema, old: Schema) -> bool:
    """Compare types and enumerated values."""
    new_values, old_values = _enum_values(new), _enum_values(old)
    if new_values is not None:
        return old_values is not None and all(value in new_values for value in old_values)
    return new.get("type") == old.get("type") or (new.get("type"), old.get("type")) == ("number", "integer")


def _enum_values(schema: Schema) -> list[Any] | None:
    return [schema["const"]] if "const" in schema else schema.get("enum")


def _are_bounds_wider(new: Schema, old: Schema) -> bool:
    lower = all(key not in new or (key in old and new[key] <= old[key]) for key in _LOWER_BOUNDS)
    upper = all(key not in new or (key in old and new[key] >= old[key]) for key in _UPPER_BOUNDS)
    return lower and upper and all(key not in new or new[key] == old.get(key) for key in _EXACT_KEYS)


def _are_members_wider(new: Schema, old: Schema) -> bool:
    """Compare the items of arrays and the properties of objects."""
    if not is_wider(new.get("items", {}), old.get("items", {})):
        return False
    if not set(new.get("required", ())) <= set(old.get("required", ())):
        return False
    new_properties, old_properties = new.get("properties", {}), old.get("properties", {})
    new_extra, old_extra = new.get("additionalProperties", True), old.get("additionalProperties", True)
    if old_extra is not False and not _is_extra_wider(new_extra, old_extra):
        return False
    for name, part in old_properties.items():
        schema = new_properties.get(name, new_extra)
        if schema is False or (schema is not True and not is_wider(schema, part)):
            return False
    return old_extra is False or all(
        is_wider(part, {}) for name, part in new_properties.items() if name not in old_properties
    )


def _is_extra_wider(new: Any, old: Any) -> bool:
    """Compare ``additionalProperties``: True allows anything, False nothing, or a schema."""
    if new is True or new is False:
        return new
    return old is not True and is_wider(new, old)
