"""The agents of an application, brought together: each knows those it hands over to, and has a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from remit.agent.agent import Agent
from remit.agent.handoff import HandoffTool
from remit.agent.model import Model
from remit.contracts.callee import Actor, Modelled
from remit.dispatch.guests import same_body
from remit.dispatch.registry import AnyCallee, all_of
from remit.errors import RequestError, SetupError


def everybody(listed: Iterable[AnyCallee]) -> list[AnyCallee]:
    """``listed``, all that the actors there may name and all that they hand over to, each once."""
    found = all_of(listed)
    while more := [agent for agent in _handed_to(found) if agent not in found]:
        found = all_of([*found, *more])
    return found


def joined(listed: Iterable[AnyCallee], model: Model | None, handoffs: int) -> list[AnyCallee]:
    """`everybody`, where agents know one another, and those without a model have ``model``.

    A run may have so many ``handoffs``.

    Raises:
        SetupError: an agent hands over to a name that no agent has.
    """
    found = [each for each in everybody(listed) if not isinstance(each, HandoffTool)]
    known = {each.name: each for each in found if isinstance(each, Agent)}
    peers: dict[str, Agent] = {}
    for agent in known.values():
        targets = [_target(each, agent, known) for each in agent.handoffs]
        handing = [HandoffTool(each.name, about=each.description, most=handoffs) for each in targets]
        peers[agent.name] = agent.among(peers, handing, agent.model or model)
    return all_of(
        peers[each.name] if isinstance(each, Agent) and each == known[each.name] else _having(model, each)
        for each in found
    )


def reached(listed: Iterable[AnyCallee], name: str) -> Iterator[AnyCallee]:
    """The callee of that name, what it may name or hand over to, and so on: all that a model there may call."""
    known = {each.name: each for each in everybody(listed)}
    left, seen = [name], set[str]()
    while left:
        each = known.get(left.pop())
        if each is not None and each.name not in seen:
            seen.add(each.name)
            yield each
            left += [tool.name for tool in each.tools] if isinstance(each, Actor) else []
            left += [each.target] if isinstance(each, HandoffTool) else []


def needs_model(listed: Iterable[AnyCallee], name: str) -> bool:
    """Whether the callee of that name, or one that it may come to, takes the model of its runtime."""
    return any(isinstance(each, Modelled) and each.model is None for each in reached(listed, name))


def asked_by(given: Agent, listed: Agent) -> Agent:
    """The agent that runs where ``given`` is asked: the listed one, with the model that this one was given.

    Raises:
        RequestError: they are two agents.
    """
    if not same_body(given, listed):
        raise RequestError(
            f"another agent {given.name!r} is listed than the one that is given; list that one, or ask by its name"
        )
    return listed if given.model is None or given.model is listed.model else listed.using(given.model)


def _having(model: Model | None, callee: AnyCallee) -> AnyCallee:
    """The callee; a worker that has no model, with ``model``."""
    if model is not None and isinstance(callee, Modelled) and callee.model is None:
        return callee.using(model)
    return callee


def _handed_to(callees: Iterable[AnyCallee]) -> list[Agent]:
    agents = [callee for callee in callees if isinstance(callee, Agent)]
    return [target for agent in agents for target in agent.handoffs if isinstance(target, Agent)]


def _target(target: Agent | str, by: Agent, known: dict[str, Agent]) -> Agent:
    name = target if isinstance(target, str) else target.name
    if name not in known:
        there = ", ".join(known)
        raise SetupError(f"agent {by.name} hands over to {name!r}, and there is no such agent; there are: {there}")
    return known[name]
