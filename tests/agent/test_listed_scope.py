"""The tool scope ``"listed"``: an agent lets through what the agents below it list, as far as these do not narrow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit import Agent, App, Context, Effect, Risk, Runtime, tool
from remit.agent import NativeDriver
from remit.agent.driver import AgentDriver, LazyTools
from remit.agent.linking import link_agents
from remit.errors import SetupError
from remit.journal.ports import Store
from remit.record.principal import Caller
from remit.runtime import LEASE_SECONDS
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.tools import Callee
from remit.workers import PydanticAIDriver, WorkerDefinition, build_agent, load_workers
from tests.agent.test_drivers import messages_of
from tests.runtime.kit import Clock, Crash, Mortal, World, find_superuser

DRIVERS: dict[str, AgentDriver] = {"native": NativeDriver(), "pydantic-ai": PydanticAIDriver()}
THREE_DEEP: dict[str, dict[str, Any]] = {
    "lead": {"workers": ["mid"]},
    "mid": {"workers": ["inner"]},
    "inner": {"tools": ["write"]},
}
GO: dict[str, Any] = {"prompt": "go"}
WRITE = ("write", {"text": "a"})


def scripts() -> dict[str, Scripted]:
    return {
        "lead": Scripted([calls(("mid", GO)), "done"]),
        "mid": Scripted([calls(("inner", GO)), "mid"]),
        "inner": Scripted([calls(WRITE), "inner"]),
    }


def handing_over() -> dict[str, Scripted]:
    """Scripts in which mid hands over to inner. A script counts the answers in the conversation, mid's too."""
    mid = Scripted([calls(("handoff_to_inner", {"reason": "words"})), "mid"])
    return scripts() | {"mid": mid, "inner": Scripted(["", calls(WRITE), "inner"])}


class Team(NamedTuple):
    """A folder for files or an empty place, and the driver of the agents."""

    folder: Path
    driver: AgentDriver
    from_files: bool

    def runtime(
        self,
        workers: Mapping[str, Mapping[str, Any]],
        models: Mapping[str, Scripted],
        *tools: Callee[..., Any],
        store: Store | None = None,
        clock: Clock | None = None,
        unlisted: tuple[Callee[..., Any], ...] = (),
    ) -> Runtime:
        """A runtime whose agent is ``lead``. ``unlisted`` are tools of the application that no agent lists."""
        app = App(name="test", agents=self._agents(workers, models, tools), tools=unlisted)
        return Runtime(app, store=store, directory=find_superuser, clock=clock or Clock())

    def _agents(
        self,
        workers: Mapping[str, Mapping[str, Any]],
        models: Mapping[str, Scripted],
        tools: tuple[Callee[..., Any], ...],
    ) -> tuple[Agent, ...]:
        if self.from_files:
            for name, keys in workers.items():
                lines = "".join(f"{key}: {json.dumps(value)}\n" for key, value in keys.items())
                (self.folder / f"{name}.worker").write_text(f"---\n{lines}---\nWork.")
            made = load_workers(
                self.folder, tools=tools, driver=self.driver, transform=lambda each: each.with_model(models[each.name])
            )
        else:
            team: dict[str, Agent] = {}
            for name, keys in workers.items():
                fields: dict[str, Any] = {key: tuple(value) for key, value in keys.items()}
                definition = WorkerDefinition(name=name, prompt="Work.", **fields)
                team[name] = build_agent(definition, tools=tools, workers=team, model=models[name], driver=self.driver)
            made = tuple(team.values())
        return tuple(sorted(made, key=lambda each: each.name != "lead"))


@pytest.fixture(params=["files", "definitions"])
def from_files(request: pytest.FixtureRequest) -> bool:
    return request.param == "files"


@pytest.fixture(params=DRIVERS)
def team(request: pytest.FixtureRequest, tmp_path: Path, *, from_files: bool) -> Team:
    return Team(tmp_path, DRIVERS[request.param], from_files)


def replies(model: Scripted) -> list[str]:
    """The replies to tool calls that a model reads: texts, or codes of errors."""
    contents = [content for role, content in messages_of(model) if role == "tool"]
    return [json.loads(each)["errorCode"] if each.startswith("{") else each for each in contents]


async def test_a_tool_that_only_the_innermost_of_three_lists_runs_and_the_run_replays(team: Team) -> None:
    world, models = World(), scripts()
    runtime = team.runtime(THREE_DEEP, models, world.write())
    result = await runtime.run("go", by=superuser())
    assert (result.value(), world.texts) == ("done", ["a"])
    assert (await runtime.replay(result.run)).difference == ""


