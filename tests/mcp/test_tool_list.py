"""What a model reads of the tools: annotations from facts, and of many tools a search in place of most."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import Agent, App, Principal, Risk, Runtime, tool
from remit.agent import ToolSearch
from remit.call.facts import Effect, Facts
from remit.mcp.server import McpServer, Sender
from remit.mcp.settings import McpSettings
from remit.mcp.tool_list import annotate
from remit.mcp.wire import ProtocolError
from tests.mcp.kit import ADA, PLAIN, SESSION, ask


@tool(effect=Effect.PURE, tags={"weather"})
async def forecast(town: str) -> dict[str, str]:
    """Say what the weather will be.

    Args:
        town: the name of a town.
    """
    return {"town": town}


@tool(effect=Effect.IDEMPOTENT, risk=Risk.MODERATE)
async def rename(name: str) -> str:
    """Rename the shop."""
    return f"it is {name} now"


@tool(effect=Effect.PURE, permissions={"vault:read"})
async def vault() -> str:
    """Read the weather in the vault."""
    return "gold"


def _server(**settings: Any) -> McpServer:
    search = ToolSearch(always=["rename"], phrases={"forecast": ["umbrella"]})
    agent = Agent("clerk", instructions="Help.", tools=[forecast, rename, vault], tool_search=search)
    runtime = Runtime(App(name="shop", agents=[agent]))
    runtime.add_principals(ADA)
    return McpServer(runtime, McpSettings(**settings))


async def _ask(server: McpServer, method: str, **params: Any) -> Any:
    return await ask(server, Sender(client=server.runtime.client(ADA), peer=SESSION), method, params)


async def _call(server: McpServer, name: str, /, **arguments: Any) -> Any:
    result = await _ask(server, "tools/call", name=name, arguments=arguments)
    return result["content"][0]["text"]


async def test_few_tools_are_all_listed_without_their_results_and_without_those_one_may_not_call() -> None:
    listed = (await _ask(_server(), "tools/list"))["tools"]
    assert [each["name"] for each in listed] == ["forecast", "rename"]
    assert {*listed[0]} == {"name", "description", "inputSchema", "annotations"}
    assert listed[0]["inputSchema"]["properties"]["town"]["description"] == "the name of a town."


async def test_of_many_tools_the_list_has_a_search_and_those_that_are_always_shown() -> None:
    server = _server(list_above=1)
    listed = (await _ask(server, "tools/list"))["tools"]
    assert [each["name"] for each in listed] == ["search_tools", "call_tool", "rename"]
    assert listed[0]["inputSchema"]["required"] == ["query"]
    found = await _call(server, "search_tools", query="do I need an umbrella")
    name, _, definition = found.partition(": ")
    assert name == "forecast"
    assert json.loads(definition.partition(" Parameters: ")[2])["required"] == ["town"]
    assert json.loads(await _call(server, "call_tool", name="forecast", arguments={"town": "Ulm"})) == {"town": "Ulm"}
    assert json.loads(await _call(server, "forecast", town="Ulm")) == {"town": "Ulm"}


async def test_a_search_finds_only_what_one_may_call() -> None:
    server = _server(list_above=0)
    assert "vault" not in await _call(server, "search_tools", query="weather in the vault")
    assert (await _call(server, "search_tools", query="zebra")).startswith("no tool fits 'zebra'")
    grace = Principal("grace", "bakery", frozenset({"vault:read"}))
    sender = Sender(client=server.runtime.client(grace), peer=PLAIN)
    found = await ask(server, sender, "tools/call", {"name": "search_tools", "arguments": {"query": "vault"}})
    assert found["content"][0]["text"].startswith("vault: ")


@pytest.mark.parametrize("arguments", [{}, {"query": 7}])
async def test_a_search_without_words_is_refused(arguments: Any) -> None:
    with pytest.raises(ProtocolError, match="query"):
        await _call(_server(list_above=0), "search_tools", **arguments)


@pytest.mark.parametrize(
    ("facts", "annotations"),
    [
        (Facts(effect=Effect.PURE), {"readOnlyHint": True, "openWorldHint": False}),
        (Facts(effect=Effect.PURE, egress=True), {"readOnlyHint": True}),
        (Facts(effect=Effect.IDEMPOTENT), {"destructiveHint": False, "idempotentHint": True, "openWorldHint": False}),
        (Facts(effect=Effect.KEYED), {"destructiveHint": False, "openWorldHint": False}),
        (Facts(risk=Risk.HIGH), {"openWorldHint": False}),
        (Facts(risk=Risk.HIGH, egress=True), {}),
        (Facts(declared=False), {}),
    ],
)
def test_annotations_say_what_differs_from_the_worst(facts: Facts, annotations: dict[str, bool]) -> None:
    assert annotate(facts) == annotations
