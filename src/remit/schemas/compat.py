"""Whether a JSON schema accepts all that another accepts. Where that cannot be shown, it does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

Schema = Mapping[str, Any]

_SAID: Final = frozenset({"title", "description", "default", "examples", "deprecated", "discriminator", "$defs"})
_LOWER: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_EQUAL: Final = ("pattern", "format", "multipleOf", "uniqueItems", "prefixItems", "contentMediaType")


def inlined(schema: Schema, definitions: Schema, within: tuple[str, ...] = ()) -> dict[str, Any]:
    """A schema without references and without words for people. One that holds itself keeps its name there."""
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    if name in within:
        return {"$ref": name}
    if name:
        return inlined(definitions[name], definitions, (*within, name))
    plain: dict[str, Any] = {}
    for key, value in schema.items():
        if key in {"properties", "patternProperties"}:
            fields = cast("dict[str, Schema]", value)
            plain[key] = {each: inlined(part, definitions, within) for each, part in fields.items()}
        elif isinstance(value, dict) and key not in _SAID:
            plain[key] = inlined(cast("Schema", value), definitions, within)
        elif key in {"anyOf", "oneOf", "allOf", "prefixItems"}:
            plain[key] = [inlined(part, definitions, within) for part in cast("list[Schema]", value)]
        elif key not in _SAID:
            plain[key] = value
    return plain


def accepts(new: Schema, old: Schema) -> bool:
    """Whether ``new`` accepts all that ``old`` accepts. Both are `inlined`."""
    if new == old or not new:
        return True
    for several in ("anyOf", "oneOf"):
        if several in old:
            return all(accepts(new, each) for each in old[several])
    for several in ("anyOf", "oneOf"):
        if several in new:
            return any(accepts(each, old) for each in new[several])
    return _values(new, old) and _bounds(new, old) and _parts(new, old)


def _values(new: Schema, old: Schema) -> bool:
    """Types, and values where only some are taken."""
    wanted, given = _enum(new), _enum(old)
    if wanted is not None:
        return given is not None and all(value in wanted for value in given)
    return new.get("type") == old.get("type") or (new.get("type"), old.get("type")) == ("number", "integer")


def _enum(schema: Schema) -> list[Any] | None:
    return [schema["const"]] if "const" in schema else schema.get("enum")


def _bounds(new: Schema, old: Schema) -> bool:
    lower = all(key not in new or (key in old and new[key] <= old[key]) for key in _LOWER)
    upper = all(key not in new or (key in old and new[key] >= old[key]) for key in _UPPER)
    return lower and upper and all(key not in new or new[key] == old.get(key) for key in _EQUAL)


def _parts(new: Schema, old: Schema) -> bool:
    """Items of an array, fields of an object."""
    if not accepts(new.get("items", {}), old.get("items", {})):
        return False
    if not set(new.get("required", ())) <= set(old.get("required", ())):
        return False
    wanted, given = new.get("properties", {}), old.get("properties", {})
    more, before = new.get("additionalProperties", True), old.get("additionalProperties", True)
    if before is not False and not _accepts_more(more, before):
        return False
    for name, part in given.items():
        there = wanted.get(name, more)
        if there is False or (there is not True and not accepts(there, part)):
            return False
    return before is False or all(accepts(part, {}) for name, part in wanted.items() if name not in given)


def _accepts_more(new: Any, old: Any) -> bool:
    """The same for what no field names: True for anything, False for nothing, or a schema."""
    if new is True or new is False:
        return new
    return old is not True and accepts(new, old)
