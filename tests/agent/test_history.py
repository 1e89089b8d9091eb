"""Whatever a model says, tools do and people decide, and wherever it is cut off: the history is always valid."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remit import Agent, App, Effect, LeafContext, Risk, Runtime, tool
from remit.agent import AgentLimits
from remit.errors import ConflictError, ModelBusyError, ModelError
from remit.layers import RetryModel
from remit.models.scripted import ScriptLine
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from tests.agent.kit import soon


@tool(effect=Effect.PURE)
async def read(number: int) -> int:
    """Read."""
    return number


@tool(effect=Effect.KEYED)
async def slow(_ctx: LeafContext, number: int) -> int:
    """Take a while."""
    await soon(3 * number)
    return number


@tool(effect=Effect.UNSAFE)
async def fail(number: int) -> int:
    """Raise one thing or another."""
    raise ConflictError("it changed") if number % 2 else ZeroDivisionError("the world ended")


@tool(effect=Effect.KEYED, risk=Risk.HIGH)
async def ask(_ctx: LeafContext, number: int) -> int:
    """Ask a person first."""
    await soon(number % 3)
    return number


@tool(effect=Effect.PURE)
async def unwritable(number: int) -> Any:
    """Give what cannot be written."""
    return "\ud800" * number


TOOLS = (read, slow, fail, ask, unwritable)
NAMES = [*(each.name for each in TOOLS), "slow", "ask", "ask", "unknown", "réad", "x" * 70]

arguments = st.one_of(
    st.integers(0, 9).map(lambda number: {"number": number}),
    st.integers(0, 9).map(lambda number: {"number": number}),
    st.sampled_from(["", "{", "[1]", '{"number":"1"}', '{"number":1,"number":2}', '{"number":NaN}', '{"n":"\\ud800"}']),
)
wanted = st.tuples(st.sampled_from(NAMES), arguments)
errors = st.sampled_from([ModelError("refused"), ModelBusyError("later"), RuntimeError("a bug")])


@dataclass(frozen=True)
class Story:
    """What the model says, how it is run, and what happens to it."""

    lines: list[ScriptLine]
    parallel: int
    approve: list[bool]
    cuts: list[int | None]


def renamed(message: dict[str, Any], ids: list[str]) -> dict[str, Any]:
    """The same message as an endpoint sends it that names its calls badly."""
    for call, wire in zip(message["tool_calls"], ids, strict=False):
        call["id"] = wire
    return message


messages = st.builds(
    renamed,
    st.lists(wanted, min_size=1, max_size=5).map(lambda several: calls(*several)),
    st.lists(st.sampled_from(["", "a", "b", "call_0"]), max_size=5),
)


def spoken(turns: list[dict[str, Any]], last: ScriptLine) -> list[ScriptLine]:
    """Some turns that call, and one that may do anything."""
    return [*turns, last]


stories = st.builds(
    Story,
    lines=st.builds(
        spoken,
        st.lists(messages, min_size=1, max_size=4),
        st.one_of(st.text(max_size=5), errors, messages),
    ),
    parallel=st.sampled_from([1, 2, 8]),
    approve=st.lists(st.booleans(), min_size=6, max_size=6),
    cuts=st.lists(st.sampled_from([None, None, *range(3, 40)]), min_size=3, max_size=3),
)


async def driven(doing: Any, cut: int | None) -> None:
    """Await ``doing``, or cancel it after so many turns of the loop."""
    task = asyncio.ensure_future(doing)
    if cut is not None:
        await soon(cut)
        task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def play_story(story: Story) -> tuple[Runtime, Scripted]:
    """Run a story to its end, and check the history whenever the run rests."""
    model = Scripted([*story.lines, "the end"])
    agent = Agent(
        "agent", instructions="Work.", tools=TOOLS, parallel=story.parallel, limits=AgentLimits(turns=4)
    ).layer(RetryModel(base_delay=0.0))
    runtime = Runtime(App(name="test", agents=(agent,)), model=model, store=InMemoryStore())
    approve = iter(story.approve)
    first, *later = story.cuts
    await driven(runtime.run("go", by=superuser()), first)
    for cut in later:
        for row in await runtime.store.list_runs():
            assert history_errors(await runtime.history(row.run)) == []
            if row.status == "waiting":
                for question in await runtime.store.list_questions():
                    await runtime.decide(question.question.id, approved=next(approve, True), by=superuser())
                await driven(runtime.resume(row.run), cut)
    return runtime, model


@settings(max_examples=100)
@given(stories)
async def test_no_request_and_no_history_is_ever_broken(story: Story) -> None:
    runtime, model = await play_story(story)
    for request in model.requests:
        assert history_errors(request.history) == []
    for row in await runtime.store.list_runs():
        assert history_errors(await runtime.history(row.run)) == []


@pytest.mark.slow
@pytest.mark.untraced
@settings(max_examples=200)
@given(stories)
async def test_no_request_and_no_history_is_ever_broken_in_many_stories(story: Story) -> None:
    runtime, model = await play_story(story)
    for request in model.requests:
        assert history_errors(request.history) == []
    for row in await runtime.store.list_runs():
        assert history_errors(await runtime.history(row.run)) == []


@settings(max_examples=50)
@given(stories)
async def test_a_run_that_is_done_replays_to_the_byte(story: Story) -> None:
    runtime, _ = await play_story(story)
    for row in await runtime.store.list_runs():
        if row.status == "done":
            assert (await runtime.replay(row.run)).difference == ""


def talk(*lines: ScriptLine) -> tuple[Runtime, Scripted]:
    model = Scripted(lines)
    return Runtime(
        App(name="test", agents=(Agent("agent", instructions="Work.", tools=TOOLS).layer(RetryModel(base_delay=0.0)),)),
        model=model,
    ), model


@pytest.mark.parametrize("ids", [["a"], [""]], ids=["the same id", "no id"])
async def test_the_history_of_a_conversation_of_several_runs_is_valid(ids: list[str]) -> None:
    lines = [renamed(calls(("read", {"number": 1})), ids), "one", renamed(calls(("read", {"number": 1})), ids), "two"]
    runtime, model = talk(*lines)
    for prompt in ("first", "second"):
        result = await runtime.run(prompt, by=superuser(), conversation="c")
        assert history_errors(await runtime.history(result.run)) == []
    assert history_errors(model.requests[-1].history) == []


async def test_a_call_that_names_no_tool_does_not_break_the_history() -> None:
    runtime, _ = talk(calls(("", {})), "done")
    result = await runtime.run("go", by=superuser())
    assert history_errors(await runtime.history(result.run)) == []
