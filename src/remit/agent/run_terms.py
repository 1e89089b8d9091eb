"""The terms under which a runtime executes runs of its callees."""

from __future__ import annotations

from collections.abc import Iterable

from remit.agent.agent import Agent
from remit.agent.linking import reachable_from
from remit.contracts.arguments import Limits
from remit.contracts.call import CallLayer
from remit.contracts.callee import AgentLike
from remit.contracts.facts import Effect
from remit.contracts.items import RunOpened
from remit.core import Stack
from remit.dispatch.registry import AnyAgent, AnyCallee
from remit.dispatch.terms import Terms, describe_terms


class RunTerms:
    """Describes the run layers, the limits, and the agents that a run can reach.

    A composed tool may call any agent of the application.
    """

    def __init__(self, layers: Stack[CallLayer], limits: Limits, callees: Iterable[AnyCallee]) -> None:
        self._layers = layers
        self._limits = limits
        self._callees = list(callees)
        self._known = dict[tuple[str, str], Terms]()

    def __call__(self, header: RunOpened) -> Terms:
        """The terms under which this runtime executes the run with that header."""
        key = (header.agent, header.callee)
        if key not in self._known:
            agents = ((each, _limits_of(each)) for each in self._find_agents(*key))
            self._known[key] = describe_terms(self._layers, self._limits, agents)
        return self._known[key]

    def _find_agents(self, caller: str, callee: str) -> list[AnyAgent]:
        reached = list(reachable_from(self._callees, callee))
        if any(each.facts.effect is Effect.COMPOSED and not isinstance(each, AgentLike) for each in reached):
            reached = self._callees
        reached = [*reached, *(each for each in self._callees if each.name == caller)]
        return [each for each in reached if isinstance(each, AgentLike)]


def _limits_of(agent: AnyAgent) -> dict[str, float | None]:
    return agent.definition.limits.model_dump() if isinstance(agent, Agent) else {}