@pytest.mark.parametrize(("narrowing", "delegates"), [("lead", ["inner"]), ("mid", [])])
async def test_an_agent_above_that_narrows_bars_it_whatever_the_others_let_through(
    team: Team, narrowing: str, delegates: list[str]
) -> None:
    world, models = World(), scripts()
    workers = {**THREE_DEEP, narrowing: {**THREE_DEEP[narrowing], "delegates": delegates}}
    runtime = team.runtime(workers, models, world.write())
    assert (await runtime.run("go", by=superuser())).value() == "done"
    assert (world.texts, replies(models["inner"])) == ([], ["PERMISSION_DENIED"])


async def test_lists_that_repeat_what_those_below_list_let_the_same_through(team: Team) -> None:
    world, models = World(), scripts()
    workers = {**THREE_DEEP, "lead": {"workers": ["mid"], "delegates": ["inner", "write"]}}
    workers["mid"] = {"workers": ["inner"], "delegates": ["write"]}
    assert (await team.runtime(workers, models, world.write()).run("go", by=superuser())).value() == "done"
    assert world.texts == ["a"]


async def test_the_model_of_an_agent_above_does_not_see_what_those_below_list(team: Team) -> None:
    world, models = World(), scripts() | {"lead": Scripted([calls(WRITE), "done"])}
    await team.runtime(THREE_DEEP, models, world.write()).run("go", by=superuser())
    assert (world.texts, replies(models["lead"])) == ([], ["UNKNOWN_TOOL"])


async def test_a_composed_tool_below_reaches_no_tool_that_no_agent_lists(team: Team) -> None:
    world, models = World(), scripts() | {"inner": Scripted([calls(("errand", {})), "inner"])}
    write = world.write()

    @tool(effect=Effect.COMPOSED)
    async def errand(ctx: Context) -> str:
        """Write by object."""
        return await ctx.call(write, "a")

    workers = {**THREE_DEEP, "inner": {"tools": ["errand"]}}
    runtime = team.runtime(workers, models, errand, unlisted=(write,))
    assert (await runtime.run("go", by=superuser())).value() == "done"
    assert (world.texts, replies(models["inner"])) == ([], ["PERMISSION_DENIED"])


@pytest.mark.parametrize("narrow", [True, False], ids=["it narrows", "it does not"])
async def test_a_tool_of_a_handoff_target_runs_although_the_agent_that_hands_over_narrows(
    team: Team, *, narrow: bool
) -> None:
    world, models = World(), handing_over()
    mid: dict[str, Any] = {"handoffs": ["inner"], **({"delegates": []} if narrow else {})}
    runtime = team.runtime({**THREE_DEEP, "mid": mid}, models, world.write())
    result = await runtime.run("go", by=superuser())
    assert (result.value(), world.texts) == ("done", ["a"])
    assert (await runtime.replay(result.run)).difference == ""


async def test_an_agent_above_that_narrows_bars_the_handoff_or_the_tools_of_its_target(team: Team) -> None:
    for delegates, model, count in ([], "mid", 1), (["handoff_to_inner"], "inner", 2):
        world, models = World(), handing_over()
        lead = {"workers": ["mid"], "delegates": delegates}
        runtime = team.runtime({**THREE_DEEP, "lead": lead, "mid": {"handoffs": ["inner"]}}, models, world.write())
        assert (await runtime.run("go", by=superuser())).value() == "done"
        assert world.texts == []
        read = replies(models[model])
        assert (len(read), read[-1]) == (count, "PERMISSION_DENIED")


async def test_agents_that_call_one_another_let_through_what_any_of_them_lists(team: Team) -> None:
    world, models = World(), scripts()
    models["inner"] = Scripted([calls(("lead", {"prompt": "write"})), "inner"])
    models["lead"] = Scripted(
        [lambda request: calls(WRITE if '"write"' in request.history[1] else ("mid", GO)), "done"]
    )
    workers = {"lead": {"tools": ["write"], "workers": ["mid"]}, "mid": {"workers": ["inner"]}}
    runtime = team.runtime({**workers, "inner": {"workers": ["lead"]}}, models, world.write())
    result = await runtime.run("go", by=superuser())
    assert (result.value(), world.texts) == ("done", ["a"])


@pytest.mark.parametrize("barred", [False, True], ids=["listed", "narrowed"])
async def test_the_scope_is_the_same_in_the_process_that_continues_after_a_kill(team: Team, *, barred: bool) -> None:
    world, clock = World(), Clock()
    store = Mortal(clock)
    workers = {**THREE_DEEP, "lead": {"workers": ["mid"], "delegates": ["inner"]}} if barred else THREE_DEEP
    runtime = team.runtime(workers, scripts(), world.write(risk=Risk.HIGH), store=store, clock=clock)
    store.die_at(4, after=True)
    with pytest.raises(Crash):
        await runtime.run("go", by=superuser())
    store.revive()
    clock.now += LEASE_SECONDS
    (header,) = await store.list_runs()
    runtime = team.runtime(workers, scripts(), world.write(risk=Risk.HIGH), store=store, clock=clock)
    result = await runtime.resume(header.run)
    assert result.status == ("done" if barred else "waiting")
    for question in result.questions:
        await runtime.decide(question, approved=True, by=superuser())
        result = await runtime.resume(header.run)
    assert (result.value(), world.texts) == ("done", [] if barred else ["a"])


