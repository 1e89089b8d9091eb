"""The list of tools: small, because a model reads all of it. Of many tools it has a search in place of most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final

from remit.agent.agent import Agent
from remit.agent.call_by_name import CALL_TOOL_DEFINITION, read_named_call
from remit.agent.run_instructions import RunInfo
from remit.agent.tool_search import CALL_TOOL, SEARCH_TOOL, Search, SearchTools, ToolSearch
from remit.call.facts import Effect, Facts, Risk
from remit.chat.chat import ToolCallRequest
from remit.client.tools import ToolInfo
from remit.dispatch.registry import AnyCallee
from remit.mcp.wire import Result

_CALL: Final = CALL_TOOL_DEFINITION["function"]


class ToolList:
    """What one principal may call, as a client lists and searches it.

    Args:
        tools: the tools that the principal may call.
        callees: all tools of the application.
        agents: the agents whose search settings are used: the tools that are always shown, phrases and rankers.
        above: with more tools than this, a search stands in place of those that are not always shown.
    """

    def __init__(
        self, tools: Sequence[ToolInfo], callees: Iterable[AnyCallee], agents: Iterable[Agent], above: int
    ) -> None:
        self._tools = {each.name: each for each in tools}
        self._callees = [each for each in callees if each.name in self._tools]
        self._search = _join_settings(agents, self._tools)
        self.is_searched = len(tools) > above

    def describe(self) -> list[Result]:
        """The tools as a client lists them, in an order that stays the same."""
        if not self.is_searched:
            return [*map(_describe, self._tools.values())]
        shown = [self._tools[name] for name in sorted(self._search.always)]
        return [*_describe_search(), *map(_describe, shown)]

    def read_call(self, name: str, arguments: str) -> ToolCallRequest:
        """The call that is meant: the one in the arguments, if the client calls by name a tool that it has found."""
        call = ToolCallRequest("", name, arguments)
        return read_named_call(call) if self.is_searched and name == CALL_TOOL else call

    def is_search(self, name: str) -> bool:
        """Whether a call of this name searches the list."""
        return self.is_searched and name == SEARCH_TOOL

    async def search(self, query: str, about: RunInfo) -> dict[str, str]:
        """The tools that fit a query, each with its description and its parameters."""
        return await SearchTools(self._callees, self._search, "").find(query, about)


def _join_settings(agents: Iterable[Agent], names: Iterable[str]) -> ToolSearch:
    """The first settings of agents, without the tools that the principal may not call."""
    found = next((each.tool_search for each in agents if each.tool_search is not None), ToolSearch())
    known = frozenset(names)
    return ToolSearch(
        limit=found.limit,
        always=[each for each in found.always if each in known],
        phrases={name: phrases for name, phrases in found.phrases.items() if name in known},
        names=found.names,
        rankers=found.rankers,
    )


def _describe(tool: ToolInfo) -> Result:
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": {"type": "object", **tool.parameters},
        "annotations": annotate(tool.facts),
    }


def annotate(facts: Facts) -> dict[str, Any]:
    """What a client may tell its person of a tool, where it differs from the defaults of MCP.

    A client that does not know better takes a tool for one that destroys, acts twice when called twice, and reaches
    the outside.
    """
    told = dict[str, Any]()
    if facts.effect is Effect.PURE:
        told["readOnlyHint"] = True
    else:
        if facts.risk is not Risk.HIGH and facts.declared:
            told["destructiveHint"] = False
        if facts.effect is Effect.IDEMPOTENT:
            told["idempotentHint"] = True
    if not facts.egress and facts.declared:
        told["openWorldHint"] = False
    return told


@cache
def _describe_search() -> tuple[Result, Result]:
    """The tools with which a client finds and calls the others."""
    found = {
        "name": SEARCH_TOOL,
        "description": f"{SearchTools.description} Call them with {CALL_TOOL}.",
        "inputSchema": Search.model_json_schema(),
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }
    call = {"name": CALL_TOOL, "description": _CALL["description"], "inputSchema": _CALL["parameters"]}
    return found, call
