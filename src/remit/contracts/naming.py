"""What things are called: the canonical name of a function, its alias in Python, and the names that nobody can have."""

from __future__ import annotations

import keyword
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from remit.contracts.contract import check_name
from remit.errors import ContractError

F = TypeVar("F", bound=Callable[..., Any])

CONTEXT_MEMBERS: Final = frozenset({"call", "caller", "deadline", "emit", "key", "log", "run", "tools"})
"""The public members of a context."""

_DECORATED_NAMES: Final = WeakKeyDictionary[Callable[..., Any], str]()


def tool_name(name: str) -> Callable[[F], F]:
    """Give the tool of a function another name than the function's: ``@tool_name("some-tool-name")`` below ``@tool``.

    The name is what a model sees, what an inventory says, and what ``ctx.call`` takes.

    Raises:
        ContractError: a model may not see the name, or this is no function.
    """
    check_name(name)

    def named(function: F) -> F:
        if not _is_function(function):
            raise ContractError(f"@tool_name({name!r}) names a function: write it below @tool, next to the `async def`")
        _DECORATED_NAMES[function] = name
        return function

    return named


def _is_function(value: object) -> bool:
    return isinstance(value, FunctionType)


def decorated_name(function: FunctionType | MethodType) -> str | None:
    """The name that `tool_name` gave a function, if it did."""
    return _DECORATED_NAMES.get(function.__func__ if isinstance(function, MethodType) else function)


def canonical_name(function: FunctionType | MethodType, name: str | None = None) -> str:
    """The name of the tool of a function: the given one, else that of its `tool_name`, else its own.

    Raises:
        ContractError: it is named twice, differently, or a model may not see the name.
    """
    decorated = decorated_name(function)
    if name is not None and decorated not in {None, name}:
        raise ContractError(
            f"{function.__name__} is named {decorated!r} by @tool_name and {name!r} here; say one of them"
        )
    return check_name(name or decorated or function.__name__) if name or decorated else function.__name__


def python_alias(name: str) -> str:
    """The name as an attribute of ``ctx.tools``: with ``_`` for each ``-``."""
    return name.replace("-", "_")


def check_not_reserved(name: str) -> None:
    """Refuse a name that nothing can be called by.

    Raises:
        ContractError: saying whose it is.
    """
    alias, fix = python_alias(name), "name it otherwise, with @tool_name or name="
    if alias in CONTEXT_MEMBERS:
        raise ContractError(f"no tool can be named {name!r}: ctx.{alias} is a member of the context; {fix}")
    if keyword.iskeyword(alias):
        raise ContractError(
            f"no tool can be named {name!r}: ctx.tools.{alias} is no Python, {alias!r} is a keyword; {fix}"
        )
    if alias.startswith("__"):
        raise ContractError(f"no tool can be named {name!r}: Python keeps names with two underscores first; {fix}")
