"""Walks through the values of payloads and results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, cast

from pydantic import BaseModel


def iter_values(value: object) -> Iterator[object]:
    """The value and all values in it, from outside to inside and in order: models, dataclasses, collections."""
    stack, seen = [value], set[int]()
    while stack:
        each: Any = stack.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        if isinstance(each, BaseModel):
            stack += [getattr(each, name) for name in reversed(type(each).model_fields)]
        elif isinstance(each, Mapping):
            stack += reversed(list(cast("Mapping[Any, Any]", each).values()))
        elif isinstance(each, (list, tuple)):
            stack += reversed(cast("list[Any]", each))
        elif isinstance(each, (set, frozenset)):
            stack += sorted(cast("set[Any]", each), key=repr, reverse=True)
        elif not isinstance(each, type) and is_dataclass(each):
            stack += [getattr(each, field.name) for field in reversed(fields(each))]
