"""Fingerprints of behaviour that are equal in all processes that run the same code."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from functools import partial
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType
from typing import Any, Final, cast

_PLAIN_TYPES: Final = frozenset({str, bytes, int, float, complex, bool, type(None), type(...)})
_MAX_DEPTH: Final = 16
"""The maximum depth of nested data, all of whose elements are inspected."""


def fingerprint(value: object) -> str:
    """Describe what ``value`` does: a function by its name, code, defaults, closure, attributes and globals.

    Plain values, containers, dataclasses, enums and callable objects are described by their content. Callable objects
    and the objects of bound methods are also described by the functions and plain values of their class. Among the
    globals that a function uses, plain values and functions of its own module are described.

    The fingerprint does not cover everything that can change the behaviour. Other objects that the value closes over or
    holds count only by their class, and functions and constants of other modules only by name. Data read from files,
    clocks or databases does not count. Use `When.version` for these.
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
            parts += _optional_part(value.__dict__) + _optional_part(_used_globals(value))
        case CodeType():
            parts = (value.co_name, value.co_code, value.co_consts, value.co_names, value.co_varnames)
        case CellType():
            parts = _cell_contents(value)
        case MethodType():
            parts = (value.__func__, value.__self__, *_plain_state(value.__self__))
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
        return (kind.__call__, object.__getstate__(value), *_optional_part(_class_members(kind)))
    return (object.__getstate__(value),) if is_dataclass(value) else ()


def _plain_state(value: object) -> tuple[object, ...]:
    """The plain values of a bound method's object, and its class members. Other state may depend on the process."""
    if isinstance(value, type) or callable(value):
        return ()
    state = cast("dict[str, object]", getattr(value, "__dict__", {}))
    plain = {name: each for name, each in state.items() if _is_plain(each)}
    return _optional_part(plain) + _optional_part(_class_members(type(value)))


def _class_members(kind: type[Any]) -> dict[str, object]:
    """The functions and plain values of a class and its bases, except special ones such as ``__doc__``."""
    members = {name: each for base in reversed(kind.__mro__) for name, each in vars(base).items()}
    return {
        name: each
        for name, each in members.items()
        if not _is_special(name) and (isinstance(each, FunctionType) or _is_plain(each))
    }


def _used_globals(function: FunctionType) -> dict[str, object]:
    """The plain values and the functions of its own module that a function uses as globals."""
    found = function.__globals__
    named = {name: found[name] for name in _names(function.__code__) if name in found and not _is_special(name)}
    return {
        name: each
        for name, each in named.items()
        if _is_plain(each) or (isinstance(each, FunctionType) and each.__module__ == function.__module__)
    }


def _names(code: CodeType) -> set[str]:
    """The names that code and the functions inside it use for globals and attributes."""
    inner = (_names(each) for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*inner)


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _is_plain(value: object, depth: int = _MAX_DEPTH) -> bool:
    """Whether a value, with all its elements, is data that is equal in all processes."""
    if type(value) in _PLAIN_TYPES or isinstance(value, enum.Enum):
        return True
    if isinstance(value, Mapping):
        return all(_is_plain(each, depth - 1) for each in cast("Mapping[object, object]", value).items())
    is_collection = depth > 0 and isinstance(value, (list, tuple, set, frozenset))
    return is_collection and all(_is_plain(each, depth - 1) for each in cast("Iterable[object]", value))


def _optional_part(members: Mapping[str, object]) -> tuple[object, ...]:
    """The members as part of a description, or nothing if there are none."""
    return (dict(members),) if members else ()
