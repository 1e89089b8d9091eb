"""A call that only repeats an earlier one is refused with a notice, with both drivers, and repeating ends the agent."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from pydantic import BaseModel

from remit import Agent, App, Effect, LeafContext, Policy, Runtime, tool
from remit.agent import AgentDriver, AgentLimits, Compaction
from remit.errors import NotFoundError, RepeatedCallError
from remit.messages import completion_from_message, encode_message
from remit.policies import ConfirmationFlag
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from tests.agent.both import BOTH, look, runtime_of
from tests.runtime.kit import Clock, Crash, Mortal, World, find_superuser, tool_messages

READ = calls(("look", {"page": "a"}))
WRITE = calls(("write", {"text": "a"}))
LOST = calls(("find", {}))
POLL = calls(("poll", {}))
DROP = calls(("drop", {"page": "a"}))


@tool(effect=Effect.PURE)
async def find() -> str:
    """Find what is not there."""
    raise NotFoundError("nothing there")


def poll_tool(*, repeatable: bool, values: list[str]) -> Any:
    @tool(effect=Effect.PURE, repeatable=repeatable)
    async def poll() -> str:
        """Ask whether it is ready."""
        return values.pop(0) if len(values) > 1 else values[0]

    return poll


async def replies(
    driver: AgentDriver, lines: Any, *tools: Any, effect: Effect = Effect.KEYED, **known: Any
) -> list[str]:
    """How the calls of a run were answered: the content, or ``refused``."""
    world = World()
    model = Scripted([*lines, "done"])
    agent = Agent(
        "agent",
        instructions="x",
        tools=[look, find, world.write(effect=effect), *tools],
        driver=driver,
        model=model,
        **known,
    )
    runtime = runtime_of(agent)
    result = await runtime.run("go", by=superuser())
    assert (await runtime.replay(result.run)).difference == ""
    assert history_errors(await runtime.history(result.run)) == []
    contents = await tool_messages(runtime, result.run)
    assert len(world.ran) == sum("wrote" in each for each in contents)
    return ["refused" if "REPEATED_CALL" in each else each for each in contents]


@BOTH
@pytest.mark.parametrize("effect", [Effect.KEYED, Effect.UNSAFE])
async def test_a_call_that_changed_something_is_not_made_again(driver: AgentDriver, effect: Effect) -> None:
    assert await replies(driver, [WRITE, WRITE], effect=effect) == ["wrote a", "refused"]


@BOTH
async def test_equal_arguments_are_the_same_call_however_they_are_written(driver: AgentDriver) -> None:
    spaced = {**WRITE, "tool_calls": [json.loads(json.dumps(WRITE["tool_calls"][0]))]}
    spaced["tool_calls"][0]["function"]["arguments"] = ' { "text" : "\\u0061" } '
    assert await replies(driver, [WRITE, spaced]) == ["wrote a", "refused"]


@BOTH
async def test_a_read_is_refused_when_its_result_has_not_changed(driver: AgentDriver) -> None:
    assert await replies(driver, [READ, READ, READ]) == ["saw a", "saw a", "refused"]
    lost = '{"success":false,"error":"nothing there","errorCode":"NOT_FOUND"}'
    assert await replies(driver, [LOST, LOST, LOST]) == [lost, lost, "refused"]


@BOTH
async def test_a_call_is_made_again_after_something_has_changed(driver: AgentDriver) -> None:
    lines = [READ, READ, WRITE, READ, READ, READ]
    assert await replies(driver, lines) == ["saw a", "saw a", "wrote a", "saw a", "saw a", "refused"]
    other = calls(("write", {"text": "b"}))
    assert await replies(driver, [WRITE, other, WRITE]) == ["wrote a", "wrote b", "wrote a"]


@BOTH
async def test_reads_whose_result_differs_are_no_repetition(driver: AgentDriver) -> None:
    poll = poll_tool(repeatable=False, values=["1", "2", "3", "4", "5"])
    assert await replies(driver, [POLL] * 5, poll) == ["1", "2", "3", "4", "5"]


@BOTH
async def test_a_repeatable_tool_may_be_called_again_and_again(driver: AgentDriver) -> None:
    poll = poll_tool(repeatable=True, values=["wait"])
    assert await replies(driver, [POLL] * 8, poll) == ["wait"] * 8


@BOTH
async def test_calls_of_one_answer_are_no_repetition(driver: AgentDriver) -> None:
    both = calls(("write", {"text": "a"}), ("write", {"text": "a"}))
    assert await replies(driver, [both, WRITE]) == ["wrote a", "wrote a", "refused"]


@BOTH
async def test_an_old_call_is_forgotten(driver: AgentDriver) -> None:
    others = [calls(("look", {"page": str(page)})) for page in range(16)]
    limits = AgentLimits(turns=30)
    assert (await replies(driver, [READ, READ, *others, READ], limits=limits))[-1] == "saw a"


@BOTH
async def test_an_agent_that_only_repeats_is_ended(driver: AgentDriver) -> None:
    for repeats, turns in ((3, 5), (1, 3)):
        model = Scripted([READ] * 9)
        limits = AgentLimits(repeats=repeats)
        agent = Agent("agent", instructions="x", tools=[look], driver=driver, model=model, limits=limits)
        runtime = runtime_of(agent)
        result = await runtime.run("go", by=superuser())
        assert len(model.requests) == turns
        with pytest.raises(RepeatedCallError, match=f"agent agent has repeated its call of look in {repeats} turns"):
            result.value()
        assert (await runtime.replay(result.run)).difference == ""
        assert history_errors(await runtime.history(result.run)) == []


def drop_tool(dropped: list[str]) -> Any:
    @tool(effect=Effect.KEYED, confirm="confirmed")
    async def drop(ctx: LeafContext, page: str, *, confirmed: bool = False) -> str:
        """Drop a page."""
        if confirmed:
            dropped.append(page)
        return "dropped" if confirmed else "would drop"

    return drop


@BOTH
async def test_a_model_that_only_repeats_an_announced_call_waits_for_the_person(driver: AgentDriver) -> None:
    dropped = list[str]()
    model = Scripted([DROP, DROP, DROP, DROP, "It is gone."])
    agent = Agent("agent", instructions="x", tools=[drop_tool(dropped)], driver=driver, model=model)
    runtime = Runtime(App(name="desk", agents=[agent], policy=Policy(ConfirmationFlag())))
    result = await runtime.run("drop it", by=superuser(), conversation="talk")
    assert (result.value(), dropped) == ("This waits for your answer. Nothing is done before that.", [])
    (row,) = await runtime.store.list_questions()
    refused = [each for each in await tool_messages(runtime, result.run) if "REPEATED_CALL" in each]
    assert len(refused) == len([each for each in refused if "the user is asked whether it may be made" in each]) == 3
    assert (await runtime.replay(result.run)).difference == ""
    following = await runtime.decide(row.question.id, approved=True, by=superuser(), kind="confirm")
    assert following is not None
    assert ((await runtime.resume(following)).value(), dropped) == ("It is gone.", ["a"])


@BOTH
async def test_what_a_person_has_agreed_to_and_was_done_is_not_announced_again(driver: AgentDriver) -> None:
    dropped = list[str]()
    model = Scripted([DROP, "Shall I?", DROP, calls(("drop", {"page": "b"})), "Both?"])
    agent = Agent("agent", instructions="x", tools=[drop_tool(dropped)], driver=driver, model=model)
    runtime = Runtime(App(name="desk", agents=[agent], policy=Policy(ConfirmationFlag())))
    await runtime.run("drop it", by=superuser(), conversation="talk")
    (row,) = await runtime.store.list_questions()
    following = await runtime.decide(row.question.id, approved=True, by=superuser(), kind="confirm")
    assert following is not None
    result = await runtime.resume(following)
    contents = (await tool_messages(runtime, following))[1:]  # the first one is of the run before
    assert (dropped, [contents[0], contents[2]], result.value()) == (["a"], ["dropped", "would drop"], "Both?")
    assert "REPEATED_CALL" in contents[1]
    assert (await runtime.replay(following)).difference == ""
    (other,) = await runtime.store.list_questions()
    assert json.loads(other.question.arguments)["page"] == "b"


@BOTH
async def test_a_call_with_an_unset_flag_about_which_nobody_is_asked_is_a_call_like_others(driver: AgentDriver) -> None:
    model = Scripted([DROP] * 9)
    agent = Agent("agent", instructions="x", tools=[drop_tool([])], driver=driver, model=model)
    runtime = Runtime(App(name="desk", agents=[agent], policy=Policy.only()))
    result = await runtime.run("drop it", by=superuser(), conversation="talk")
    with pytest.raises(RepeatedCallError, match="its call of drop in 3 turns, although nothing has changed"):
        result.value()


NESTED = json.dumps({"page": json.loads("[" * 80 + "]" * 80)})


@BOTH
@pytest.mark.parametrize("repeatable", [False, True])
@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        (NESTED, "the arguments are nested too deeply; at most 64 levels"),
        ('{"pa', "the arguments are not JSON"),
        ('{"page":5}', "page: Input should be a valid string"),
    ],
)
async def test_a_call_that_its_tool_refuses_each_time_ends_the_agent_with_the_reason(
    driver: AgentDriver, repeatable: bool, arguments: str, cause: str
) -> None:
    @tool(effect=Effect.PURE, repeatable=repeatable)
    async def read(page: str) -> str:
        """Read a page."""
        return page

    refused = calls(("read", {}))
    refused["tool_calls"][0]["function"]["arguments"] = arguments
    model = Scripted([refused] * 9)
    runtime = runtime_of(Agent("agent", instructions="x", tools=[read], driver=driver, model=model))
    result = await runtime.run("go", by=superuser())
    assert len(model.requests) == 5
    with pytest.raises(RepeatedCallError, match=f"its call of read in 3 turns, although it fails each time: {cause}"):
        result.value()
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_a_new_call_begins_the_count_again(driver: AgentDriver) -> None:
    lines = [READ, READ, READ, READ, calls(("look", {"page": "b"})), READ, READ]
    assert (await replies(driver, lines)).count("refused") == 4


@BOTH
async def test_repeats_may_be_without_limit(driver: AgentDriver) -> None:
    assert await replies(driver, [WRITE] * 6, limits=AgentLimits(repeats=None)) == ["wrote a"] * 6


@BOTH
async def test_a_resumed_run_refuses_the_same_calls(driver: AgentDriver) -> None:
    """The process dies at each append; the refused call is refused again, and what ran is not made again."""
    for append in range(2, 12):
        world, clock = World(), Clock()
        store = Mortal(clock)
        agent = Agent("agent", instructions="x", tools=[look, world.write()], driver=driver)
        app = App(name="test", agents=(agent,))
        model = Scripted([READ, WRITE, WRITE, READ, READ, READ, "done"])
        runtime = Runtime(app, model=model, store=store, clock=clock, directory=find_superuser)
        store.die_at(append, after=True)
        with contextlib.suppress(Crash):
            await runtime.run("go", by=superuser(), idempotency_key="k")
        store.revive()
        clock.now += 60
        result = await runtime.run("go", by=superuser(), idempotency_key="k")
        assert (result.status, world.texts) == ("done", ["a"])
        contents = await tool_messages(runtime, result.run)
        assert ["REPEATED" in each for each in contents] == [False, False, True, False, False, True]
        assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_a_read_whose_result_was_dropped_from_the_history_may_be_made_again(driver: AgentDriver) -> None:
    @tool(effect=Effect.PURE)
    async def long() -> str:
        """Read a long text."""
        return "word " * 300

    model = Scripted([calls(("long", {}))] * 5 + ["done"])
    compaction = Compaction(tokens=1_000, keep=100)
    agent = Agent("agent", instructions="x", tools=[long], driver=driver, compaction=compaction, model=model)
    runtime = runtime_of(agent)
    result = await runtime.run("go", by=superuser())
    assert result.status == "done"
    assert any(item.kind == "compacted" for item in result.items)
    assert (await runtime.replay(result.run)).difference == ""


def tree_of(driver: AgentDriver, depth: int, requests: list[str], *, varies: bool) -> Agent:
    """Agents that call the one below them again and again; the lowest calls a tool so."""

    def model_of(name: str) -> Any:
        async def model(_request: Any, /) -> Any:
            requests.append(name)
            prompt = f"go {len(requests)}" if varies else "go"
            below = ("look", {"page": "a"}) if name == "agent0" else (f"agent{int(name[5:]) - 1}", {"prompt": prompt})
            asked = calls(below)
            return completion_from_message(encode_message({"role": "assistant", **asked}))

        return model

    below: Any = look
    for level in range(depth):
        name = f"agent{level}"
        below = Agent(name, instructions="x", description="x", tools=[below], driver=driver, model=model_of(name))
    return below


@BOTH
@pytest.mark.parametrize(("varies", "most"), [(False, 11), (True, 14)])
async def test_repeats_are_counted_down_the_tree_of_agents(driver: AgentDriver, varies: bool, most: int) -> None:
    requests: list[str] = []
    runtime = runtime_of(tree_of(driver, 4, requests, varies=varies))
    result = await runtime.run("go", by=superuser())
    assert result.status == "failed"
    assert "REPEATED_CALL" in result.text
    assert len(requests) <= most
    assert (await runtime.replay(result.run)).difference == ""


class Found(BaseModel):
    """What an agent is to find."""

    number: int


def typed_tree_of(driver: AgentDriver, depth: int, requests: list[str], *, varies: bool, retries: int) -> Agent:
    """Agents that call the one below them, and give no valid result, whatever they are told."""

    def model_of(name: str) -> Any:
        async def model(request: Any, /) -> Any:
            requests.append(name)
            prompt = f"go {len(requests)}" if varies else "go"
            has_called = json.loads(request.history[-1])["role"] == "tool"
            below = calls((f"agent{int(name[5:]) - 1}", {"prompt": prompt}))
            answer = {"content": "not json"} if name == "agent0" or has_called else below
            return completion_from_message(encode_message({"role": "assistant", **answer}))

        return model

    tools: list[Any] = []
    for level in range(depth):
        name = f"agent{level}"
        known: dict[str, Any] = {"tools": tools, "output": Found, "retries": retries, "model": model_of(name)}
        tools = [Agent(name, instructions="x", description="x", driver=driver, **known)]
    return tools[0]


@BOTH
@pytest.mark.parametrize(("varies", "retries", "most"), [(False, 1, 14), (True, 1, 11), (False, 5, 18), (True, 5, 19)])
async def test_corrections_of_results_are_counted_down_the_tree_of_agents(
    driver: AgentDriver, varies: bool, retries: int, most: int
) -> None:
    requests: list[str] = []
    runtime = runtime_of(typed_tree_of(driver, 5, requests, varies=varies, retries=retries))
    result = await runtime.run("go", by=superuser())
    assert result.status == "failed"
    assert len(requests) <= most
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_a_tool_whose_result_was_invalid_may_be_called_again(driver: AgentDriver) -> None:
    results = iter([7, "fine"])

    @tool(effect=Effect.PURE)
    async def count() -> str:
        """Count."""
        return next(results)  # pyright: ignore[reportReturnType] - a result that is not of the tool's type

    agent = Agent(
        "agent", instructions="x", tools=[count], driver=driver, model=Scripted([calls(("count", {}))] * 2 + ["done"])
    )
    runtime = runtime_of(agent)
    result = await runtime.run("go", by=superuser())
    invalid, fine = await tool_messages(runtime, result.run)
    assert "INVALID_OUTPUT" in invalid
    assert fine == "fine"
