"""How far a call may go: no further than every actor above it lets it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import CoroutineType
from typing import Any, NoReturn

from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.callee import Actor
from remit.contracts.reply import Reply
from remit.errors import BudgetError, DeniedError

AnyActor = Actor[..., Any]
Find = Callable[[str], AnyActor | None]
"""From a name to the actor of that name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach(CallLayer):
    """Refuses what an actor above the call does not let through.

    It is part of the door: whichever layers are attached, a call out of reach is denied, and recorded as denied.

    Args:
        find: the actors by name.
        actors: around an actor, how many may be nested.
    """

    find: Find = field(repr=False)
    actors: int | None = None

    def __call__(self, inner: CallService, /) -> CallService:
        """The service that looks before ``inner``."""
        return (_Reach(inner, self.find) if self.actors is None else _Nested(inner, self.find, self.actors)).__call__

    def __repr__(self) -> str:
        return "Reach()" if self.actors is None else f"Reach(actors={self.actors})"


class _Reach:
    """Not async itself: almost every call only passes through."""

    __slots__ = ("_find", "_inner")

    def __init__(self, inner: CallService, find: Find) -> None:
        self._inner = inner
        self._find = find

    def __call__(self, call: Call, /) -> CoroutineType[Any, Any, Reply]:
        reach = call.caller.reach
        if reach is not None and call.callee.name not in reach:
            self._deny(call)
        return self._inner(call)

    def _deny(self, call: Call) -> NoReturn:
        name, path = call.callee.name, call.caller.path
        barring = [each for each in path if _bars(self._find(each), name)]
        way = f" (called by {' > '.join(path)})" if len(path) > 1 else ""
        raise DeniedError(f"{barring[0]} does not let its calls reach {name}{way}; it would have to list it")


class _Nested(_Reach):
    __slots__ = ("_actors",)

    def __init__(self, inner: CallService, find: Find, actors: int) -> None:
        super().__init__(inner, find)
        self._actors = actors

    def __call__(self, call: Call, /) -> CoroutineType[Any, Any, Reply]:
        path = call.caller.path
        if len(path) >= self._actors:
            nested = " > ".join((*path, call.callee.name))
            raise BudgetError(f"actors are nested {len(path) + 1} deep ({nested}); at most {self._actors} may be")
        return super().__call__(call)


def _bars(actor: AnyActor | None, name: str) -> bool:
    return actor is not None and actor.reach is not None and name not in actor.reach