async def test_an_agent_in_python_may_have_the_scope_too_and_keeps_it_with_another_model() -> None:
    world, models = World(), scripts()
    inner = Agent("inner", instructions="x", tools=[world.write()], model=models["inner"])
    mid = Agent("mid", instructions="x", tools=[inner], tool_scope="listed", model=models["mid"])
    lead = Agent("lead", instructions="x", tools=[mid], tool_scope="listed")
    runtime = Runtime(App(name="test", agents=(lead,)), model=models["lead"], store=InMemoryStore())
    assert lead.tool_scope == {"mid"}
    assert (await runtime.call(lead.with_model(models["lead"]), superuser(), "go")).value() == "done"
    assert world.texts == ["a"]


def test_another_text_is_no_tool_scope() -> None:
    with pytest.raises(SetupError, match="agent lead: tool_scope is 'write'; give a list"):
        Agent("lead", instructions="x", tool_scope="write")


@tool(effect=Effect.PURE)
async def look() -> str:
    """Look."""
    return "seen"


class Node(NamedTuple):
    """An agent: the tools and agents it calls, the agents it hands over to, and its tool scope."""

    calls: frozenset[int]
    hands_to: frozenset[int]
    scope: frozenset[str] | str | None


COUNT = 5
LEAVES = [look.with_name(f"t{index}") for index in range(COUNT)]
INDEXES = st.frozensets(st.integers(0, COUNT - 1), max_size=3)
NODES = st.builds(
    Node,
    INDEXES,
    INDEXES,
    st.sampled_from(["listed", "listed", None])
    | st.frozensets(st.sampled_from([*(each.name for each in LEAVES), *(f"a{index}" for index in range(COUNT))])),
)


def linked(nodes: list[Node]) -> list[Agent]:
    """Agents ``a0``, ``a1``, … that call and hand over as the nodes say; agent n lists the tool n."""
    made: list[Agent] = []
    for index, node in enumerate(nodes):

        def resolve(index: int = index, node: Node = node) -> list[Callee[..., Any]]:
            return [*LEAVES[index : index + 1], *(made[each] for each in sorted(node.calls))]

        targets = [f"a{each}" for each in sorted(node.hands_to - {index})]
        made.append(
            Agent(
                f"a{index}",
                instructions="x",
                tools=LazyTools(resolve, 1),
                handoffs=targets,
                tool_scope=node.scope,
            )
        )
    by_name = {each.name: each for each in link_agents(made, None, 10) if isinstance(each, Agent)}
    return [by_name[f"a{index}"] for index in range(len(nodes))]


def own(agent: Agent) -> set[str]:
    return {each.name for each in agent.tools}


def expected_scopes(nodes: list[Node], agents: list[Agent]) -> list[set[str]]:
    """The scopes by the definition, iterated until they no longer grow. One that does not narrow counts as listed."""
    takeover = [{index, *(node.hands_to - {index})} for index, node in enumerate(nodes)]
    for _ in nodes:
        takeover = [set[int]().union(*(takeover[each] for each in group)) for group in takeover]
    scopes = [own(agent) for agent in agents]
    for scope, node in zip(scopes, nodes, strict=True):
        scope.update(node.scope if isinstance(node.scope, frozenset) else ())
    for _ in nodes:
        for index, node in enumerate(nodes):
            if not isinstance(node.scope, frozenset):
                scopes[index].update(*(scopes[below] for called in node.calls for below in takeover[called]))
    return scopes


@given(st.lists(NODES, min_size=COUNT, max_size=COUNT))
def test_scopes_are_those_of_the_definition_however_agents_call_and_hand_over_to_one_another(nodes: list[Node]) -> None:
    agents = linked(nodes)
    for agent, node, expected in zip(agents, nodes, expected_scopes(nodes, agents), strict=True):
        assert agent.tool_scope == (None if node.scope is None else expected)


@given(st.lists(NODES, min_size=COUNT, max_size=COUNT), st.lists(st.integers(0, 2), min_size=1, max_size=6))
def test_a_scope_never_exceeds_what_each_agent_above_that_narrows_permits(nodes: list[Node], steps: list[int]) -> None:
    agents = linked(nodes)
    caller, index = Caller("run", "", "", 0, superuser()), 0
    permitted: list[set[str]] = []
    for step in steps:
        agent, scope = agents[index], nodes[index].scope
        caller = caller.enter_agent(agent.name, agent.tool_scope, None)
        permitted += [own(agent) | scope] if isinstance(scope, frozenset) else []
        assert caller.tool_scope is None or all(caller.tool_scope <= each for each in permitted)
        assert caller.tool_scope is not None or not permitted
        below = sorted(nodes[index].calls)
        if not below:
            break
        index = below[step % len(below)]
