"""Tools that are found as text are called by one stable tool, which takes their names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import Agent, App, Effect, Runtime, tool
from remit.agent import AgentDriver, ToolSearch
from remit.agent.call_by_name import read_named_call
from remit.contracts.chat import ToolCallRequest
from remit.contracts.items import ToolOutput
from remit.errors import NameTakenError
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
    ("arguments", "name", "read"),
    [
        ('{"name": "look", "arguments": {"a": 1}}', "look", '{"a":1}'),
        ('{"name": "look", "arguments": "{\\"a\\":1}"}', "look", '{"a":1}'),
        ('{"name": "look"}', "look", "{}"),
        ("", "unnamed", "{}"),
        ('{"name": 1}', "unnamed", "{}"),
        ('{"na', "unnamed", "{}"),
        ("[1]", "unnamed", "{}"),
    ],
)
def test_a_call_is_read_as_one_of_the_named_tool(arguments: str, name: str, read: str) -> None:
    assert read_named_call(ToolCallRequest("a", "call_tool", arguments)) == ToolCallRequest("a", name, read)
    assert read_named_call(ToolCallRequest("a", "look", arguments)) == ToolCallRequest("a", "look", arguments)


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
    with pytest.raises(NameTakenError, match="'call_tool' is that of the search"):
        Runtime(App(name="test", agents=(Agent("agent", instructions="W.", tools=taken, tool_search=SEARCH),)))
