"""The callees that an object or module declares for its composed functions, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any, cast

from remit.call.callee import Callee
from remit.call.facts import Effect
from remit.errors import ContractError
from remit.inventory.definition import DeclaresCalls
from remit.inventory.methods import OperationFunction

AnyCallee = Callee[..., Any]


def declared_calls(owner: object, function: OperationFunction, effect: Effect) -> tuple[AnyCallee, ...]:
    """The callees that the object or module of a function declares for it, if it declares any."""
    if not isinstance(owner, DeclaresCalls):
        return ()
    owner_name = owner.__name__ if isinstance(owner, ModuleType) else type(owner).__name__
    name = f"{owner_name}.{function.__name__}"
    calls = _check_calls_mapping(owner_name, owner.calls).get(function)
    if calls is None and effect is Effect.COMPOSED:
        raise ContractError(f"{name} calls tools; declare them in the `calls` of its object")
    return _check_callees(name, calls)


def _check_calls_mapping(owner: str, calls: object) -> Mapping[object, object]:
    """Check that ``calls`` maps functions to callees."""
    if not isinstance(calls, Mapping):
        raise ContractError(f"the `calls` of {owner} are not a mapping; map each function to the callees it calls")
    return cast("Mapping[object, object]", calls)


def _check_callees(function: str, calls: object) -> tuple[AnyCallee, ...]:
    """Check that the declared calls of a function are callees."""
    if calls is None:
        return ()
    if not isinstance(calls, Iterable):
        raise ContractError(f"the `calls` of {function} are {calls!r}; give a list of the callees it calls")
    listed = tuple(cast("Iterable[object]", calls))
    for each in listed:
        if not isinstance(each, Callee):
            raise ContractError(f"the `calls` of {function} name {each!r}, which is not a callee; list tools or agents")
    return cast("tuple[AnyCallee, ...]", listed)


def check_composed_objects(given: object) -> list[object]:
    """Check that ``composed`` returned an iterable of objects."""
    if not isinstance(given, Iterable):
        raise ContractError(f"`compose` returned {given!r}; return a list of the objects whose functions call tools")
    return list(cast("Iterable[object]", given))
