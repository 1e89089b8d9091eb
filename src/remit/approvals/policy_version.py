"""A fingerprint of what a value does, equal in all processes that run the same code."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from functools import partial
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType
from typing import Any, Final, cast

_PLAIN_TYPES: Final = frozenset({str, bytes, int, float, complex, bool, type(None), type(...)})


def fingerprint(value: object) -> str:
    """Describe what ``value`` does: a function by its name, code, defaults and closure.

    Plain values, containers, dataclasses, enums and callable objects are described by their content, other objects by
    their class only. Global names that a function uses are described by name.
    """
    return _describe(value, frozenset())


def _describe(value: object, ancestors: frozenset[int]) -> str:
    if type(value) in _PLAIN_TYPES:
        return repr(value)
    if id(value) in ancestors:
        return "itself"
    parts = [_describe(part, ancestors | {id(value)}) for part in _components(value)]
    unordered = isinstance(value, (set, frozenset, Mapping))
    return f"{type(value).__qualname__}({','.join(sorted(parts) if unordered else parts)})"


def _components(value: object) -> Iterable[object]:
    match value:
        case FunctionType():
            parts = (value.__qualname__, value.__code__, value.__defaults__, value.__kwdefaults__, value.__closure__)
        case CodeType():
            parts = (value.co_name, value.co_code, value.co_consts, value.co_names, value.co_varnames)
        case CellType():
            parts = _cell_contents(value)
        case MethodType():
            parts = (value.__func__, value.__self__)
        case partial():
            parts = (value.func, value.args, value.keywords)
        case BuiltinFunctionType() | type():
            parts = (value.__qualname__,)
        case enum.Enum():
            parts = (value.name,)
        case Mapping():
            parts = cast("Mapping[object, object]", value).items()
        case list() | tuple() | set() | frozenset():
            parts = cast("Iterable[object]", value)
        case _:
            parts = _object_state(value)
    return parts


def _cell_contents(cell: CellType) -> tuple[object, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:  # the cell is empty
        return ()


def _object_state(value: Any) -> tuple[object, ...]:
    kind = cast("type[Any]", type(value))
    if callable(value):
        return (kind.__call__, object.__getstate__(value))
    return (object.__getstate__(value),) if is_dataclass(value) else ()
