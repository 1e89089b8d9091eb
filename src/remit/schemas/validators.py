"""The functions of pydantic models that a JSON schema does not show: validators and default factories."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from hashlib import sha256
from types import CellType, FunctionType, MethodType
from typing import Any, Final, cast

from pydantic import TypeAdapter

from remit.schemas.core_nodes import iter_nodes

_VALIDATOR_TYPES: Final = frozenset({"function-before", "function-after", "function-wrap", "function-plain"})
_PLAIN_TYPES: Final = frozenset({str, bytes, int, float, bool, type(None), tuple})
_EMPTY_CELL: Final = CellType()
_OWN_MODULES: Final = frozenset({"pydantic", "pydantic_core", "remit"})


def describe_functions(adapter: TypeAdapter[Any]) -> list[str]:
    """The validators and factories of a type and its parts, sorted: kind, name and a digest of the source of each.

    A factory is listed under the name of its field. A digest also covers plain values in the function's closure and
    defaults, but not the functions that it calls. It does not depend on the version of Python, comments or layout.
    """
    found = set[str]()
    for node in iter_nodes(adapter.core_schema):
        if node["type"] in _VALIDATOR_TYPES and not callable(node["function"]):  # a serializer's function is callable
            function, values = _unwrap(node["function"]["function"])
            if str(getattr(function, "__module__", "")).partition(".")[0] not in _OWN_MODULES:
                found.add(f"validator {_describe(function, values)}")
        elif node["type"] == "model-fields":
            for name, factory in _find_factories(node["fields"]):
                found.add(f"factory {node.get('model_name', '')}.{name} {_describe(*_unwrap(factory))}")
    return sorted(found)


def _find_factories(fields: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for name, field in fields.items():
        schema = field["schema"]
        while schema["type"] in _VALIDATOR_TYPES and "schema" in schema:
            schema = schema["schema"]
        if "default_factory" in schema:
            yield name, schema["default_factory"]


def _unwrap(function: object) -> tuple[object, tuple[object, ...]]:
    """The function of a method or a partial, and the values bound by a partial."""
    values: tuple[object, ...] = ()
    while isinstance(function, (partial, MethodType)):
        if isinstance(function, MethodType):
            function = function.__func__
        else:
            made = cast("partial[Any]", function)
            values += (*made.args, *made.keywords.values())
            function = made.func
    return function, values


def _describe(function: object, values: tuple[object, ...]) -> str:
    if not isinstance(function, FunctionType):
        return str(getattr(function, "__qualname__", type(function).__qualname__))
    values += tuple(each.cell_contents for each in function.__closure__ or () if each != _EMPTY_CELL)
    values += (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    plain = (repr(each) for each in values if type(each) in _PLAIN_TYPES)
    digest = sha256("".join((_read_source(function), *plain)).encode()).hexdigest()[:16]
    return f"{function.__qualname__} {digest}"


@lru_cache(maxsize=1024)
def _read_source(function: FunctionType) -> str:
    """The source of a function without comments and formatting; empty if it is unavailable."""
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return ""
    try:
        return ast.unparse(ast.parse(source))
    except SyntaxError:  # a lambda, whose lines are only part of a statement
        return source.strip()
