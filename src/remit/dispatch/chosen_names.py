"""Finds names in layer conditions and policy rules that match no possible call.

Such a layer would silently be omitted, and such a rule would silently never match.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from remit.approvals.earlier_calls import reading_rules
from remit.approvals.policy import When
from remit.call.call import CallLayer, ConditionalLayer
from remit.call.callee import AgentLike
from remit.call.contract import names_of
from remit.core.protocols import implements
from remit.dispatch.registry import AnyCallee
from remit.layers.approve import Approve
from remit.layers.budget import Budget
from remit.schemas.suggestions import suggest


def find_unknown_names(run_layers: Iterable[CallLayer], callees: Collection[AnyCallee]) -> Iterator[str]:
    """Describe each name that selects no call, in one line with a suggestion.

    A layer of the run sees the calls of all ``callees``, a layer of an agent sees the calls that the agent makes, and a
    layer of a tool sees the tool's calls.
    """
    tools = frozenset(each.name for each in callees)
    agents = {each.name: each for each in callees if implements(each, AgentLike)}
    for layer in run_layers:
        yield from _find(layer, tools, agents, tools)
    for agent in agents.values():
        own = frozenset(chain.from_iterable(map(names_of, agent.tools))) | (agent.tool_scope or frozenset())
        for layer in agent.call_layers:
            for found in _find(layer, own, {agent.name}, tools):
                yield f"agent {agent.name}: {found}"
    for callee in callees:
        for layer in callee.layers:
            for found in _find(layer, frozenset(names_of(callee)), agents, tools):
                yield f"tool {callee.name}: {found}"


def _find(layer: CallLayer, tools: frozenset[str], agents: Collection[str], existing: frozenset[str]) -> Iterator[str]:
    """Find such names, given the ``tools`` and ``agents`` in the layer's sight and all ``existing`` tools."""
    inner = layer
    while isinstance(inner, ConditionalLayer):
        yield from (_describe(repr(layer), each, tools, existing) for each in sorted(inner.tools - tools))
        yield from (_describe(repr(layer), each, agents, existing) for each in sorted(inner.agents - {*agents}))
        tools = tools & inner.tools or tools
        inner = inner.layer
    for rule in inner.policy.rules if isinstance(inner, Approve) else ():
        if isinstance(rule, When):
            what = f"the rule {rule.name!r}"
            yield from (_describe(what, each, tools, existing) for each in sorted(frozenset(rule.tools) - tools))
            read = frozenset(name for each in reading_rules(rule.test, ()) for name in each.test.tools)
            yield from (_describe(what, each, existing, existing) for each in sorted(read - existing))
    for window in inner.windows if isinstance(inner, Budget) else ():
        what = f"the window {window.name!r}"
        yield from (_describe(what, each, tools, existing) for each in sorted(frozenset(window.tools) - tools))


def _describe(what: str, name: str, possible: Collection[str], existing: frozenset[str]) -> str:
    if name in existing:
        return f"{what}: it never sees a call of {name!r}; {suggest(name, possible)}"
    return f"{what}: there is no tool or agent {name!r}; {suggest(name, possible)}"
