"""Actors and tools that come by as objects and that the application does not list: known while their call lasts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from remit.contracts.call import CallService
from remit.contracts.callee import HasBody, HasModel
from remit.contracts.principal import Caller
from remit.dispatch.registry import AnyAgent, AnyCallee, Registry

MAX_CACHED_SERVICES: Final = 64
"""So many onions around objects that nobody lists are kept, the last ones."""


class ServiceCache:
    """The last few onions around objects that came by, each for the very object and whoever called it."""

    __slots__ = ("_services",)

    def __init__(self) -> None:
        self._services: dict[tuple[str, int], tuple[AnyCallee, CallService]] = {}

    def __len__(self) -> int:
        return len(self._services)

    def find(self, agent: str, callee: AnyCallee) -> CallService | None:
        """The onion around that object for calls made as ``agent``, if it is still there."""
        kept = self._services.get((agent, id(callee)))
        return None if kept is None else kept[1]

    def keep(self, agent: str, callee: AnyCallee, service: CallService) -> CallService:
        """Keep an onion, with its object so that no other has its id, and let go of the oldest."""
        if len(self._services) >= MAX_CACHED_SERVICES:
            del self._services[next(iter(self._services))]
        self._services[agent, id(callee)] = (callee, service)
        return service


class UnlistedAgent:
    """An actor that came by as an object: what it names, and the onions around what it calls, for one call of it."""

    __slots__ = ("agent", "registry", "services")

    def __init__(self, actor: AnyAgent) -> None:
        self.agent = actor
        self.registry = Registry(actor.tools)
        self.services = ServiceCache()


@dataclass(frozen=True, slots=True)
class UnlistedCaller(Caller):
    """A caller below actors that the application does not list: it carries them, for no name leads to them."""

    unlisted_agents: tuple[UnlistedAgent, ...] = field(default=(), repr=False, compare=False)

    def enter_call(self, call: str) -> UnlistedCaller:
        """Who makes the calls of the body of ``call``, with the same guests above."""
        return replace(self, call=call, depth=self.depth + 1)


def act_as_unlisted(caller: Caller, agent: AnyAgent) -> UnlistedCaller:
    """``caller`` as an actor that nobody lists."""
    acting = caller.enter_agent(agent.name, agent.tool_scope, agent.permissions)
    return UnlistedCaller(
        acting.run,
        acting.agent,
        acting.call,
        acting.depth,
        acting.principal,
        acting.conversation,
        acting.application,
        acting.path,
        acting.tool_scope,
        (*_unlisted_agents(caller), UnlistedAgent(agent)),
    )


def find_unlisted_agent(caller: Caller, name: str) -> UnlistedAgent | None:
    """The actor of that name above a call which nobody lists; of two the nearer one."""
    return next((each for each in reversed(_unlisted_agents(caller)) if each.agent.name == name), None)


def resolve_by_unlisted(caller: Caller, name: str) -> list[AnyCallee]:
    """What the actors above a call which nobody lists mean by a name."""
    found = [each.registry.find(name) for each in _unlisted_agents(caller)]
    return [each for each in found if each is not None]


def has_same_body(one: AnyCallee, other: AnyCallee) -> bool:
    """Whether two callees run the same, whichever layers, name or model they have been given."""
    if one is other or one == other:
        return True
    return isinstance(one, HasBody) and isinstance(other, HasBody) and one.body == other.body


def apply_given_model(listed: AnyCallee, given: AnyCallee) -> AnyCallee:
    """The actor that runs where ``given`` is called: the listed one, asking the model that this one was given."""
    if not (isinstance(listed, HasModel) and isinstance(given, HasModel)):
        return listed
    model: object = given.model
    return listed if model is None or model is listed.model else listed.with_model(model)


def _unlisted_agents(caller: Caller) -> tuple[UnlistedAgent, ...]:
    return caller.unlisted_agents if isinstance(caller, UnlistedCaller) else ()
