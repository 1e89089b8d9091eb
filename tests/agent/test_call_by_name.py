"""Tools that are found as text are called by one stable tool, which takes their names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import Agent, App, Effect, Runtime, tool
from remit.agent import AgentDriver, ToolSearch
from remit.agent.call_by_name import read_named_call
from remit.chat.chat import ToolCallRequest
from remit.chat.wire import ModelText
from remit.errors import NameTakenError
from remit.record.items import ToolOutput
from remit.testing import Scripted, calls, superuser
from tests.agent.both import BOTH
from tests.agent.test_model_window import make_tools

SEARCH = ToolSearch(above=2, limit=1, as_text=True)


@BOTH
async def test_a_found_tool_is_described_in_the_reply_and_called_by_its_name(driver: AgentDriver) -> None:
    model = Scripted(
        [
            calls(("search_tools", {"query": "word3"})),
            calls(("call_tool", {"name": "work3", "arguments": {"text": "a"}})),
            calls(("call_tool", {"name": "nope", "arguments": {}})),
            "done",
        ]
    )
    agent = Agent("agent", instructions="W.", tools=make_tools(8), tool_search=SEARCH, model=model, driver=driver)
    runtime = Runtime(App(name="test", agents=(agent,)))
    result = await runtime.run("go", by=superuser())
    assert result.value() == "done"
    assert {request.tools.names for request in model.requests} == {("call_tool", "search_tools")}, "they never change"
    found, made, unknown = (
        json.loads(text)["content"] for text in model.requests[-1].history if '"role":"tool"' in text
    )
    assert '"required":["text"]' in json.loads(found)["work3"]
    assert made == "a"
    assert json.loads(unknown)["errorCode"] == "UNKNOWN_TOOL"
    assert [item.callee for item in result.items if isinstance(item, ToolOutput)][:2] == ["search_tools", "work3"]
    assert (await runtime.replay(result.run)).is_identical


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ('{"name": "look", "arguments": {"a": 1.50, "b": {} }}', '{"a": 1.50, "b": {} }'),
        ('{"name": "look", "arguments": "{\\"a\\":1}"}', '{"a":1}'),
        ('{"arguments": {}, "name": "look"}', "{}"),
    ],
)
def test_a_call_is_read_as_one_of_the_named_tool(arguments: str, read: str) -> None:
    assert read_named_call(ToolCallRequest("a", "call_tool", arguments)) == ToolCallRequest("a", "look", read)
    assert read_named_call(ToolCallRequest("a", "look", arguments)) == ToolCallRequest("a", "look", arguments)


LINE = 'write {"name": "the_tool", "arguments": {…}}'


@BOTH
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("", "'name' must be the name of a tool"),
        ('{"name": 1, "arguments": {}}', "'name' must be the name of a tool"),
        ('{"name": "", "arguments": {}}', "'name' must be the name of a tool"),
        ('{"name": "call_tool", "arguments": {}}', "'call_tool' is not the name of a tool"),
        ('{"name": "wipe"}', "'arguments' must be an object"),
        ('{"name": "wipe", "scope": "tmp"}', "'arguments' must be an object"),
        ('{"name": "wipe", "arguments": null}', "'arguments' must be an object"),
        ('{"name": "wipe", "arguments": ""}', "'arguments' must be an object"),
        ('{"name": "wipe", "arguments": []}', "'arguments' must be an object"),
        ('{"name": "wipe", "arguments": {}, "args": {"scope": "tmp"}}', "there is no key 'args'"),
        ('{"name": "wipe", "arguments": {"scope": "a"}, "arguments": {}}', "the key 'arguments' occurs twice"),
        ('{"name": "work1", "name": "wipe", "arguments": {}}', "the key 'name' occurs twice"),
        ('{"name": "wipe", "arguments": {"scope": "a", "scope": "b"}}', "the key 'scope' occurs twice"),
        ('{"name": "wipe", "arguments": {"size": 12345678901234567.5}}', "would be changed"),
        ('{"name": "wipe", "arguments": {"scope": NaN}}', "NaN is not a JSON number"),
        ('{"name": "wipe", "arguments": {"scope": "\\ud83d"}}', "of arguments.scope"),
        ('{"name": "wipe", "argum', "the arguments are not JSON"),
        ("[1]", "the arguments must be a JSON object, not an array"),
    ],
)
async def test_a_call_that_is_not_as_its_definition_says_is_refused_with_the_line_to_write(
    arguments: str, reason: str, driver: AgentDriver
) -> None:
    made: list[str] = []

    @tool(effect=Effect.PURE)
    async def wipe(scope: str = "everything", size: float = 0.0) -> str:
        """Wipe."""
        made.append(scope)
        return scope

    call = {"id": "c", "type": "function", "function": {"name": "call_tool", "arguments": arguments}}
    model = Scripted([calls(("search_tools", {"query": "word3"})), {"role": "assistant", "tool_calls": [call]}, "done"])
    tools: list[Any] = [*make_tools(8), wipe]
    agent = Agent("agent", instructions="W.", tools=tools, tool_search=SEARCH, model=model, driver=driver)
    result = await Runtime(App(name="test", agents=(agent,))).run("go", by=superuser())
    assert (result.value(), made) == ("done", [])
    reply = json.loads(json.loads(model.requests[-1].history[-1])["content"])
    assert reply["errorCode"] == "VALIDATION_ERROR"
    assert reason in reply["error"]
    assert LINE in reply["error"]


async def test_a_tool_may_have_the_name_where_tools_are_not_found_as_text() -> None:
    @tool(effect=Effect.PURE)
    async def call_tool(name: str) -> str:
        """Call a tool."""
        return name

    model = Scripted([calls(("call_tool", {"name": "work1"})), "done"])
    agent = Agent("agent", instructions="W.", tools=[call_tool], model=model)
    assert (await Runtime(App(name="test", agents=(agent,))).run("go", by=superuser())).value() == "done"
    assert '"content":"work1"' in model.requests[-1].history[-1]
    taken: list[Any] = [*make_tools(8), call_tool]
    with pytest.raises(NameTakenError, match="'call_tool' is reserved for tool search"):
        Runtime(App(name="test", agents=(Agent("agent", instructions="W.", tools=taken, tool_search=SEARCH),)))


class At(Scripted):
    """A scripted model at an endpoint."""

    def __init__(self, host: str, lines: list[Any]) -> None:
        super().__init__(lines)
        self.origin = f"gpt-5 at {host}"


FOUND = [
    calls(("search_tools", {"query": "word3"})),
    calls(("call_tool", {"name": "work3", "arguments": {"text": "a"}})),
]


@BOTH
@pytest.mark.parametrize(
    ("host", "said", "is_text"),
    [
        ("api.openai.com", None, True),
        ("generativelanguage.googleapis.com", None, True),
        ("api.openai.com", False, False),
        ("api.anthropic.com", None, False),
        ("127.0.0.1", True, True),
        ("127.0.0.1", None, False),
    ],
)
async def test_found_tools_are_text_where_the_agent_or_its_endpoint_says_so(
    driver: AgentDriver, host: str, said: bool | None, is_text: bool
) -> None:
    model = At(host, [*FOUND, "done"])
    search = ToolSearch(above=2, limit=1, ahead=1, as_text=said)
    agent = Agent("agent", instructions="W.", tools=make_tools(8), tool_search=search, model=model, driver=driver)
    runtime = Runtime(App(name="test", agents=(agent,)))
    result = await runtime.run("word5", by=superuser())
    assert all(("call_tool" in each.tools.names) == is_text for each in model.requests)
    assert ("work3" in model.requests[-1].tools.names) != is_text
    texts = [text for text in model.requests[-1].history if "work3" in text or "<found_tools>" in text]
    assert [("Parameters: " in text) for text in texts if "call_tool" not in text] == [is_text] * 2
    other = Agent(
        "agent", instructions="W.", tools=make_tools(8), tool_search=search, model=Scripted([]), driver=driver
    )
    report = await Runtime(App(name="test", agents=(other,)), store=runtime.store).replay(result.run)
    assert (report.difference, report.is_identical) == ("", True)


async def test_an_agent_with_a_tool_of_that_name_finds_no_text_unless_it_says_so() -> None:
    @tool(effect=Effect.PURE)
    async def call_tool(name: str) -> str:
        """Call a tool."""
        return name

    model = At("api.openai.com", [FOUND[0], calls(("call_tool", {"name": "work1"})), "done"])
    tools: list[Any] = [*make_tools(8), call_tool]
    search = ToolSearch(above=2, limit=1, always=["call_tool"])
    agent = Agent("agent", instructions="W.", tools=tools, tool_search=search, model=model)
    assert (await Runtime(App(name="test", agents=(agent,))).run("go", by=superuser())).value() == "done"
    assert '"content":"work1"' in model.requests[-1].history[-1]
    assert "work3" in model.requests[-1].tools.names


async def test_a_custom_call_in_a_history_is_a_call_of_a_tool() -> None:
    made = '{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"custom","custom":{"name":"work3"}}]}'
    model = Scripted(["given", "done"])
    agent = Agent("agent", instructions="W.", tools=make_tools(8), tool_search=ToolSearch(above=2), model=model)
    saved = [ModelText(made, "m at x"), {"role": "tool", "tool_call_id": "a", "content": "r"}]
    await Runtime(App(name="test", agents=(agent,))).run("go", by=superuser(), messages=saved)
    assert "work3" in model.requests[0].tools.names
