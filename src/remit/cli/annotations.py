"""Python types as text, with the imports that the text needs; for `remit stubs`."""

from __future__ import annotations

import enum
import inspect
import keyword
import sys
import types
import typing
from collections.abc import Iterable
from typing import Any, Final

from pydantic import BaseModel
from typing_extensions import TypeAliasType

_LINE: Final = 120
_OWN: Final = "remit."
_UNION: Final = (typing.Union, types.UnionType)


class Imports:
    """The names of a module that is being written, and where they come from.

    Args:
        taken: names that mean something else where the annotations stand.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._names: dict[tuple[str, str], str] = {}

    def name(self, module: str, name: str) -> str:
        """The name under which ``name`` of ``module`` is known; a builtin as itself, unless it is hidden."""
        if module == "builtins" and name not in self._taken:
            return name
        first, _, rest = name.partition(".")
        known = self._names.get((module, first)) or self.free(first)
        self._names[module, first] = known
        return f"{known}.{rest}" if rest else known

    def free(self, wanted: str) -> str:
        """A name like ``wanted`` that nothing else has, kept from now on."""
        name = wanted
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def lines(self) -> list[str]:
        """The import statements, sorted."""
        found: dict[str, list[str]] = {}
        for (module, name), known in sorted(self._names.items()):
            found.setdefault(module, []).append(name if known == name else f"{name} as {known}")
        return [_import(module, names) for module, names in found.items()]


def _import(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= _LINE:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


class Annotations:
    """Writes types. A model that no module has under its name gets a class of its own, in ``classes``."""

    def __init__(self, imports: Imports) -> None:
        self.imports = imports
        self.classes: list[str] = []
        self._made: dict[type, str] = {}

    def text(self, kind: object) -> str:
        """The type as an annotation; ``Any`` where it has none."""
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if kind is None or kind is types.NoneType:
            return "None"
        if origin is typing.Annotated:
            return self.text(arguments[0])
        if origin in _UNION:
            return " | ".join(dict.fromkeys(self.text(each) for each in arguments))
        if origin is typing.Literal:
            return f"{self._typing('Literal')}[{', '.join(self._literal(each) for each in arguments)}]"
        return self._generic(origin, arguments) if isinstance(origin, type) else self._plain(kind)

    def importable(self, kind: type) -> str:
        """The name of a class that its module has under its name; empty for another."""
        module = _public(kind) if _importable(kind) else ""
        return self.imports.name(module, kind.__qualname__) if module else ""

    def _generic(self, origin: type, arguments: tuple[object, ...]) -> str:
        inside = ", ".join("..." if each is Ellipsis else self.text(each) for each in arguments)
        return f"{self._class(origin)}[{inside or '()'}]"

    def _plain(self, kind: object) -> str:
        if isinstance(kind, type):
            return self._class(kind)
        name = _alias(kind)
        return self.imports.name(*name) if name else self._typing("Any")

    def _class(self, kind: type[Any]) -> str:
        if not issubclass(kind, BaseModel):
            return self.importable(kind) or self._typing("Any")
        generic = kind.__pydantic_generic_metadata__
        if generic["origin"] is not None and generic["args"]:
            return self._generic(generic["origin"], generic["args"])
        return self.importable(kind) or self._made.get(kind) or self._written(kind)

    def _written(self, kind: type[BaseModel]) -> str:
        """A class for a model that was made by a program, or within a function."""
        name = self._made[kind] = self.imports.free(kind.__name__)
        fields = [f"    {each}: {self.text(field.annotation)}" for each, field in kind.model_fields.items()]
        head = f"class {name}({self.imports.name('pydantic', 'BaseModel')}):"
        self.classes.append("\n".join([head, *(fields or ["    ..."])]))
        return name

    def _literal(self, value: object) -> str:
        return f"{self._class(type(value))}.{value.name}" if isinstance(value, enum.Enum) else repr(value)

    def _typing(self, name: str) -> str:
        return self.imports.name("typing", name)


def _public(kind: type) -> str:
    """The module that others import a class from; for one of Remit's that no room lists, none."""
    if not kind.__module__.startswith(_OWN):
        return kind.__module__
    parts = kind.__module__.split(".")
    rooms = (".".join(parts[:length]) for length in range(1, len(parts)))
    return next((room for room in rooms if kind.__name__ in sys.modules[room].__dict__.get("__all__", ())), "")


def _importable(kind: type) -> bool:
    """Whether the module of a class has it under its name."""
    found: object = sys.modules.get(kind.__module__)
    for part in kind.__qualname__.split("."):
        if not part.isidentifier() or keyword.iskeyword(part):
            return False
        found = inspect.getattr_static(found, part, None)
    return found is kind


def _alias(kind: object) -> tuple[str, str] | None:
    """Module and name of a type alias, like pydantic's ``JsonValue``, or of a `typing.NewType`."""
    if not isinstance(kind, TypeAliasType | typing.NewType):
        return None
    module, name = str(kind.__module__), kind.__name__
    return (module, name) if inspect.getattr_static(sys.modules.get(module), name, None) is kind else None
