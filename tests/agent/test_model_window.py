"""An agent heeds the window of its model: its history is compacted, and definitions of tools that it found leave."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import Agent, App, Runtime, tool
from remit.agent import AgentDriver, Compaction, ToolSearch
from remit.agent.model import window_of
from remit.chat.chat import ChatRequest, Completion, completion_from_message, encode_message
from remit.errors import ContextLengthError
from remit.record.items import Note
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from tests.agent.both import BOTH


def make_tools(count: int) -> list[Any]:
    """Tools whose definitions have some 120 tokens each."""

    def make(number: int) -> Any:
        async def work(text: str) -> str:
            return text

        work.__name__ = f"work{number}"
        work.__doc__ = f"Do the work named word{number}. " + "It is done with care. " * 20
        return tool(work, effect="pure")

    return [make(number) for number in range(count)]


class Windowed(Scripted):
    """A script whose model takes few tokens."""

    context_tokens: int | None = 1_500


def search(number: int) -> Any:
    return calls(("search_tools", {"query": f"word{number}"}))


def runtime_of(driver: AgentDriver, model: Any, store: InMemoryStore | None = None, **options: Any) -> Runtime:
    agent = Agent(
        "agent",
        instructions="Work.",
        tools=make_tools(8),
        tool_search=ToolSearch(above=2, limit=1),
        driver=driver,
        model=model,
        **options,
    )
    return Runtime(App(name="test", agents=(agent,)), store=store or InMemoryStore())


@BOTH
async def test_definitions_that_were_found_first_leave_a_small_window(driver: AgentDriver) -> None:
    model = Windowed([search(1), search(2), search(3), calls(("work2", {"text": "a"})), search(4), "done"])
    runtime = runtime_of(driver, model)
    result = await runtime.run("go", by=superuser())
    assert result.value() == "done"
    assert [request.tools.names for request in model.requests] == [
        ("search_tools",),
        ("search_tools", "work1"),
        ("search_tools", "work1", "work2"),
        ("search_tools", "work2", "work3"),
        ("search_tools", "work2", "work3"),
        ("search_tools", "work2", "work4"),
    ]
    assert [item.data for item in result.items if isinstance(item, Note)] == [
        '{"model":"scripted:scripted (no model)","tokens":1500}'
    ]
    assert (await runtime.replay(result.run)).is_identical


@BOTH
async def test_a_replay_heeds_the_window_that_is_on_record(driver: AgentDriver) -> None:
    model, store = Windowed([search(1), search(2), search(3), "done"]), InMemoryStore()
    result = await runtime_of(driver, model, store).run("go", by=superuser())
    wider = Windowed([])
    wider.context_tokens = None
    assert (await runtime_of(driver, wider, store).replay(result.run)).is_identical


async def test_a_definition_that_is_too_large_for_the_window_is_shown_alone() -> None:
    model = Windowed([search(1), search(2), "done"])
    model.context_tokens = 1_000
    agent = Agent(
        "agent", instructions="W.", tools=make_tools(8), tool_search=ToolSearch(above=2, limit=3), model=model
    )
    await Runtime(App(name="test", agents=(agent,))).run("go", by=superuser())
    assert model.requests[-1].tools.names == ("search_tools", "work2")


def test_a_compaction_leaves_a_quarter_of_the_window_for_the_answer() -> None:
    assert Compaction().within(None) == Compaction()
    assert Compaction().within(1_000_000) == Compaction()
    assert Compaction().within(8_192) == Compaction(tokens=6_144)
    assert Compaction(keep=50_000).within(8_192) == Compaction(tokens=6_144, keep=3_072)


@pytest.mark.parametrize(("value", "window"), [(8_192, 8_192), (None, None), ("8192", None), (0, None), (True, None)])
def test_a_window_is_a_number_of_tokens_that_an_agent_can_work_in(value: Any, window: int | None) -> None:
    class Model:
        context_tokens = value

    assert window_of(Model()) == window
    assert window_of(object()) is None


@BOTH
async def test_a_history_is_compacted_within_the_window_and_no_message_is_refused(driver: AgentDriver) -> None:
    class Narrow:
        context_tokens = 2_000

        def __init__(self) -> None:
            self.sizes: list[int] = []

        async def __call__(self, request: ChatRequest, /) -> Completion:
            size = sum(len(text) for text in request.history) // 4
            self.sizes.append(size)
            if size > self.context_tokens:
                raise ContextLengthError("too long")
            return completion_from_message(encode_message({"role": "assistant", "content": "well " * 200}))

    model = Narrow()
    agent = Agent("agent", instructions="Work.", driver=driver, model=model, compaction=Compaction())
    runtime = Runtime(App(name="test", agents=(agent,)))
    for number in range(12):
        run = await runtime.run(f"message {number} " + "word " * 100, by=superuser(), conversation="talk")
        assert run.status == "done"
    assert max(model.sizes) <= model.context_tokens


@BOTH
async def test_what_cannot_fit_tells_the_person_to_begin_a_new_conversation(driver: AgentDriver) -> None:
    agent = Agent("agent", instructions="Work.", driver=driver, model=Scripted([ContextLengthError("8192 tokens")]))
    runtime = Runtime(App(name="test", agents=(agent,)))
    result = await runtime.run("go", by=superuser())
    assert result.reply is not None
    assert json.loads(result.reply.content) == {
        "success": False,
        "error": "the conversation no longer fits in the model's context; begin a new one (8192 tokens)",
        "errorCode": "CONTEXT_LENGTH",
    }
    assert (await runtime.replay(result.run)).is_identical
