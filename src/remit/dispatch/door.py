"""The door: builds the onion around each callee once, and is the only way to a body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from remit.contracts.arguments import Limits
from remit.contracts.call import CallLayer, CallService
from remit.contracts.principal import Caller
from remit.core import Stack, compose
from remit.dispatch.base import Base
from remit.dispatch.registry import AnyCallee, Missing, Registry
from remit.layers.record import Record
from remit.layers.trace import Trace


class Acting(NamedTuple):
    """An agent as the door knows it: the layers it adds to calls it makes, and the tools it may name."""

    callee: AnyCallee
    layers: Stack[CallLayer]
    tools: Registry


class Door:
    """Run layers outermost, then the agent's, then the tool's, then the base; trace and record around them all.

    Args:
        run_layers: those of the runtime.
        agents: by name.
        tools: what callers that are no agent may name.

    Raises:
        OrderError: layers of the three scopes stand, taken together, in an order that breaks a promise.
    """

    def __init__(
        self,
        run_layers: Stack[CallLayer],
        agents: Mapping[str, Acting],
        tools: Registry,
        limits: Limits,
    ) -> None:
        self.limits = limits
        self._fixed: Stack[CallLayer] = Stack(Trace(), Record(limits=limits))
        self._run_layers = run_layers
        self._agents = agents
        self._tools = tools
        self._services: dict[tuple[str, AnyCallee], CallService] = {}
        for name, acting in agents.items():
            self.service("", acting.callee)
            for callee in (*acting.tools, *tools):
                self.service(name, callee)
        if not agents:
            for callee in tools:
                self.service("", callee)

    def service(self, agent: str, callee: AnyCallee) -> CallService:
        """The onion around ``callee`` for calls made as ``agent``; composed once."""
        if isinstance(callee, Missing):
            return self._compose(agent, callee)
        service = self._services.get((agent, callee))
        if service is None:
            service = self._services[agent, callee] = self._compose(agent, callee)
        return service

    def acts_as(self, callee: AnyCallee, caller: Caller) -> str:
        """The agent as which the body of ``callee`` makes its calls: an agent as itself, others as their caller."""
        acting = self._agents.get(callee.name)
        return callee.name if acting is not None and acting.callee is callee else caller.agent

    def find(self, agent: str, name: str) -> AnyCallee:
        """What ``name`` stands for to ``agent``."""
        acting = self._agents.get(agent)
        return (acting.tools if acting is not None else self._tools).get(name)

    def layers(self, agent: str, callee: AnyCallee) -> Stack[CallLayer]:
        """The layers around ``callee`` for calls made as ``agent``, outermost first."""
        return Stack[CallLayer](self._fixed, self._run_layers, self._agent_layers(agent), callee.layers)

    def onion(self, agent: str, callee: AnyCallee) -> str:
        """The layers around ``callee`` as a drawing, outermost first."""
        scopes = (
            ("DOOR", self._fixed),
            ("RUN", self._run_layers),
            ("AGENT", self._agent_layers(agent)),
            ("TOOL", callee.layers),
        )
        lines = [f"{scope:<6} {_row(layers.layers)}" for scope, layers in scopes]
        return "\n".join([*lines, f"{'BASE':<6} seal · effect · {callee.name} · check · end"])

    def _agent_layers(self, agent: str) -> Stack[CallLayer]:
        acting = self._agents.get(agent)
        return acting.layers if acting is not None else Stack()

    def _compose(self, agent: str, callee: AnyCallee) -> CallService:
        onion = self.layers(agent, callee)
        onion.check()
        acting = self._agents.get(callee.name)
        body = acting.callee if acting is not None and acting.callee == callee else callee
        return compose(onion, Base(body, self).__call__)


def _row(layers: Sequence[CallLayer]) -> str:
    return " · ".join(repr(layer) for layer in layers) or "-"
