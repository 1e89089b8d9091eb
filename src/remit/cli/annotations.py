"""Renders Python types as annotations, with the imports they need; used by `remit stubs`."""

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

_MAX_LINE_LENGTH: Final = 120
_REMIT_PREFIX: Final = "remit."
_UNION_ORIGINS: Final = (typing.Union, types.UnionType)


class ImportCollector:
    """Collects the imports of a generated module and keeps its names unique.

    Args:
        reserved: names that already have another meaning where the annotations appear.
    """

    def __init__(self, reserved: Iterable[str]) -> None:
        self._used_names = set(reserved)
        self._local_names: dict[tuple[str, str], str] = {}

    def add(self, module: str, name: str) -> str:
        """Import ``name`` from ``module`` and return its local name. A builtin keeps its name unless shadowed."""
        if module == "builtins" and name not in self._used_names:
            return name
        first, _, rest = name.partition(".")
        local_name = self._local_names.get((module, first)) or self.reserve_name(first)
        self._local_names[module, first] = local_name
        return f"{local_name}.{rest}" if rest else local_name

    def reserve_name(self, preferred: str) -> str:
        """Reserve and return an unused name similar to ``preferred``."""
        name = preferred
        while name in self._used_names:
            name += "_"
        self._used_names.add(name)
        return name

    def render(self) -> list[str]:
        """The import statements, sorted."""
        found: dict[str, list[str]] = {}
        for (module, name), local_name in sorted(self._local_names.items()):
            found.setdefault(module, []).append(name if local_name == name else f"{name} as {local_name}")
        return [_import_statement(module, names) for module, names in found.items()]


def _import_statement(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= _MAX_LINE_LENGTH:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


class AnnotationWriter:
    """Renders types as annotations. A model that cannot be imported gets a separate class in ``classes``."""

    def __init__(self, imports: ImportCollector) -> None:
        self.imports = imports
        self.classes: list[str] = []
        self._generated_names: dict[type, str] = {}

    def render(self, annotation: object) -> str:
        """The type as an annotation; ``Any`` for a type that cannot be written."""
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if annotation is None or annotation is types.NoneType:
            return "None"
        if origin is typing.Annotated:
            return self.render(arguments[0])
        if origin in _UNION_ORIGINS:
            return " | ".join(dict.fromkeys(self.render(each) for each in arguments))
        if origin is typing.Literal:
            return (
                f"{self._import_from_typing('Literal')}[{', '.join(self._render_literal(each) for each in arguments)}]"
            )
        return self._render_generic(origin, arguments) if isinstance(origin, type) else self._render_plain(annotation)

    def importable_name(self, cls: type) -> str:
        """The local name of a class that can be imported; empty otherwise."""
        module = _public_module(cls) if _is_importable(cls) else ""
        return self.imports.add(module, cls.__qualname__) if module else ""

    def _render_generic(self, origin: type, arguments: tuple[object, ...]) -> str:
        inside = ", ".join("..." if each is Ellipsis else self.render(each) for each in arguments)
        return f"{self._render_class(origin)}[{inside or '()'}]"

    def _render_plain(self, annotation: object) -> str:
        if isinstance(annotation, type):
            return self._render_class(annotation)
        name = _alias_location(annotation)
        return self.imports.add(*name) if name else self._import_from_typing("Any")

    def _render_class(self, cls: type[Any]) -> str:
        if not issubclass(cls, BaseModel):
            return self.importable_name(cls) or self._import_from_typing("Any")
        generic = cls.__pydantic_generic_metadata__
        if generic["origin"] is not None and generic["args"]:
            return self._render_generic(generic["origin"], generic["args"])
        return self.importable_name(cls) or self._generated_names.get(cls) or self._generate_class(cls)

    def _generate_class(self, model: type[BaseModel]) -> str:
        """Generate a class for a model created at run time or inside a function."""
        name = self._generated_names[model] = self.imports.reserve_name(model.__name__)
        fields = [f"    {each}: {self.render(field.annotation)}" for each, field in model.model_fields.items()]
        head = f"class {name}({self.imports.add('pydantic', 'BaseModel')}):"
        self.classes.append("\n".join([head, *(fields or ["    ..."])]))
        return name

    def _render_literal(self, value: object) -> str:
        return f"{self._render_class(type(value))}.{value.name}" if isinstance(value, enum.Enum) else repr(value)

    def _import_from_typing(self, name: str) -> str:
        return self.imports.add("typing", name)


def _public_module(cls: type) -> str:
    """The public module that exports a class; empty for a private class of Remit."""
    if not cls.__module__.startswith(_REMIT_PREFIX):
        return cls.__module__
    parts = cls.__module__.split(".")
    packages = (".".join(parts[:length]) for length in range(1, len(parts)))
    return next((room for room in packages if cls.__name__ in getattr(sys.modules[room], "__all__", ())), "")


def _is_importable(cls: type) -> bool:
    """Whether the module of a class exports it under the class's own name."""
    found: object = sys.modules.get(cls.__module__)
    for part in cls.__qualname__.split("."):
        if not part.isidentifier() or keyword.iskeyword(part):
            return False
        found = inspect.getattr_static(found, part, None)
    return found is cls


def _alias_location(annotation: object) -> tuple[str, str] | None:
    """Module and name of a type alias (such as pydantic's ``JsonValue``) or a `typing.NewType`."""
    if not isinstance(annotation, TypeAliasType | typing.NewType):
        return None
    module, name = str(annotation.__module__), annotation.__name__
    return (module, name) if inspect.getattr_static(sys.modules.get(module), name, None) is annotation else None
