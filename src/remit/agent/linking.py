"""Links the agents of an application: gives each its handoff targets, its tool scope and a model."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Mapping

from remit.agent.agent import ADDED_TOOLS, Agent
from remit.agent.handoff import HANDOFF_PREFIX, HandoffTool
from remit.agent.model import (
    MODEL_VARIABLE,
    ChecksSettings,
    Model,
    ModelByName,
    ResolveModel,
    VendorModel,
    check_settings,
    model_name,
)
from remit.agent.stop import CalledTool, walk_policy
from remit.agent.tool_search import SEARCH_TOOL
from remit.call.call import CallLayer
from remit.call.callee import AgentLike, HasModel
from remit.call.classification import Visibility
from remit.chat.settings import TOOL_CHOICES
from remit.core.protocols import implements
from remit.dispatch.registry import AnyCallee, collect_callees
from remit.errors import NoModelError, SetupError
from remit.record.usage import Prices, describe_missing_price, find_price
from remit.schemas.suggestions import suggest
from remit.shown import show_value


def all_callees(callees: Iterable[AnyCallee]) -> list[AnyCallee]:
    """Collect ``callees``, the tools of the agents among them, and their handoff targets, each once."""
    found = collect_callees(callees)
    while more := [agent for agent in _collect_handoff_targets(found) if agent not in found]:
        found = collect_callees([*found, *more])
    return found


def link_agents(
    callees: Iterable[AnyCallee],
    model: Model | None,
    max_handoffs: int,
    resolve_model: ResolveModel | None = None,
) -> list[AnyCallee]:
    """Collect `all_callees` and link the agents to their handoff targets, tool scopes and models.

    Args:
        callees: agents and tools of one application.
        model: the model of agents without their own; None for the one that ``REMIT_MODEL`` names.
        max_handoffs: the most handoffs in one run.
        resolve_model: finds the model for a name.

    Raises:
        SetupError: no agent has the name of a handoff target, or no callee a name of a tool scope.
    """
    found = [each for each in all_callees(callees) if not isinstance(each, ADDED_TOOLS)]
    agents_by_name = {each.name: each for each in found if isinstance(each, Agent)}
    _check_scopes(agents_by_name.values(), found)
    peers: dict[str, Agent] = {}
    for agent in agents_by_name.values():
        targets = [_resolve_target(each, agent, agents_by_name) for each in agent.handoffs]
        for target in targets:
            agent.check_handoff(target)
        handoff_tools = [
            HandoffTool(
                each.name,
                target_facts=each.facts,
                target_layers=each.layers,
                target_description=each.description,
                max_handoffs=max_handoffs,
            )
            for each in targets
        ]
        listed_below = _collect_listed(agent, agents_by_name)
        own_model = agent.model or model or _find_environment_model(agent, resolve_model)
        _check_tool_choice(agent)
        _check_stop(agent)
        peers[agent.name] = agent.with_peers(peers, handoff_tools, own_model, resolve_model, listed_below)
    return collect_callees(
        peers[each.name]
        if isinstance(each, Agent) and each == agents_by_name[each.name]
        else _with_default_model(model, each)
        for each in found
    )


def _check_tool_choice(agent: Agent) -> None:
    """Refuse a tool choice that the agent's tools do not allow.

    Raises:
        SetupError: suggests a tool.
    """
    choice = agent.settings.tool_choice
    tools = [each.name for each in agent.tools if each.facts.visibility is not Visibility.INTERNAL]
    if choice == "required" and not tools:
        raise SetupError(f"agent {agent.name}: tool_choice='required', but it has no tools; remove the choice")
    if agent.settings.forced_tool and choice not in tools:
        raise SetupError(
            f"agent {agent.name}: tool_choice={show_value(choice)} is not one of its tools; "
            + suggest(agent.settings.forced_tool, [*tools, *TOOL_CHOICES])
        )


def _check_stop(agent: Agent) -> None:
    """Refuse a stop policy that waits for a tool that the agent does not have.

    Raises:
        SetupError: suggests a tool.
    """
    tools = [each.name for each in agent.tools]
    for policy in walk_policy(agent.stop):
        if isinstance(policy, CalledTool) and policy.name not in tools:
            raise SetupError(
                f"agent {agent.name}: stop={policy!r} names none of its tools; {suggest(policy.name, tools)}"
            )


def reachable_from(callees: Iterable[AnyCallee], name: str) -> Iterator[AnyCallee]:
    """All callees that a call of ``name`` can lead to, by tools and handoffs, itself included."""
    callees_by_name = {each.name: each for each in all_callees(callees)}
    pending, seen = [name], set[str]()
    while pending:
        each = callees_by_name.get(pending.pop())
        if each is not None and each.name not in seen:
            seen.add(each.name)
            yield each
            pending += [tool.name for tool in each.tools] if implements(each, AgentLike) else []
            pending += [each.hands_over_to] if isinstance(each, HandoffTool) else []


def needs_model(callees: Iterable[AnyCallee], name: str) -> bool:
    """Whether a call of ``name`` can lead to an agent that uses the runtime's model."""
    return any(implements(each, HasModel) and each.model is None for each in reachable_from(callees, name))


