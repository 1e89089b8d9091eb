"""Frozen dataclasses that take a fraction of the time to make.

Before Python 3.13, `dataclasses.dataclass` compiles up to seven functions for each frozen class, which was a third of
the time of importing Remit. Here a class has its constructor compiled, and shares all other methods.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar

__all__ = ["dataclass", "make_dataclass"]

C = TypeVar("C", bound=type)

_OWN_METHODS: Final = frozenset({"__eq__", "__hash__", "__setattr__", "__delattr__", "__getstate__", "__setstate__"})


def make_dataclass(
    *, frozen: bool = False, eq: bool = True, kw_only: bool = False, slots: bool = False
) -> Callable[[C], C]:
    """Make a dataclass as `dataclasses.dataclass` does, with the same fields, methods and errors.

    Classes that are not frozen, or derive from a dataclass or write a method of it themselves, are left to that.
    """

    def decorate(kind: C) -> C:
        is_derived = any(dataclasses.is_dataclass(base) for base in kind.__mro__[1:])
        if not (frozen and eq) or is_derived or not _OWN_METHODS.isdisjoint(vars(kind)):
            decorate_plainly: Any = dataclasses.dataclass(frozen=frozen, eq=eq, kw_only=kw_only, slots=slots)
            return decorate_plainly(kind)
        return _make_frozen(kind, kw_only=kw_only, slots=slots)

    return decorate


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = make_dataclass
"""Type checkers see the dataclasses that these are."""


def _make_frozen(kind: C, *, kw_only: bool, slots: bool) -> C:
    has_own = vars(kind).keys() & {"__init__", "__repr__"}
    decorate: Any = dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only, slots=slots)
    made: Any = decorate(kind)
    fields = dataclasses.fields(made)
    methods = [*_frozen_methods(made, {each.name for each in fields}), *_value_methods(fields)]
    if slots:
        methods += _state_methods([each.name for each in fields])
    if "__init__" not in has_own:
        methods.append(_compile_init(made, fields))
    for method in methods:
        if method.__name__ not in has_own:
            method.__qualname__ = f"{made.__qualname__}.{method.__name__}"
            method.__module__ = made.__module__
            setattr(made, method.__name__, method)
    parameters = made.__dataclass_params__  # by which derived dataclasses, and libraries, know what the class is
    parameters.init = parameters.repr = parameters.eq = parameters.frozen = True
    return made


def _frozen_methods(kind: type, names: set[str]) -> list[Any]:
    def __setattr__(self: object, name: str, value: object) -> None:  # noqa: N807
        if type(self) is kind or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(kind, self).__setattr__(name, value)

    def __delattr__(self: object, name: str) -> None:  # noqa: N807
        if type(self) is kind or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(kind, self).__delattr__(name)

    return [__setattr__, __delattr__]


def _value_methods(fields: Sequence[dataclasses.Field[Any]]) -> list[Any]:
    values = _reader([each.name for each in fields if each.compare])
    shown = [each.name for each in fields if each.repr]

    def __eq__(self: object, other: object) -> bool:  # noqa: N807
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: object) -> int:  # noqa: N807
        return hash(values(self))

    def __repr__(self: object) -> str:  # noqa: N807
        return f"{type(self).__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in shown])})"

    return [__eq__, __hash__, __repr__]


def _state_methods(names: Sequence[str]) -> list[Any]:
    """The methods for copies: by default they would assign to the fields."""

    def __getstate__(self: object) -> list[object]:  # noqa: N807
        return [getattr(self, name) for name in names]

    def __setstate__(self: object, state: Sequence[object]) -> None:  # noqa: N807
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return [__getstate__, __setstate__]


def _reader(names: Sequence[str]) -> Callable[[object], tuple[object, ...]]:
    """A function that reads attributes as a tuple, which `attrgetter` does for two or more."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple([getattr(value, name) for name in names])


class _Factory:
    """The default that inspection shows for a field whose default a function makes."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY: Final = _Factory()


def _compile_init(kind: type, fields: Sequence[dataclasses.Field[Any]]) -> Any:
    """Compile the constructor: it sets the fields, in order, and then calls ``__post_init__``."""
    names: dict[str, object] = {"set_field": object.__setattr__, "FACTORY": _FACTORY}
    parameters, keywords, lines = list[str](), list[str](), list[str]()
    for number, field in enumerate(fields):
        default, made = "", ""
        if field.default is not dataclasses.MISSING:
            names[f"default{number}"] = field.default
            default, made = f"=default{number}", f"default{number}"
        elif field.default_factory is not dataclasses.MISSING:
            names[f"make{number}"] = field.default_factory
            default, made = "=FACTORY", f"make{number}()"
        if field.init:
            (keywords if field.kw_only else parameters).append(field.name + default)
            made = f"{made} if {field.name} is FACTORY else {field.name}" if default == "=FACTORY" else field.name
        if made:
            lines.append(f"set_field(self, {field.name!r}, {made})")
    if hasattr(kind, "__post_init__"):
        lines.append("self.__post_init__()")
    signature = ", ".join(["self", *parameters, *(["*", *keywords] if keywords else [])])
    body = "\n ".join(lines or ["pass"])
    exec(f"def __init__({signature}):\n {body}", names)  # noqa: S102 - of our own names
    init: Any = names["__init__"]
    init.__annotations__ = {each.name: each.type for each in fields if each.init} | {"return": None}
    return init
