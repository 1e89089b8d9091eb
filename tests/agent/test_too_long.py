"""What does not fit into a model's window is compacted, or its kind is told with the line that mends it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import Agent, App, Runtime, tool
from remit.agent import AgentDriver, Compaction, ToolSearch
from remit.agent.compaction import LongRequest
from remit.agent.too_long import explain_too_long
from remit.chat.chat import ChatRequest, Completion, History, ToolDefinitions, completion_from_message
from remit.errors import ContextLengthError
from remit.messages import encode_message
from remit.testing import calls, read_only_ledger, superuser
from tests.agent.both import BOTH
from tests.agent.test_model_window import make_tools


class Narrow:
    """Refuses what its window cannot hold, and answers with a long text, or with ``answers`` first."""

    def __init__(self, window: int, *answers: dict[str, Any], is_known: bool = True) -> None:
        self.context_tokens = window if is_known else None
        self.refused_count = 0
        self._window, self._answers, self.requests = window, [*answers], list[ChatRequest]()

    async def __call__(self, request: ChatRequest, /) -> Completion:
        self.requests.append(request)
        if (sum(map(len, request.history)) + len(request.tools.text)) // 4 > self._window:
            self.refused_count += 1
            raise ContextLengthError(f"at most {self._window} tokens")
        said = self._answers.pop(0) if self._answers else {"content": "well " * 200}
        return completion_from_message(json.dumps({"role": "assistant", **said}))


async def talk(runtime: Runtime, count: int = 12) -> list[str]:
    sent = [f"message {number} " + "word " * 100 for number in range(count)]
    runs = [await runtime.run(each, by=superuser(), conversation="talk") for each in sent]
    assert all([(await runtime.replay(run.run)).is_identical for run in runs])
    return [run.status for run in runs]


@BOTH
@pytest.mark.parametrize("is_known", [True, False], ids=["known", "unknown"])
async def test_a_long_conversation_goes_on_without_a_compaction_of_its_own(
    driver: AgentDriver, *, is_known: bool
) -> None:
    model = Narrow(2_000, is_known=is_known)
    agent = Agent("agent", instructions="Work.", driver=driver, model=model)
    assert await talk(Runtime(App(name="test", agents=(agent,)))) == ["done"] * 12


async def test_no_request_is_refused_where_the_window_is_known() -> None:
    model = Narrow(2_000)
    await talk(Runtime(App(name="test", agents=(Agent("agent", instructions="Work.", model=model),))))
    assert model.refused_count == 0


async def refused(agent: Agent, message: str = "go") -> str:
    runtime = Runtime(App(name="test", agents=(agent,)))
    result = await runtime.run(message, by=superuser())
    assert result.reply is not None
    assert isinstance(result.reply.error, ContextLengthError)
    assert (await runtime.replay(result.run)).is_identical
    return result.reply.error.message


@BOTH
@pytest.mark.parametrize("is_known", [True, False], ids=["known", "unknown"])
async def test_definitions_that_never_fit_are_named_with_the_line_that_has_them_searched(
    driver: AgentDriver, *, is_known: bool
) -> None:
    agent = Agent(
        "clerk", instructions="Work.", tools=make_tools(12), driver=driver, model=Narrow(1_200, is_known=is_known)
    )
    message = await refused(agent)
    of = " of 1,200 tokens" if is_known else ""
    assert message.startswith("agent clerk: about ")
    assert (
        f"of definitions of tools are too many for its model{of}, so no conversation fits; the largest are" in message
    )
    assert "work10 (1" in message
    assert message.endswith(
        ": have the model search them, Agent('clerk', …, tool_search=ToolSearch(above=0)) (at most 1200 tokens)"
    )
    assert "begin a new" not in message
    model = Narrow(1_200, is_known=is_known)
    mended = Agent(
        "clerk", instructions="Work.", tools=make_tools(12), driver=driver, model=model, tool_search=ToolSearch(above=0)
    )
    done = await Runtime(App(name="test", agents=(mended,))).run("go", by=superuser())
    assert done.status == "done"


async def test_definitions_that_are_always_shown_are_named() -> None:
    tools = make_tools(12)
    search = ToolSearch(above=0, always=[each.name for each in tools])
    message = await refused(Agent("clerk", instructions="Work.", tools=tools, tool_search=search, model=Narrow(1_200)))
    assert "shorten them, or name fewer in ToolSearch(always=…)" in message


@BOTH
@pytest.mark.parametrize("is_known", [True, False], ids=["known", "unknown"])
async def test_definitions_that_were_found_are_no_reason_that_no_conversation_fits(
    driver: AgentDriver, *, is_known: bool
) -> None:
    tools, found = make_tools(12), [calls(("search_tools", {"query": f"word{number}"})) for number in range(12)]
    model = Narrow(1_200, *found, {"content": "well"}, is_known=is_known)
    agent = Agent(
        "clerk", instructions="Work.", tools=tools, driver=driver, model=model, tool_search=ToolSearch(above=0, limit=1)
    )
    runtime = Runtime(App(name="test", agents=(agent,)))
    assert (await runtime.run("go", by=superuser())).status == "done"
    message = await refused(agent, "word " * 2_000)
    assert "the message takes about 2,5" in message
    assert "no conversation" not in message


async def test_a_found_definition_that_does_not_fit_is_named() -> None:
    async def huge(text: str) -> str:
        return text

    huge.__doc__ = "Do it all. " + "It is long. " * 600
    search = ToolSearch(above=0, limit=1)
    model = Narrow(1_200, calls(("search_tools", {"query": "all"})))
    message = await refused(
        Agent("clerk", instructions="Work.", tools=[tool(huge, effect="pure")], tool_search=search, model=model)
    )
    assert message.startswith("agent clerk: the definition of huge takes about 1,8")
    assert "of 1,200 tokens; shorten it (at most" in message


async def test_instructions_that_never_fit_are_told() -> None:
    message = await refused(Agent("clerk", instructions="Work. " * 1_000, model=Narrow(1_200)))
    assert "of instructions and 0 of definitions of tools are too many" in message
    assert "so no conversation fits; shorten the instructions (at most" in message


async def test_a_message_that_never_fits_is_told() -> None:
    message = await refused(Agent("clerk", instructions="Work.", model=Narrow(1_200)), "word " * 2_000)
    assert "the message takes about 2,5" in message
    assert " of 1,200 tokens; send a shorter one, or a file that tools read" in message


@tool(effect="pure")
async def read() -> str:
    """Read everything."""
    return "text " * 2_000


async def test_results_of_tools_that_never_fit_are_told() -> None:
    model = Narrow(1_200, calls(("read", {})))
    message = await refused(Agent("clerk", instructions="Work.", tools=[read], model=model))
    assert "the last results of tools take about 2,5" in message
    assert "have the tools return less" in message


def request_of(*texts: str) -> LongRequest:
    history = History(encode_message({"role": "user", "content": text}) for text in texts)
    return LongRequest.of(ChatRequest(agent_call_id="a", turn=1, ledger=read_only_ledger(()), history=history))


@pytest.mark.parametrize("window", [None, 1_200])
def test_only_where_a_new_conversation_helps_the_person_is_told_to_begin_one(window: int | None) -> None:
    told = "the conversation no longer fits in the model's context; begin a new one"
    request = request_of("word " * 900, "word " * 50, "go")
    assert explain_too_long("clerk", request, ToolDefinitions(), window) == told


def test_an_explicit_compaction_counts_where_it_is_smaller_than_the_window() -> None:
    assert Compaction(tokens=500).within(2_000) == Compaction(tokens=500)