LayersAround = Callable[[str, AnyCallee], Iterable[CallLayer]]
"""The layers around a callee for calls made as an agent, without their conditions."""


class UsedModels:
    """The models that a call of each callee can use, and the agents with settings; collected once.

    Args:
        callees: all callees of the application. layers_around: see `LayersAround`.
        default_agent: the agent as which the application calls. prices: of models.
    """

    def __init__(
        self, callees: Iterable[AnyCallee], layers_around: LayersAround, default_agent: str, prices: Prices
    ) -> None:
        self._callees = callees
        self._layers_around, self._default_agent, self._prices = layers_around, default_agent, prices
        self._below: dict[str, list[AnyCallee]] = {}
        self._priced: dict[str, object] = {}

    async def check(self, callee: AnyCallee) -> None:
        """Check that the models for a call of ``callee`` can be used with their settings, before the call starts.

        Raises:
            NoModelError: one of them cannot be used, cannot take a setting, or the value of a header or a price is
                missing.
        """
        self._check_prices(callee)
        models, agents = dict[int, ModelByName](), list[Agent]()
        for each in self._find(callee):
            used = [each.model] if implements(each, HasModel) else []
            if isinstance(each, Agent):
                used += [each.compaction.model] if each.compaction is not None else []
                agents += [each] if each.settings.values else []
            for model in used:
                if implements(model, ModelByName):
                    models[id(model)] = model
        for model in models.values():
            await asyncio.to_thread(model.check)  # may import PydanticAI, which takes seconds
        for agent in agents:
            await asyncio.to_thread(agent.check_model)

    async def check_settings(self, callee: AnyCallee) -> None:
        """Check settings as far as possible without a model's key, which only the executor of a submitted run may have.

        Raises:
            NoModelError: a model cannot take a setting, or the value of a header or a price is missing.
        """
        self._check_prices(callee)
        for agent in self._find(callee):
            if not isinstance(agent, Agent) or not agent.settings.values or agent.model is None:
                continue
            if isinstance(agent.model, VendorModel) and not isinstance(agent.model, ChecksSettings):
                await asyncio.to_thread(agent.check_model)  # only its driver can check it; the object has its key
            else:
                await asyncio.to_thread(check_settings, agent.name, agent.model, agent.settings)

    def _check_prices(self, callee: AnyCallee) -> None:
        """Refuse a call that can ask a model whose price is unknown, if a limit on cost applies to the request.

        Raises:
            NoModelError: names the agent and its model.
        """
        if not implements(callee, HasModel):
            return
        if callee.name in self._priced and self._priced[callee.name] is callee.model:
            return
        callees = {each.name: each for each in self._find(callee)}
        pending, seen = [(self._default_agent, callee, False)], set[tuple[str, str, bool]]()
        while pending:
            caller, each, is_bound = pending.pop()
            if (caller, each.name, is_bound) in seen:
                continue
            seen.add((caller, each.name, is_bound))
            is_bound = is_bound or any(layer.limits_cost for layer in self._layers_around(caller, each))
            if isinstance(each, HandoffTool):
                pending += [(caller, callees[each.hands_over_to], is_bound)] if each.hands_over_to in callees else []
            elif isinstance(each, Agent):
                is_bound = is_bound or each.limits_cost
                if is_bound:
                    self._check_prices_of(each)
                pending += [(each.name, callees[tool.name], is_bound) for tool in each.tools if tool.name in callees]
        self._priced[callee.name] = callee.model

    def _check_prices_of(self, agent: Agent) -> None:
        compaction = agent.compaction
        for model in (agent.model, None if compaction is None else compaction.model):
            name = "" if model is None else model_name(model)
            if model is not None and find_price(self._prices, name) is None:
                raise NoModelError(f"agent {agent.name}: its cost is limited, but {describe_missing_price(name)}")

    def _find(self, callee: AnyCallee) -> list[AnyCallee]:
        if not implements(callee, HasModel):
            return []
        if callee.name not in self._below:
            below = [each for each in reachable_from(self._callees, callee.name) if each.name != callee.name]
            self._below[callee.name] = below
        return [callee, *self._below[callee.name]]


