"""Walks through the values of payloads and results, and through types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, cast

from pydantic import BaseModel


def iter_values(value: object) -> Iterator[object]:
    """Iterate over a value and all values inside it (models, dataclasses, collections), outermost first."""
    return walk(value, _parts_of)


def walk(start: object, find_parts: Callable[[Any], Iterable[object]]) -> Iterator[object]:
    """Walk through ``start`` and its parts, each object once, outermost first and in order."""
    stack, seen = [start], set[int]()
    while stack:
        each = stack.pop()
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            stack += reversed(list(find_parts(each)))


def _parts_of(value: object) -> Iterable[object]:
    if isinstance(value, BaseModel):
        return [getattr(value, name) for name in type(value).model_fields]
    if isinstance(value, Mapping):
        return cast("Mapping[Any, Any]", value).values()
    if isinstance(value, (list, tuple)):
        return cast("list[Any]", value)
    if isinstance(value, (set, frozenset)):
        return sorted(cast("set[Any]", value), key=repr)
    if not isinstance(value, type) and is_dataclass(value):
        return [getattr(value, field.name) for field in fields(value)]
    return ()
