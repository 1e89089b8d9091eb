"""Names of tools: the canonical name, the alias in Python, and reserved names."""

from __future__ import annotations

import keyword
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from remit.call.contract import check_name
from remit.errors import ContractError
from remit.shown import show_value

F = TypeVar("F", bound=Callable[..., Any])

CONTEXT_MEMBERS: Final = frozenset({"call", "caller", "deadline", "emit", "key", "last_seen", "log", "run", "tools"})
"""The public members of a context."""

_DECORATED_NAMES: Final = WeakKeyDictionary[Callable[..., Any], str]()


def tool_name(name: str) -> Callable[[F], F]:
    """Name a tool other than its function: ``@tool_name("some-tool-name")``, below ``@tool``.

    Models, inventories and ``ctx.call`` use this name.

    Raises:
        ContractError: the name is not valid for models, or the decorated object is not a function.
    """
    check_name(name)

    def decorate(function: F) -> F:
        if not _is_function(function):
            raise ContractError(f"@tool_name({name!r}) needs a function; write it below @tool, next to the `async def`")
        _DECORATED_NAMES[function] = name
        return function

    return decorate


def _is_function(value: object) -> bool:
    return isinstance(value, FunctionType)


def decorated_name(function: FunctionType | MethodType) -> str | None:
    """The name that `tool_name` gave the function, if any."""
    return _DECORATED_NAMES.get(function.__func__ if isinstance(function, MethodType) else function)


def find_function(value: Callable[..., Any], name: str | None) -> tuple[FunctionType | MethodType, str | None]:
    """Return the function or an object's ``__call__``. An object's tool is named after its class by default.

    Raises:
        ContractError: it is neither.
    """
    if isinstance(value, (FunctionType, MethodType)):
        return value, name
    call: object = value.__call__ if callable(value) and not isinstance(value, type) else None
    if not isinstance(call, MethodType) or hasattr(value, "build_arguments"):
        if isinstance(value, type):
            raise ContractError(f"{value.__name__} is a class: write tool({value.__name__}(…)), with its __call__")
        raise ContractError(f"{show_value(value):.100} is not a function or method: write a function that calls it")
    return call, name or type(value).__name__


def canonical_name(function: FunctionType | MethodType, name: str | None = None) -> str:
    """The name of a function's tool: ``name``, the name from `tool_name`, or the function's own, in this order.

    Raises:
        ContractError: the two names differ, or the name is not valid for models.
    """
    decorated = decorated_name(function)
    if name is not None:
        check_name(name)
    if name is not None and decorated not in {None, name}:
        raise ContractError(
            f"{function.__name__} is named {decorated!r} by @tool_name and {name!r} here; keep one of them"
        )
    return check_name(name or decorated or function.__name__) if name or decorated else function.__name__


def python_alias(name: str) -> str:
    """The name as an attribute of ``ctx.tools``, with ``_`` for each ``-``."""
    return name.replace("-", "_")


def check_not_reserved(name: str) -> None:
    """Refuse a name that cannot be used to call a tool from Python.

    Raises:
        ContractError: the message says what reserves the name.
    """
    alias, fix = python_alias(name), "choose another with @tool_name or name="
    if alias in CONTEXT_MEMBERS:
        raise ContractError(f"{name!r} is reserved: ctx.{alias} is a member of the context; {fix}")
    if keyword.iskeyword(alias):
        raise ContractError(
            f"{name!r} is reserved: {alias!r} is a keyword, so ctx.tools.{alias} is not valid Python; {fix}"
        )
    if alias.startswith("__"):
        raise ContractError(f"{name!r} is reserved: Python reserves names that begin with two underscores; {fix}")
