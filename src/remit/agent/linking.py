"""The agents of an application, brought together: each knows those it hands over to, and has a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from remit.agent.agent import Agent
from remit.agent.handoff import HandoffTool
from remit.agent.model import Model
from remit.contracts.callee import AgentLike, HasModel
from remit.dispatch.registry import AnyCallee, collect_callees
from remit.dispatch.unlisted import has_same_body
from remit.errors import RequestError, SetupError


def all_callees(callees: Iterable[AnyCallee]) -> list[AnyCallee]:
    """``callees``, all that the actors there may name and all that they hand over to, each once."""
    found = collect_callees(callees)
    while more := [agent for agent in _collect_handoff_targets(found) if agent not in found]:
        found = collect_callees([*found, *more])
    return found


def link_agents(callees: Iterable[AnyCallee], model: Model | None, max_handoffs: int) -> list[AnyCallee]:
    """`everybody`, where agents know one another, and those without a model have ``model``.

    A run may have so many ``max_handoffs``.

    Raises:
        SetupError: an agent hands over to a name that no agent has.
    """
    found = [each for each in all_callees(callees) if not isinstance(each, HandoffTool)]
    agents_by_name = {each.name: each for each in found if isinstance(each, Agent)}
    peers: dict[str, Agent] = {}
    for agent in agents_by_name.values():
        targets = [_resolve_target(each, agent, agents_by_name) for each in agent.handoffs]
        handoff_tools = [
            HandoffTool(each.name, target_description=each.description, max_handoffs=max_handoffs) for each in targets
        ]
        peers[agent.name] = agent.with_peers(peers, handoff_tools, agent.model or model)
    return collect_callees(
        peers[each.name]
        if isinstance(each, Agent) and each == agents_by_name[each.name]
        else _with_default_model(model, each)
        for each in found
    )


def reachable_from(callees: Iterable[AnyCallee], name: str) -> Iterator[AnyCallee]:
    """The callee of that name, what it may name or hand over to, and so on: all that a model there may call."""
    callees_by_name = {each.name: each for each in all_callees(callees)}
    pending, seen = [name], set[str]()
    while pending:
        each = callees_by_name.get(pending.pop())
        if each is not None and each.name not in seen:
            seen.add(each.name)
            yield each
            pending += [tool.name for tool in each.tools] if isinstance(each, AgentLike) else []
            pending += [each.target] if isinstance(each, HandoffTool) else []


def needs_model(callees: Iterable[AnyCallee], name: str) -> bool:
    """Whether the callee of that name, or one that it may come to, takes the model of its runtime."""
    return any(isinstance(each, HasModel) and each.model is None for each in reachable_from(callees, name))


def with_model_of(requested_agent: Agent, registered_agent: Agent) -> Agent:
    """The agent that runs where ``requested_agent`` is asked: the listed one, with the model that this one was given.

    Raises:
        RequestError: they are two agents.
    """
    if not has_same_body(requested_agent, registered_agent):
        raise RequestError(
            f"another agent {requested_agent.name!r} is listed than the one that is given; list "
            "that one, or ask by its name"
        )
    return (
        registered_agent
        if requested_agent.model is None or requested_agent.model is registered_agent.model
        else registered_agent.with_model(requested_agent.model)
    )


def _with_default_model(model: Model | None, callee: AnyCallee) -> AnyCallee:
    """The callee; a worker that has no model, with ``model``."""
    if model is not None and isinstance(callee, HasModel) and callee.model is None:
        return callee.with_model(model)
    return callee


def _collect_handoff_targets(callees: Iterable[AnyCallee]) -> list[Agent]:
    agents = [callee for callee in callees if isinstance(callee, Agent)]
    return [target for agent in agents for target in agent.handoffs if isinstance(target, Agent)]


def _resolve_target(target: Agent | str, source: Agent, agents_by_name: dict[str, Agent]) -> Agent:
    name = target if isinstance(target, str) else target.name
    if name not in agents_by_name:
        there = ", ".join(agents_by_name)
        raise SetupError(f"agent {source.name} hands over to {name!r}, and there is no such agent; there are: {there}")
    return agents_by_name[name]