def _collect_listed(agent: Agent, agents_by_name: Mapping[str, Agent]) -> frozenset[str]:
    """The names that the agents below ``agent`` list. They are the agents that it calls, and their handoff targets.

    Below an agent that narrows its scope, only the names in that scope can be called. The agent's handoff targets are
    not below it, because they continue in its place.
    """
    listed, seen = set[str](), set[str]()
    pending = [each.name for each in agent.tools]
    while pending:
        below = agents_by_name.get(pending.pop())
        if below is None or below.name in seen:
            continue
        seen.add(below.name)
        listed.update(each.name for each in below.tools)
        pending += [each.hands_over_to for each in below.tools if isinstance(each, HandoffTool)]
        added = below.added_scope
        if isinstance(added, frozenset):
            listed |= added
        else:
            pending += [each.name for each in below.tools]
    return frozenset(listed)


def _check_scopes(agents: Iterable[Agent], callees: Iterable[AnyCallee]) -> None:
    """Refuse unknown names in tool scopes. Those of worker files are checked with their lines when they are read."""
    names = {SEARCH_TOOL, *(each.name for each in callees)}
    for agent in agents:
        scope = agent.added_scope
        if agent.source is None and isinstance(scope, frozenset):
            for name in sorted(scope):
                if name.removeprefix(HANDOFF_PREFIX) not in names:
                    raise SetupError(
                        f"agent {agent.name}: tool_scope: there is no tool or agent {name!r}; {suggest(name, names)}"
                    )


def _find_environment_model(agent: Agent, resolve_model: ResolveModel | None) -> Model | None:
    """The model that the environment names, unless the agent's driver finds it itself; None for none."""
    name = os.environ.get(MODEL_VARIABLE)
    return resolve_model(name) if name and resolve_model is not None and not agent.driver.finds_models else None


def _with_default_model(model: Model | None, callee: AnyCallee) -> AnyCallee:
    """Return the callee. An agent without a model gets ``model``."""
    if model is not None and implements(callee, HasModel) and callee.model is None:
        return callee.with_model(model)
    return callee


def _collect_handoff_targets(callees: Iterable[AnyCallee]) -> list[Agent]:
    agents = [callee for callee in callees if isinstance(callee, Agent)]
    return [target for agent in agents for target in agent.handoffs if isinstance(target, Agent)]


def _resolve_target(target: Agent | str, source: Agent, agents_by_name: dict[str, Agent]) -> Agent:
    name = target if isinstance(target, str) else target.name
    if name not in agents_by_name:
        there = ", ".join(agents_by_name)
        raise SetupError(f"agent {source.name} hands over to {name!r}, which does not exist; available: {there}")
    return agents_by_name[name]
