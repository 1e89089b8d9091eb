"""A group is several agents that hand over to one another, by the handoffs that any agent has."""

from __future__ import annotations

import pytest

from remit import Agent, App, Runtime
from remit.agent import AgentGroup
from remit.errors import NameTakenError, SetupError
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import find_superuser


def agent(name: str, **known: object) -> Agent:
    return Agent(name, description=f"Is {name}.", instructions=f"You are {name}.", **known)  # type: ignore[arg-type]


def test_all_agents_of_a_group_hand_over_to_one_another() -> None:
    group = AgentGroup(agent("front"), agent("cook"), agent("till"))
    targets = {each.name: each.handoff_targets for each in group.agents}
    assert targets == {"front": ("cook", "till"), "cook": ("front", "till"), "till": ("front", "cook")}
    assert (group.first.name, repr(group)) == ("front", "AgentGroup(front, cook, till)")


def test_a_group_may_go_through_its_first_speaker() -> None:
    group = AgentGroup(agent("front"), agent("cook"), agent("till"), through_first=True)
    assert [each.handoff_targets for each in group.agents] == [("cook", "till"), ("front",), ("front",)]


def test_handoffs_that_an_agent_has_stay() -> None:
    outside = agent("outside")
    group = AgentGroup(agent("front", handoffs=[outside, "cook"]), agent("cook"))
    assert group.first.handoff_targets == ("outside", "cook")
    assert group.first.handoffs == (outside, "cook")


@pytest.mark.parametrize(
    ("agents", "error"),
    [((), SetupError), (("a",), SetupError), (("a", "a"), NameTakenError)],
    ids=["none", "one", "twice"],
)
def test_a_group_has_two_agents_of_different_names(agents: tuple[str, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        AgentGroup(*(agent(name) for name in agents))


def test_a_group_consists_of_agents() -> None:
    with pytest.raises(SetupError, match=r"AgentGroup: agents is 'cook'; give Agent\(…\)"):
        AgentGroup(agent("front"), "cook")  # pyright: ignore[reportArgumentType]


async def test_a_conversation_moves_through_a_group() -> None:
    to = [calls((f"handoff_to_{name}", {"reason": "it knows"})) for name in ("cook", "till")]
    model = Scripted([*to, "That is 9 euros.", "Thank you."])
    group = AgentGroup(agent("front"), agent("cook"), agent("till"))
    runtime = Runtime(App(name="shop", agents=group.agents), model=model, directory=find_superuser)
    first = await runtime.run("Soup!", by=superuser(), conversation="c")
    second = await runtime.run("Here.", by=superuser(), conversation="c")
    assert [result.callee.name for result in (first, second)] == ["front", "till"]
    assert (second.value(), (await runtime.replay(second.run)).difference) == ("Thank you.", "")
