"""Bounds the cost of describing why a value does not fit a JSON schema.

The library reports each error with copies of the wrong value, its path and the schema's text, and collects all errors
before it returns the first. A wrong name is reported with the whole object, so the errors of one object can cost the
square of its size.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, cast

from remit.schemas.json_schema import JsonSchema
from remit.schemas.schema_document import iter_children, iter_schemas

MAX_ERROR_COST: Final = 500_000
"""The total parts of values and schemas that the errors of one value may copy: about 100 MB."""

_CHARACTERS: Final = 32
"""The number of characters that count as one more part."""
_UNIONS: Final = frozenset({"anyOf", "oneOf"})


class ErrorCost:
    """The maximum size of the copies in the errors of a value.

    With ``has_unions``, one error may contain many others, such as those of each alternative.
    """

    def __init__(self, document: JsonSchema) -> None:
        self.has_unions = self._has_names = False
        self._errors = self._pointer = self._keywords = 1
        for pointer, schema in iter_schemas(document):
            self.has_unions |= not _UNIONS.isdisjoint(schema)
            self._has_names |= "propertyNames" in schema
            self._errors = max(self._errors, _count_errors(schema))
            self._pointer = max(self._pointer, _measure_text(pointer))
            self._keywords = max(self._keywords, _measure_keywords(schema))

    def is_affordable(self, value: object, checks: int) -> bool:
        """Whether all errors of a value may be collected, given the number of ``checks`` from `SchemaCost`."""
        if checks > MAX_ERROR_COST:
            return False
        parts, _, copied = self._measure(value, 0)
        once = self._errors * (copied + parts * self._pointer) + parts * self._keywords
        return once * checks // parts <= MAX_ERROR_COST

    def _measure(self, value: object, path: int) -> tuple[int, int, int]:
        """The number of parts, their size, and the size of the copies if each part is reported once with its path."""
        if not isinstance(value, (dict, list)):
            size = _measure_text(value) if isinstance(value, str) else _measure_number(value)
            return 1, size, size + path
        parts, size, below, names = 1, 1, 0, 0
        for name, part in _members(cast("dict[str, object] | list[object]", value)):
            names += self._has_names and bool(name)
            length = _measure_text(name)
            more, its_size, copied = self._measure(part, path + length)
            parts, size, below = parts + more, size + length + its_size, below + copied
        return parts, size, below + (size + path) * (1 + names)


def _members(value: dict[str, object] | list[object]) -> Iterable[tuple[str, object]]:
    return value.items() if isinstance(value, dict) else (("", part) for part in value)


def _count_errors(schema: JsonSchema) -> int:
    """The maximum errors of a schema, without its subschemas, about one value."""
    dependent = cast("dict[str, list[str]]", schema.get("dependentRequired", {}))
    return len(schema) + len(schema.get("required", ())) + sum(map(len, dependent.values()))


def _measure_keywords(schema: JsonSchema) -> int:
    """The size of the parts of a schema that its errors contain."""
    children = {key.partition("/")[0] for key, _ in iter_children(schema)} - {"not"}
    return _measure_all([part for key, part in schema.items() if key not in children])


def _measure_all(value: object) -> int:
    if isinstance(value, (dict, list)):
        members = _members(cast("dict[str, object] | list[object]", value))
        return 1 + sum(_measure_text(name) + _measure_all(part) for name, part in members)
    return _measure_text(value) if isinstance(value, str) else _measure_number(value)


def _measure_text(text: str) -> int:
    return 1 + len(text) // _CHARACTERS


def _measure_number(value: object) -> int:
    return 1 + value.bit_length() // (8 * _CHARACTERS) if isinstance(value, int) else 1
