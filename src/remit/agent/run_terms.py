"""The terms under which a runtime executes runs of its callees."""

from __future__ import annotations

from collections.abc import Iterable

from remit.agent.agent import Agent
from remit.agent.linking import reachable_from
from remit.call.call import CallLayer
from remit.call.callee import AgentLike
from remit.call.facts import Effect
from remit.core import Stack
from remit.core.protocols import implements
from remit.dispatch.registry import AnyCallee
from remit.dispatch.terms import GovernedCallee, Terms, describe_terms
from remit.record.arguments import Limits
from remit.record.items import OPEN_RUN, RunOpened


class RunTerms:
    """Describes the run layers, the limits, and the agents and tools that a run can reach.

    A composed tool may call every callee of the application, and so may the callers in an open run.
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
            reached = map(_describe_inside, self._find_reached(*key))
            self._known[key] = describe_terms(self._layers, self._limits, reached)
        return self._known[key]

    def _find_reached(self, caller: str, callee: str) -> list[AnyCallee]:
        reached = list(reachable_from(self._callees, callee))
        if callee == OPEN_RUN or any(
            each.facts.effect is Effect.COMPOSED and not implements(each, AgentLike) for each in reached
        ):
            reached = self._callees
        return [*reached, *(each for each in self._callees if each.name == caller)]


def _describe_inside(callee: AnyCallee) -> GovernedCallee:
    if isinstance(callee, Agent):
        return GovernedCallee(callee, callee.agent_layers, callee.limits.model_dump())
    return GovernedCallee(callee, callee.call_layers if implements(callee, AgentLike) else ())
