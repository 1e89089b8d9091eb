"""Immutable values: dataclasses that are frozen and have slots, in classes that are cheap to make.

`dataclass(frozen=True, slots=True)` writes and compiles six methods for every class, and with a hundred classes that is
a quarter of what an import takes. Here three need no text of their own, and the others are written when they are first
used: a program builds values of few of the classes, and compares fewer. ``__init__`` sets each slot directly, which is
quicker too. In all else what is made is a dataclass: `fields`, `replace`, pickling and pydantic know it. What it does
not do as `dataclass` does is refused when the class is made.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields, is_dataclass
from reprlib import recursive_repr
from typing import Any, Final, TypeVar, dataclass_transform, overload

T = TypeVar("T")
Method = Callable[..., Any]


@overload
@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def frozen(cls: type[T], /) -> type[T]: ...
@overload
@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def frozen(*, kw_only: bool = True) -> Callable[[type[T]], type[T]]: ...
def frozen(cls: type[T] | None = None, /, *, kw_only: bool = True) -> type[T] | Callable[[type[T]], type[T]]:
    """Make of a class what `dataclass(frozen=True, slots=True, kw_only=True)` makes of it.

    One that extends a dataclass is made by `dataclass` itself.
    """

    def made(cls: type[T]) -> type[T]:
        if is_dataclass(cls):
            return dataclass(frozen=True, slots=True, kw_only=kw_only)(cls)
        own, told = _own(cls), bool(cls.__doc__)
        found = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls)
        _check_fields(found)
        vars(found)["__dataclass_params__"].frozen = True
        written = {name: _Late(found, name, write) for name, write in _WRITERS.items()}
        for name, method in {**written, **_keeping(found), "__repr__": _repr}.items():
            if name not in own:
                setattr(found, name, method)
        if not told:
            found.__doc__ = found.__name__ + str(inspect.signature(found)).removesuffix(" -> None")
        return found

    return made if cls is None else made(cls)


def _own(cls: type) -> set[str]:
    """What the class has itself. One that only compares in its own way has no hash by Python alone, and gets one."""
    own = set(vars(cls))
    for name in ("__setattr__", "__delattr__"):
        if name in own:
            raise TypeError(
                f"{cls.__qualname__} has a {name} of its own; a frozen class gets that method, so leave it out"
            )
    return own - {"__hash__"} if "__eq__" in own and vars(cls)["__hash__"] is None else own


def _check_fields(cls: Any) -> None:
    """Refuse the fields for which no ``__init__`` is written here."""
    for each in cls.__dataclass_fields__.values():
        if each._field_type.name == "_FIELD_INITVAR":
            raise TypeError(
                f"{cls.__qualname__}.{each.name} is an InitVar; a frozen class takes none, so make it a field"
            )
    default = None
    for each in fields(cls):
        if each.name in {"self", "_missing"} or each.name.startswith(("_set_", "_default_", "_make_")):
            raise TypeError(f"{cls.__qualname__}.{each.name}: its __init__ uses that name itself; rename the field")
        if each.init and not each.kw_only:
            if default and not _has_default(each):
                raise TypeError(f"{cls.__qualname__}.{each.name} has no default and follows {default}, which has one")
            default = each.name if _has_default(each) else default


class _Factory:
    """Stands in a signature for what is made for each value."""

    def __repr__(self) -> str:
        return "<factory>"


class _Late:
    """A method that is written when it is first asked for."""

    def __init__(self, cls: type, name: str, write: Callable[[Any], Method]) -> None:
        self._cls = cls
        self._name = name
        self._write = write

    def __get__(self, value: object | None, _cls: type) -> Method:
        written = self._write(self._cls)
        written.__qualname__ = f"{self._cls.__qualname__}.{self._name}"
        setattr(self._cls, self._name, written)
        return written if value is None else written.__get__(value)


def _init(cls: Any) -> Method:
    """One line a field."""
    every: tuple[Field[Any], ...] = fields(cls)
    given = [each for each in every if each.init]
    ordered = [_parameter(each) for each in given if not each.kw_only]
    named = [_parameter(each) for each in given if each.kw_only]
    body = [_assigned(each) for each in every if each.init or _has_default(each)]
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    known: dict[str, Any] = {"_missing": _Factory()}
    for each in every:
        known[f"_set_{each.name}"] = getattr(cls, each.name).__set__
        known[f"_default_{each.name}"] = each.default
        known[f"_make_{each.name}"] = each.default_factory
    written = _method("__init__", [*ordered, *(["*"] if named else []), *named], body or ["pass"], known)
    written.__annotations__ = {**{each.name: each.type for each in given}, "return": None}
    return written


def _eq(cls: Any) -> Method:
    compared = [each.name for each in fields(cls) if each.compare]
    same = f"{_tuple('self', compared)} == {_tuple('other', compared)}"
    return _method("__eq__", ["other"], [f"return {same} if other.__class__ is self.__class__ else NotImplemented"])


def _hash(cls: Any) -> Method:
    hashed = [each.name for each in fields(cls) if (each.compare if each.hash is None else each.hash)]
    return _method("__hash__", [], [f"return hash({_tuple('self', hashed)})"])


_WRITERS: Final = {"__init__": _init, "__eq__": _eq, "__hash__": _hash}


def _method(name: str, parameters: Sequence[str], body: Sequence[str], known: dict[str, Any] | None = None) -> Method:
    names = dict(known or {})
    text = f"def {name}({', '.join(['self', *parameters])}):\n " + "\n ".join(body)
    exec(text, names)  # noqa: S102 - as `dataclass` does: of the names of fields alone
    return names[name]


def _tuple(value: str, names: Sequence[str]) -> str:
    return "(" + "".join(f"{value}.{name}, " for name in names) + ")"


def _has_default(each: Field[Any]) -> bool:
    return each.default is not MISSING or each.default_factory is not MISSING


def _parameter(each: Field[Any]) -> str:
    if each.default is not MISSING:
        return f"{each.name}=_default_{each.name}"
    return each.name if each.default_factory is MISSING else f"{each.name}=_missing"


def _assigned(each: Field[Any]) -> str:
    name = each.name
    if each.default_factory is not MISSING:
        value = f"_make_{name}() if {name} is _missing else {name}" if each.init else f"_make_{name}()"
    else:
        value = name if each.init else f"_default_{name}"
    return f"_set_{name}(self, {value})"


def _keeping(cls: Any) -> dict[str, Method]:
    names = {each.name for each in fields(cls)}

    def assign(self: object, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete(self: object, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return {"__setattr__": assign, "__delattr__": delete, "__getstate__": _state, "__setstate__": _restore}


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{self.__class__.__qualname__}({shown})"


def _state(self: Any) -> list[object]:
    return [getattr(self, each.name) for each in fields(self)]


def _restore(self: Any, state: list[object]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
