"""Actors and tools that come by as objects and that the application does not list: known while their call lasts."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Final

from remit.contracts.call import CallService
from remit.contracts.callee import Bodied, Modelled
from remit.contracts.principal import Caller
from remit.core.frozen import frozen
from remit.dispatch.registry import AnyActor, AnyCallee, Registry

KEPT: Final = 64
"""So many onions around objects that nobody lists are kept, the last ones."""


class Passing:
    """The last few onions around objects that came by, each for the very object and whoever called it."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[tuple[str, int], tuple[AnyCallee, CallService]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, agent: str, callee: AnyCallee) -> CallService | None:
        """The onion around that object for calls made as ``agent``, if it is still there."""
        kept = self._kept.get((agent, id(callee)))
        return None if kept is None else kept[1]

    def keep(self, agent: str, callee: AnyCallee, service: CallService) -> CallService:
        """Keep an onion, with its object so that no other has its id, and let go of the oldest."""
        if len(self._kept) >= KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[agent, id(callee)] = (callee, service)
        return service


class Guest:
    """An actor that came by as an object: what it names, and the onions around what it calls, for one call of it."""

    __slots__ = ("actor", "named", "passing")

    def __init__(self, actor: AnyActor) -> None:
        self.actor = actor
        self.named = Registry(actor.tools)
        self.passing = Passing()


@frozen(kw_only=False)
class GuestCaller(Caller):
    """A caller below actors that the application does not list: it carries them, for no name leads to them."""

    guests: tuple[Guest, ...] = field(default=(), repr=False, compare=False)

    def within(self, call: str) -> GuestCaller:
        """Who makes the calls of the body of ``call``, with the same guests above."""
        return replace(self, call=call, depth=self.depth + 1)


def visiting(caller: Caller, actor: AnyActor) -> GuestCaller:
    """``caller`` as an actor that nobody lists."""
    acting = caller.acting(actor.name, actor.reach, actor.permissions)
    return GuestCaller(
        acting.run,
        acting.agent,
        acting.call,
        acting.depth,
        acting.principal,
        acting.conversation,
        acting.application,
        acting.path,
        acting.reach,
        (*_guests(caller), Guest(actor)),
    )


def guest(caller: Caller, name: str) -> Guest | None:
    """The actor of that name above a call which nobody lists; of two the nearer one."""
    return next((each for each in reversed(_guests(caller)) if each.actor.name == name), None)


def named_by_guests(caller: Caller, name: str) -> list[AnyCallee]:
    """What the actors above a call which nobody lists mean by a name."""
    found = [each.named.find(name) for each in _guests(caller)]
    return [each for each in found if each is not None]


def same_body(one: AnyCallee, other: AnyCallee) -> bool:
    """Whether two callees run the same, whichever layers, name or model they have been given."""
    if one is other or one == other:
        return True
    return isinstance(one, Bodied) and isinstance(other, Bodied) and one.body == other.body


def run_in_place_of(listed: AnyCallee, given: AnyCallee) -> AnyCallee:
    """The actor that runs where ``given`` is called: the listed one, asking the model that this one was given."""
    if not (isinstance(listed, Modelled) and isinstance(given, Modelled)):
        return listed
    model: object = given.model
    return listed if model is None or model is listed.model else listed.using(model)


def _guests(caller: Caller) -> tuple[Guest, ...]:
    return caller.guests if isinstance(caller, GuestCaller) else ()
