"""The layers around each call by scope, chosen for each agent and callee."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from remit.call.call import CallLayer, ConditionalLayer, choose_layers, has_conditions
from remit.call.callee import AgentLike
from remit.call.gate import with_gates_first
from remit.call.guard import is_composed_by_own_code
from remit.core import Place, Stack, check_order
from remit.core.protocols import implements
from remit.dispatch.preset import declared_rate, with_declared_limits
from remit.dispatch.registry import AnyAgent, AnyCallee, MissingCallee
from remit.dispatch.tool_scope import ToolScope
from remit.layers.limit import RateLimit
from remit.layers.record import Record
from remit.layers.trace import Trace
from remit.record.arguments import Limits

LayersByScope = dict[str, Stack[CallLayer]]
"""The layers around a callee by scope, outermost first."""
_Order = tuple[tuple[str, tuple[Place, ...]], ...]


_NO_LAYERS: Final[Stack[CallLayer]] = Stack()


class _Alike(NamedTuple):
    """Data shared by callees with layers at the same places, independent of the calling agent."""

    order: _Order
    are_composed_by_own_code: bool


class Scopes:
    """Chooses the layers around calls, and refuses an order that breaks a rule.

    Args:
        run_layers: the layers of the runtime.
        agents: the agents by name.
        limits: the limits of recorded texts and of the nesting of agents.
    """

    def __init__(self, run_layers: Stack[CallLayer], agents: Mapping[str, AnyAgent], limits: Limits) -> None:
        self.recording: Stack[CallLayer] = Stack(Trace(), Record(limits=limits))
        self._run_layers = run_layers
        self._run_layers_of_agents = Stack(*(each for each in run_layers if not _is_timeout_of_run(each)))
        self._agents = agents
        self._max_agent_depth = limits.agent_depth
        self._rates: dict[str, RateLimit] = {}
        self._checked: set[_Order] = set()

    def choose(self, agent: str, callee: AnyCallee) -> LayersByScope:
        """The layers around ``callee`` for calls made as ``agent``."""
        caller = self._agents.get(agent)
        around = self._around_callee(agent, callee)
        by_agent = choose_layers(caller.call_layers, agent, callee) if caller is not None else _NO_LAYERS
        return {"entry": self._entry(callee), "run": around["run"], "agent": by_agent, "tool": around["tool"]}

    def check(self, agent: str, callee: AnyCallee, chosen: LayersByScope) -> None:
        """Check the order of the chosen layers, unless layers at the same places were checked before.

        Raises:
            LayerOrderError: the order breaks a rule.
        """
        order = _order_of(chosen)
        if order not in self._checked:
            _check_order(agent, callee.name, chosen)
            self._checked.add(order)

    def check_all(self, agents: Iterable[str], callees: Iterable[AnyCallee]) -> Iterator[tuple[str, AnyCallee]]:
        """Check the layers around all ``callees`` for calls made as each of ``agents``.

        Yields the pairs in which application code composes a layer, because only composition can check these.

        Raises:
            LayerOrderError: the layers around one of them are in the wrong order.
        """
        found = [(callee, self._find_alike(callee)) for callee in callees]
        for agent in agents:
            caller = self._agents.get(agent)
            by_agent = caller.call_layers if caller is not None else _NO_LAYERS
            depends, is_own, checked = has_conditions(by_agent), _has_own_code(by_agent), set[_Order]()
            for callee, alike in found:
                if depends or alike is None:
                    chosen = self.choose(agent, callee)
                    self.check(agent, callee, chosen)
                    is_composed = any(map(_has_own_code, chosen.values()))
                else:
                    if alike.order not in checked:
                        self.check(agent, callee, self.choose(agent, callee))
                        checked.add(alike.order)
                    is_composed = is_own or alike.are_composed_by_own_code
                if is_composed:
                    yield agent, callee

    def _find_alike(self, callee: AnyCallee) -> _Alike | None:
        """The layers around ``callee`` for every calling agent; None if they depend on the agent."""
        if has_conditions(self._run_layers) or has_conditions(callee.layers):
            return None
        around = self._around_callee("", callee)
        return _Alike(_order_of(around), any(map(_has_own_code, around.values())))

    def _entry(self, callee: AnyCallee) -> Stack[CallLayer]:
        """The layers at the entry. Unknown names are not checked against the tool scope."""
        if isinstance(callee, MissingCallee):
            return self.recording
        deepest = self._max_agent_depth if implements(callee, AgentLike) else None
        scope = ToolScope(name=callee.name, find_agent=self._agents.get, max_agent_depth=deepest)
        return Stack(self.recording, scope)

    def _around_callee(self, agent: str, callee: AnyCallee) -> LayersByScope:
        """The layers of the run, of the callee and of the callee's facts. All agents share the callee's rate."""
        rate = self._rates.get(callee.name) or declared_rate(callee.facts)
        if rate is not None:
            self._rates[callee.name] = rate
        own = choose_layers(callee.layers, agent, callee)
        run_layers = self._run_layers_of_agents if implements(callee, AgentLike) else self._run_layers
        return {
            "run": with_gates_first(choose_layers(run_layers, agent, callee), own),
            "tool": with_declared_limits(callee.facts, own, rate),
        }


def _is_timeout_of_run(layer: CallLayer) -> bool:
    """Whether a layer of the run is a timeout for the single calls of agents, not for agents themselves."""
    return layer.place is Place.TIMEOUT and not isinstance(layer, ConditionalLayer)


def _has_own_code(layers: Stack[CallLayer]) -> bool:
    return any(map(is_composed_by_own_code, layers.layers))


def _order_of(chosen: LayersByScope) -> _Order:
    return tuple((scope, tuple([layer.place for layer in stack.layers])) for scope, stack in chosen.items())


def _check_order(agent: str, callee: str, scopes: LayersByScope) -> None:
    def move(layer: str, scope: str, outer: str) -> str:
        calls = f"agents={{{agent!r}}}" if scope == "agent" else f"tools={{{callee!r}}}"
        moved = f"{layer}.where({calls})"
        return f"App(layers={moved})" if outer == "run" else f"{agent}.layer({moved})"

    placed = [(each.place, repr(each), scope) for scope, stack in scopes.items() for each in stack]
    check_order(*zip(*placed, strict=True), move=move)
