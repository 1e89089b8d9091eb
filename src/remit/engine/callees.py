"""Finds the agents and tools with which runs of an application begin, by name or as objects."""

from __future__ import annotations

from contextlib import aclosing
from typing import Generic, TypeVar, cast

from remit.dispatch.registry import AnyAgent, AnyCallee, Registry
from remit.engine.checks import check_tool_name, resolve_listed
from remit.engine.conversations import Conversations
from remit.errors import RequestError, RequestNotFoundError
from remit.layers.authorize import why_refused
from remit.record.principal import Principal, check_principal
from remit.schemas.suggestions import find_similar
from remit.shown import show_value

AgentT = TypeVar("AgentT", bound=AnyAgent)


class ListedCallees(Generic[AgentT]):
    """The listed agents and tools of one application. ``default_agent`` is empty if it has no agents."""

    def __init__(
        self,
        application: str,
        registry: Registry,
        conversations: Conversations,
        agent_type: type[AgentT],
        default_agent: str,
    ) -> None:
        self.default_agent = default_agent
        self._application = application
        self._registry = registry
        self._conversations = conversations
        self._agent_type = agent_type
        self._agents = {each.name: each for each in registry if isinstance(each, agent_type)}

    def find(self, name: str) -> AnyCallee:
        """The listed callee with that name.

        Raises:
            RequestError: it does not exist. SetupError: it is not a name.
        """
        check_tool_name("tool", name)
        callee = self._registry.find(name)
        if callee is None:
            similar = ", ".join(find_similar(name, self._registry.names, count=3, cutoff=0.5))
            hint = f"; similar: {similar}" if similar else ""
            raise RequestNotFoundError(f"application {self._application} has no tool or agent {show_value(name)}{hint}")
        return callee

    def resolve(self, callee: AnyCallee) -> AnyCallee:
        """The callee for a passed object; see `resolve_listed`."""
        return resolve_listed(callee, self._registry, self._application)

    def resolve_agent(self, agent: str | AgentT) -> AgentT:
        """The listed agent with that name, or the agent to run for that object; the default for an empty name.

        Raises:
            RequestError: the application does not list it.
        """
        name = agent.name if isinstance(agent, self._agent_type) else str(agent or self.default_agent)
        if name not in self._agents:
            available = ", ".join(self._agents) or "none"
            missing = f"agent {show_value(name)}" if name else "default agent"
            raise RequestNotFoundError(f"application {self._application} has no {missing}; it has: {available}")
        passed = agent if isinstance(agent, self._agent_type) else self._agents[name]
        return cast("AgentT", self.resolve(passed))

    async def select_agent(
        self, agent: str | AgentT, by: Principal, conversation: str, idempotency_key: str = ""
    ) -> tuple[AgentT, str]:
        """The agent for a message, and the reasons for passing over earlier agents of the conversation.

        It is the last agent of the conversation that exists and that ``by`` may call, or else the default one. A
        request repeated with its idempotency key goes to the same agent as before.
        """
        check_principal("by", by)
        if agent or not conversation:
            return self.resolve_agent(agent), ""
        repeated = await self._conversations.find_repeated(idempotency_key, by)
        if repeated is not None:
            return self._agents.get(repeated.callee) or self.resolve_agent(""), ""
        passed_over: dict[str, str] = {}
        async with aclosing(self._conversations.agents_of(conversation, by.tenant)) as names:
            async for name, target in names:
                found = self._agents.get(name)
                if found is None or name in passed_over:
                    continue
                refused = why_refused(found, by.at(target), target)
                if refused is None:
                    return found, "; ".join(passed_over.values())
                passed_over[name] = refused.message
        return self.resolve_agent(""), "; ".join(passed_over.values())

    def check_listed_model(self, agent: AgentT) -> None:
        """Refuse an agent whose model differs from the listed agent's, because its run is executed elsewhere.

        Raises:
            RequestError: names it.
        """
        if agent is not self._agents[agent.name]:
            raise RequestError(f"a submitted run uses the model of the listed agent {agent.name!r}; pass that agent")
