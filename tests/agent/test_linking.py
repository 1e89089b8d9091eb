"""All agents of an application are brought together, whoever lists them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remit import Agent, App, Effect, Runtime, tool
from remit.agent.linking import all_callees, link_agents, needs_model
from remit.errors import NameTakenError, NoModelError, SetupError
from remit.testing import Scripted, superuser


@tool(effect=Effect.PURE)
async def look() -> str:
    """Look at the page."""
    return "a page"


def agent(name: str, **known: Any) -> Agent:
    return Agent(name, instructions=f"You are {name}.", **known)


def names(callees: list[Any]) -> set[str]:
    return {each.name for each in callees}


def test_agents_are_found_among_tools_and_handoffs_however_deep() -> None:
    deepest = agent("deepest", tools=[look])
    other = agent("other", handoffs=[deepest])
    lead = agent("lead", tools=[agent("writer", handoffs=[other])])
    assert names(all_callees([lead])) >= {"lead", "writer", "other", "deepest", "look"}


def test_those_without_a_model_get_one_and_the_others_keep_theirs() -> None:
    own, given = Scripted([]), Scripted([])
    both = link_agents([agent("a", model=own, handoffs=["b"]), agent("b")], given, 10)
    assert {each.name: each.model for each in both if isinstance(each, Agent)} == {"a": own, "b": given}


def test_an_agent_that_is_joined_is_the_same_agent() -> None:
    listed = agent("a", handoffs=["b"])
    (one, *_) = link_agents([listed, agent("b")], None, 10)
    assert one == listed


def test_two_agents_of_one_name_are_refused_wherever_they_stand() -> None:
    with pytest.raises(NameTakenError, match="two callees are named 'writer'"):
        Runtime(App(name="test", agents=(agent("lead", tools=[agent("writer")], handoffs=[agent("writer")]),)))


def test_an_agent_that_is_listed_twice_is_refused() -> None:
    one = agent("one")
    with pytest.raises(NameTakenError, match="has two agents named 'one'; list each once"):
        Runtime(App(name="test", agents=(one, one)))


async def test_an_agent_that_is_handed_to_can_be_asked_by_its_name() -> None:
    runtime = Runtime(App(name="test", agents=(agent("a", handoffs=[agent("b")]),)), model=Scripted(["I am b"]))
    assert (await runtime.run("go", by=superuser(), agent="b")).value() == "I am b"


@pytest.mark.parametrize(
    ("listed", "needs"),
    [
        ([agent("a")], True),
        ([agent("a", model=Scripted([]))], False),
        ([agent("a", model=Scripted([]), tools=[look, agent("b")])], True),
        ([agent("a", model=Scripted([]), handoffs=["b"]), agent("b", handoffs=["a"])], True),
        ([agent("a", model=Scripted([])), agent("b")], False),
        ([look.with_name("a"), agent("b")], False),
        ([agent("b")], False),
    ],
    ids=["its own", "has one", "a tool", "a handoff", "another", "no agent", "nobody"],
)
def test_the_model_of_the_runtime_is_needed_where_somebody_on_the_way_has_none(listed: list[Any], needs: bool) -> None:
    assert needs_model(listed, "a") is needs


def test_a_tool_scope_names_only_what_exists() -> None:
    lead = agent("lead", tool_scope=["lok"], model=Scripted([]))
    with pytest.raises(SetupError, match=r"agent lead: tool_scope: there is no tool or agent 'lok'; did you mean look"):
        Runtime(App(name="site", agents=[lead], tools=[look]))
    listed = agent("lead", tool_scope=["look", "handoff_to_other"], handoffs=["other"])
    Runtime(App(name="site", agents=[listed, agent("other")], tools=[look]))


async def test_without_a_model_the_environment_names_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"script": ["Hello."]}')
    monkeypatch.setenv("REMIT_MODEL", f"scripted:{script}")
    app = App(name="site", agents=[agent("lead")])
    assert (await Runtime(app).run("Hi", by=superuser())).value() == "Hello."
    assert (await Runtime(app, model=Scripted(["Own."])).run("Hi", by=superuser())).value() == "Own."
    monkeypatch.setenv("REMIT_MODEL", "nosuch:x")
    runtime = Runtime(app)
    with pytest.raises(NoModelError, match="the model 'nosuch:x' cannot be used"):
        await runtime.run("Hi", by=superuser())
    assert await runtime.store.list_runs() == []
