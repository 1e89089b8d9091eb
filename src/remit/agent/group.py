"""A group of agents that share a conversation: handoffs between all of them, written once."""

from __future__ import annotations

from remit.agent.agent import Agent
from remit.core.call_checks import check_arguments
from remit.errors import NameTakenError, SetupError


@check_arguments()
class AgentGroup:
    """Agents that hand over to one another; the first of them speaks first. List its agents in the application.

    ``App(name="shop", agents=AgentGroup(front, cook, cashier).agents)``. Each agent keeps its own handoffs, and may
    hand over to all others. The agents are new objects: take them from the group.

    Args:
        agents: at least two, the first speaker first.
        through_first: the others hand over only to the first.

    Raises:
        SetupError: there are fewer than two. NameTakenError: two have one name.
    """

    def __init__(self, *agents: Agent, through_first: bool = False) -> None:
        names = [each.name for each in agents]
        if len(names) < 2:
            raise SetupError(f"AgentGroup({', '.join(names)}) has fewer than two agents; add those that may take over")
        for name in names:
            if names.count(name) > 1:
                raise NameTakenError(f"AgentGroup has two agents named {name!r}; list each once")
        first = names[0]
        self.agents = tuple(
            each.with_handoffs(names if each.name == first or not through_first else [first]) for each in agents
        )

    @property
    def first(self) -> Agent:
        """The agent that speaks first."""
        return self.agents[0]

    def __repr__(self) -> str:
        return f"AgentGroup({', '.join(each.name for each in self.agents)})"
