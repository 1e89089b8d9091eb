"""The door: builds the onion around each callee once, and is the only way to a body."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from remit.contracts.arguments import Limits
from remit.contracts.call import Call, CallLayer, CallService, check_call_layers
from remit.contracts.callee import AgentLike
from remit.contracts.guard import compose_calls
from remit.contracts.principal import Caller
from remit.core import Stack
from remit.dispatch.base import Base
from remit.dispatch.registry import AnyAgent, AnyCallee, MissingCallee, Registry, describe
from remit.dispatch.tool_scope import ToolScope
from remit.dispatch.unlisted import (
    ServiceCache,
    UnlistedAgent,
    act_as_unlisted,
    apply_given_model,
    find_unlisted_agent,
    has_same_body,
)
from remit.errors import NameTakenError
from remit.layers.record import Record
from remit.layers.trace import Trace


class Dispatcher:
    """Run layers outermost, then the actor's, then the tool's, then the base; trace, record and reach around them all.

    Args:
        run_layers: those of the runtime.
        callees: everything that the application has; see `all_of`.
        root_agent: the actor as which calls from outside are made, if there is one.

    Raises:
        LayerOrderError: layers of the three scopes stand, taken together, in an order that breaks a promise.
        NameTakenError: two callees want one name.
    """

    def __init__(self, run_layers: Stack[CallLayer], callees: Registry, limits: Limits, root_agent: str = "") -> None:
        check_call_layers(run_layers)
        self.limits = limits
        self._recording_layers: Stack[CallLayer] = Stack(Trace(), Record(limits=limits))
        self._run_layers = run_layers
        self._callees = callees
        self._agents: dict[str, AnyAgent] = {each.name: each for each in callees if isinstance(each, AgentLike)}
        self._agent_registries = {name: Registry(actor.tools) for name, actor in self._agents.items()}
        self._unlisted_services = ServiceCache()
        self._services: dict[tuple[str, int], CallService] = {}
        for actor in self._agents.values():
            self._services["", id(actor)] = self._compose("", actor)
        for name in {root_agent: None, **self._agents}:
            for callee in callees:
                if (name, id(callee)) not in self._services:
                    self._services[name, id(callee)] = self._compose(name, callee)

    @property
    def agent_names(self) -> Iterator[str]:
        """The names of those that make calls in their own name."""
        return iter(self._agents)

    def service(self, agent: str, callee: AnyCallee, caller: Caller | None = None) -> CallService:
        """The onion around ``callee`` for calls made as ``agent``; composed once around what the application lists.

        The last few around other objects are kept. ``caller``: for agents that the application may not list.

        Raises:
            NameTakenError: it is an actor that the application does not list, under a name that it does.
        """
        service = self._services.get((agent, id(callee)))
        if service is not None:
            return service
        if isinstance(callee, MissingCallee):
            return self._compose(agent, callee)
        above = None if caller is None else find_unlisted_agent(caller, agent)
        passing = self._unlisted_services if above is None else above.services
        cached = passing.find(agent, callee)
        return passing.keep(agent, callee, self._compose(agent, callee, above)) if cached is None else cached

    def caller_below(self, callee: AnyCallee, call: Call) -> Caller:
        """Who makes the calls of the body of ``callee``: an actor in its own name, others in that of their caller."""
        caller = call.caller.enter_call(call.id)
        actor = self._agents.get(callee.name)
        if actor is not None and has_same_body(actor, callee):
            return caller.enter_agent(actor.name, actor.tool_scope, actor.permissions)
        return act_as_unlisted(caller, callee) if isinstance(callee, AgentLike) else caller

    def resolve_for_model(self, caller: Caller, name: str) -> AnyCallee:
        """What ``name`` stands for, said by the model of the actor that calls.

        It may name the actor's tools. Another that is out of reach is given too, for its call to be denied.
        """
        own = self._registry_of(caller)
        found = own.find(name)
        if found is None and caller.tool_scope is not None and name not in caller.tool_scope:
            found = self._callees.find(name)
        return found or own.get_or_missing(name)

    def resolve_for_code(self, caller: Caller, name: str) -> AnyCallee:
        """What ``name`` stands for in Python code: a tool of the actor above, or what that may reach.

        With no actor above the code is called by a person or a program, and everything has its name.
        """
        own = self._registry_of(caller)
        found = own.find(name)
        if found is None and (not caller.path or self._is_listed_or_barred(caller, name)):
            found = self._callees.find(name)
        return found or own.get_or_missing(name)

    def resolve_alias(self, caller: Caller, alias: str) -> AnyCallee:
        """What an attribute of ``ctx.tools`` stands for; see `find`."""
        name = self._registry_of(caller).canonical_name(alias) or self._callees.canonical_name(alias)
        return self.resolve_for_code(caller, name or alias)

    def layers(self, agent: str, callee: AnyCallee) -> Stack[CallLayer]:
        """The layers around ``callee`` for calls made as ``agent``, outermost first."""
        return self._layers_around(callee, self._agent_layers(agent))

    def draw_layers(self, agent: str, callee: AnyCallee) -> str:
        """The layers around ``callee`` as a drawing, outermost first."""
        scopes = (
            ("ENTRY", self._entry_layers(callee)),
            ("RUN", self._run_layers),
            ("AGENT", self._agent_layers(agent)),
            ("TOOL", callee.layers),
        )
        lines = [f"{scope:<6} {_format_row(layers.layers)}" for scope, layers in scopes]
        return "\n".join([*lines, f"{'BASE':<6} seal · effect · {callee.name} · check · end"])

    def _resolve_body(self, callee: AnyCallee) -> AnyCallee:
        """What runs where ``callee`` is called: itself; of a listed actor the listed one, with the model it was given.

        Only the listed agent has what the application adds, like the targets of handoffs.
        """
        listed = self._callees.find(callee.name)
        if listed is None or listed is callee or not isinstance(callee, AgentLike):
            return callee
        if not has_same_body(listed, callee):
            raise NameTakenError(f"{describe(callee)} cannot act: {describe(listed)} has its name; rename one of them")
        return apply_given_model(listed, callee)

    def _find_agent(self, caller: Caller, name: str) -> AnyAgent | None:
        """The actor of that name, for calls below ``caller``."""
        above = find_unlisted_agent(caller, name)
        return self._agents.get(name) if above is None else above.agent

    def _registry_of(self, caller: Caller) -> Registry:
        above = find_unlisted_agent(caller, caller.agent)
        return self._agent_registries.get(caller.agent, self._callees) if above is None else above.registry

    def _is_listed_or_barred(self, caller: Caller, name: str) -> bool:
        """Whether the actor above lists ``name`` for what it calls, or another bars it, for its call to be denied."""
        actor = self._find_agent(caller, caller.agent)
        listed = actor is not None and actor.tool_scope is not None and name in actor.tool_scope
        return listed or (caller.tool_scope is not None and name not in caller.tool_scope)

    def _entry_layers(self, callee: AnyCallee) -> Stack[CallLayer]:
        """The layers at the entry. Unknown names are not checked against the tool scope."""
        if isinstance(callee, MissingCallee):
            return self._recording_layers
        deepest = self.limits.agent_depth if isinstance(callee, AgentLike) else None
        listed = self._callees.find(callee.name)
        return Stack[CallLayer](
            self._recording_layers,
            ToolScope(callee=callee, listed=listed, find_agent=self._find_agent, max_agent_depth=deepest),
        )

    def _agent_layers(self, agent: str) -> Stack[CallLayer]:
        actor = self._agents.get(agent)
        return actor.call_layers if actor is not None else Stack()

    def _layers_around(self, callee: AnyCallee, agent_layers: Stack[CallLayer]) -> Stack[CallLayer]:
        return Stack[CallLayer](self._entry_layers(callee), self._run_layers, agent_layers, callee.layers)

    def _compose(self, agent: str, callee: AnyCallee, above: UnlistedAgent | None = None) -> CallService:
        body = self._resolve_body(callee)
        stack = self._layers_around(callee, self._agent_layers(agent) if above is None else above.agent.call_layers)
        stack.check()
        return compose_calls(stack, Base(body, self).__call__)


def _format_row(layers: Sequence[CallLayer]) -> str:
    return " · ".join(repr(layer) for layer in layers) or "-"
