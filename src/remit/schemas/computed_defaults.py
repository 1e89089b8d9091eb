"""Finds the values in a payload that no caller gave: a function computed them when the payload was bound."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import is_dataclass
from typing import Any, Final, cast, get_origin

from pydantic import BaseModel

from remit.errors import InvalidArgumentsError

_EMPTY_TYPES: Final = (list, dict, set, frozenset, tuple, str)
_ALL: Final = "__all__"
"""The key by which pydantic leaves a field out of all parts of a list or mapping."""


def may_differ(factory: Any) -> bool:
    """Whether a default factory may return another value each time, such as a clock."""
    return get_origin(factory) not in _EMPTY_TYPES and factory not in _EMPTY_TYPES


def find_computed(value: Any) -> dict[Any, Any]:
    """The computed defaults in a value, in the form of pydantic's ``exclude``; empty if there are none.

    Raises:
        InvalidArgumentsError: a part of the value, such as a dataclass, does not know which of its fields were given.
    """
    if isinstance(value, BaseModel):
        defaults = {name: each.default_factory for name, each in type(value).model_fields.items()}
        computed = {name for name in defaults.keys() - value.model_fields_set if defaults[name] is not None}
        found: dict[Any, Any] = {name: True for name in computed if may_differ(defaults[name])}
        found |= _find_within((name, part) for name, part in value if name not in found)
        return _refuse_to_tell(value) if found and type(value).__pydantic_root_model__ else found
    if isinstance(value, dict):
        found = _find_within(cast("dict[Any, Any]", value).items())
        return _refuse_to_tell(value) if _ALL in found else found
    if isinstance(value, (list, tuple)):
        return _find_within(enumerate(cast("list[Any]", value)))
    if isinstance(value, (set, frozenset)):
        return _refuse_to_tell(value) if any(map(find_computed, cast("set[Any]", value))) else {}
    return _refuse_to_tell(value) if is_dataclass(value) else {}


def _find_within(parts: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    return {key: found for key, part in parts if (found := find_computed(part))}


def _refuse_to_tell(value: Any) -> dict[Any, Any]:
    raise InvalidArgumentsError(f"the computed defaults of {type(value).__name__} cannot be told from given values")
