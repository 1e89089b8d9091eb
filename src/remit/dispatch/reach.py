"""How far a call may go: no further than every actor above it lets it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from types import CoroutineType
from typing import Any, NoReturn

from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.principal import Caller
from remit.contracts.reply import Reply
from remit.core.frozen import frozen
from remit.dispatch.guests import named_by_guests, same_body
from remit.dispatch.registry import AnyActor, AnyCallee, told
from remit.errors import BudgetError, DeniedError

Find = Callable[[Caller, str], AnyActor | None]
"""From a name to the actor of that name, which the application lists or which is above the call."""


@frozen
class Reach(CallLayer):
    """Refuses what an actor above the call does not let through.

    It is part of the door: whichever layers are attached, a call out of reach is denied, and recorded as denied.

    Args:
        callee: what it stands around. listed: what the application has under the name of that.
        find: the actors by name.
        actors: around an actor, how many may be nested.
    """

    callee: AnyCallee = field(repr=False)
    listed: AnyCallee | None = field(repr=False)
    find: Find = field(repr=False)
    actors: int | None = None

    def __call__(self, inner: CallService, /) -> CallService:
        """The service that looks before ``inner``."""
        return (_Reach(inner, self) if self.actors is None else _Nested(inner, self, self.actors)).__call__

    def __repr__(self) -> str:
        return "Reach()" if self.actors is None else f"Reach(actors={self.actors})"


class _Reach:
    """Not async itself: almost every call only passes through."""

    __slots__ = ("_callee", "_find", "_inner", "_listed")

    def __init__(self, inner: CallService, reach: Reach) -> None:
        self._inner = inner
        self._find = reach.find
        self._callee = reach.callee
        self._listed = None if reach.listed is reach.callee else reach.listed

    def __call__(self, call: Call, /) -> CoroutineType[Any, Any, Reply]:
        reach = call.caller.reach
        if reach is not None:
            if self._callee.name not in reach:
                self._deny(call)
            if self._listed is not None or type(call.caller) is not Caller:
                self._check_same(call.caller)
        return self._inner(call)

    def _check_same(self, caller: Caller) -> None:
        """An actor above lets what is named so be called, and not whatever is given that name."""
        means = named_by_guests(caller, self._callee.name) if self._listed is None else [self._listed]
        other = next((each for each in means if not same_body(each, self._callee)), None)
        if other is not None:
            raise DeniedError(
                f"{caller.path[-1]} lets its calls reach {told(other)}, and not {told(self._callee)}; "
                f"give the latter a name of its own, and list it"
            )

    def _deny(self, call: Call) -> NoReturn:
        name, path = self._callee.name, call.caller.path
        barring = [each for each in path if _bars(self._find(call.caller, each), name)]
        way = f" (called by {' > '.join(path)})" if len(path) > 1 else ""
        raise DeniedError(f"{barring[0]} does not let its calls reach {name}{way}; it would have to list it")


class _Nested(_Reach):
    __slots__ = ("_actors",)

    def __init__(self, inner: CallService, reach: Reach, actors: int) -> None:
        super().__init__(inner, reach)
        self._actors = actors

    def __call__(self, call: Call, /) -> CoroutineType[Any, Any, Reply]:
        path = call.caller.path
        if len(path) >= self._actors:
            nested = " > ".join((*path, call.callee.name))
            raise BudgetError(f"actors are nested {len(path) + 1} deep ({nested}); at most {self._actors} may be")
        return super().__call__(call)


def _bars(actor: AnyActor | None, name: str) -> bool:
    return actor is not None and actor.reach is not None and name not in actor.reach
