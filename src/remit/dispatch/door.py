"""The door: builds the onion around each callee once, and is the only way to a body."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from remit.contracts.arguments import Limits
from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.callee import Actor
from remit.contracts.principal import Caller
from remit.core import Stack, compose
from remit.dispatch.base import Base
from remit.dispatch.guests import Guest, Passing, guest, run_in_place_of, same_body, visiting
from remit.dispatch.reach import Reach
from remit.dispatch.registry import AnyActor, AnyCallee, Missing, Registry, told
from remit.errors import NameTakenError
from remit.layers.record import Record
from remit.layers.trace import Trace


class Door:
    """Run layers outermost, then the actor's, then the tool's, then the base; trace, record and reach around them all.

    Args:
        run_layers: those of the runtime.
        callees: everything that the application has; see `all_of`.
        root: the actor as which calls from outside are made, if there is one.

    Raises:
        OrderError: layers of the three scopes stand, taken together, in an order that breaks a promise.
        NameTakenError: two callees want one name.
    """

    def __init__(self, run_layers: Stack[CallLayer], callees: Registry, limits: Limits, root: str = "") -> None:
        self.limits = limits
        self._noted: Stack[CallLayer] = Stack(Trace(), Record(limits=limits))
        self._run_layers = run_layers
        self._callees = callees
        self._actors: dict[str, AnyActor] = {each.name: each for each in callees if isinstance(each, Actor)}
        self._own = {name: Registry(actor.tools) for name, actor in self._actors.items()}
        self._passing = Passing()
        self._services: dict[tuple[str, int], CallService] = {}
        for actor in self._actors.values():
            self._services["", id(actor)] = self._compose("", actor)
        for name in {root: None, **self._actors}:
            for callee in callees:
                if (name, id(callee)) not in self._services:
                    self._services[name, id(callee)] = self._compose(name, callee)

    @property
    def actors(self) -> Iterator[str]:
        """The names of those that make calls in their own name."""
        return iter(self._actors)

    def service(self, agent: str, callee: AnyCallee, caller: Caller | None = None) -> CallService:
        """The onion around ``callee`` for calls made as ``agent``; composed once around what the application lists.

        The last few around other objects are kept. ``caller``: where the agent may be one that nobody lists.

        Raises:
            NameTakenError: it is an actor that the application does not list, under a name that it does.
        """
        service = self._services.get((agent, id(callee)))
        if service is not None:
            return service
        if isinstance(callee, Missing):
            return self._compose(agent, callee)
        above = None if caller is None else guest(caller, agent)
        passing = self._passing if above is None else above.passing
        kept = passing.find(agent, callee)
        return passing.keep(agent, callee, self._compose(agent, callee, above)) if kept is None else kept

    def below(self, callee: AnyCallee, call: Call) -> Caller:
        """Who makes the calls of the body of ``callee``: an actor in its own name, others in that of their caller."""
        caller = call.caller.within(call.id)
        actor = self._actors.get(callee.name)
        if actor is not None and same_body(actor, callee):
            return caller.acting(actor.name, actor.reach, actor.permissions)
        return visiting(caller, callee) if isinstance(callee, Actor) else caller

    def offered(self, caller: Caller, name: str) -> AnyCallee:
        """What ``name`` stands for, said by the model of the actor that calls.

        It may name the actor's tools. Another that is out of reach is given too, for its call to be denied.
        """
        own = self._named_by(caller)
        found = own.find(name)
        if found is None and caller.reach is not None and name not in caller.reach:
            found = self._callees.find(name)
        return found or own.get(name)

    def find(self, caller: Caller, name: str) -> AnyCallee:
        """What ``name`` stands for in Python code: a tool of the actor above, or what that may reach.

        With no actor above the code is called by a person or a program, and everything has its name.
        """
        own = self._named_by(caller)
        found = own.find(name)
        if found is None and (not caller.path or self._lists(caller, name)):
            found = self._callees.find(name)
        return found or own.get(name)

    def find_alias(self, caller: Caller, alias: str) -> AnyCallee:
        """What an attribute of ``ctx.tools`` stands for; see `find`."""
        name = self._named_by(caller).canonical(alias) or self._callees.canonical(alias)
        return self.find(caller, name or alias)

    def layers(self, agent: str, callee: AnyCallee) -> Stack[CallLayer]:
        """The layers around ``callee`` for calls made as ``agent``, outermost first."""
        return self._around(callee, self._agent_layers(agent))

    def onion(self, agent: str, callee: AnyCallee) -> str:
        """The layers around ``callee`` as a drawing, outermost first."""
        scopes = (
            ("DOOR", self._fixed(callee)),
            ("RUN", self._run_layers),
            ("AGENT", self._agent_layers(agent)),
            ("TOOL", callee.layers),
        )
        lines = [f"{scope:<6} {_row(layers.layers)}" for scope, layers in scopes]
        return "\n".join([*lines, f"{'BASE':<6} seal · effect · {callee.name} · check · end"])

    def _body(self, callee: AnyCallee) -> AnyCallee:
        """What runs where ``callee`` is called: itself; of a listed actor the listed one, with the model it was given.

        What the application has made of an agent, like whom it hands over to, only the listed one knows.
        """
        listed = self._callees.find(callee.name)
        if listed is None or listed is callee or not isinstance(callee, Actor):
            return callee
        if not same_body(listed, callee):
            raise NameTakenError(f"{told(callee)} cannot act: {told(listed)} has its name; rename one of them")
        return run_in_place_of(listed, callee)

    def _actor(self, caller: Caller, name: str) -> AnyActor | None:
        """The actor of that name, for calls below ``caller``."""
        above = guest(caller, name)
        return self._actors.get(name) if above is None else above.actor

    def _named_by(self, caller: Caller) -> Registry:
        above = guest(caller, caller.agent)
        return self._own.get(caller.agent, self._callees) if above is None else above.named

    def _lists(self, caller: Caller, name: str) -> bool:
        """Whether the actor above lists ``name`` for what it calls, or another bars it, for its call to be denied."""
        actor = self._actor(caller, caller.agent)
        listed = actor is not None and actor.reach is not None and name in actor.reach
        return listed or (caller.reach is not None and name not in caller.reach)

    def _fixed(self, callee: AnyCallee) -> Stack[CallLayer]:
        """The layers of the door itself. A name that nobody has is out of nobody's reach."""
        if isinstance(callee, Missing):
            return self._noted
        deepest = self.limits.actor_depth if isinstance(callee, Actor) else None
        listed = self._callees.find(callee.name)
        return Stack[CallLayer](self._noted, Reach(callee=callee, listed=listed, find=self._actor, actors=deepest))

    def _agent_layers(self, agent: str) -> Stack[CallLayer]:
        actor = self._actors.get(agent)
        return actor.call_layers if actor is not None else Stack()

    def _around(self, callee: AnyCallee, of_agent: Stack[CallLayer]) -> Stack[CallLayer]:
        return Stack[CallLayer](self._fixed(callee), self._run_layers, of_agent, callee.layers)

    def _compose(self, agent: str, callee: AnyCallee, above: Guest | None = None) -> CallService:
        body = self._body(callee)
        onion = self._around(callee, self._agent_layers(agent) if above is None else above.actor.call_layers)
        onion.check()
        return compose(onion, Base(body, self).__call__)


def _row(layers: Sequence[CallLayer]) -> str:
    return " · ".join(repr(layer) for layer in layers) or "-"
