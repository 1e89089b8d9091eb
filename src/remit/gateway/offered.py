"""The tools of a server as tools of an application: what they are called with is governed and recorded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Final

from remit.call.facts import Effect, Risk
from remit.call.tool import Tool
from remit.errors import ContractError, ToolFailed
from remit.mcp.upstream.connection import OnProgress
from remit.mcp.upstream.incoming import as_list, as_object, as_text
from remit.mcp.upstream.upstream import Upstream
from remit.mcp.wire import ProtocolError, Result

ON_PROGRESS: Final[ContextVar[OnProgress | None]] = ContextVar("remit_gateway_on_progress", default=None)
"""Takes the progress of the call that the current task makes."""

_NO_TEXT: Final = "the tool failed, and says nothing about it"


def adopt(offer: Mapping[str, Any], upstream: Upstream, pure: Collection[str]) -> Tool[..., Any]:
    """A tool that calls the server.

    Its effect is unsafe, unless a person says that it is pure. What the server says of it can only make it riskier.

    Raises:
        ContractError: its name or its schema cannot be used.
    """
    name = as_text(offer.get("name"))

    async def call(arguments: dict[str, object]) -> dict[str, object]:
        """Call the tool of the server."""
        try:
            result = await upstream.call_tool(name, arguments, on_progress=ON_PROGRESS.get())
        except ProtocolError as error:
            raise ToolFailed(error.message) from error
        if result.get("isError"):
            raise ToolFailed(read_text(result) or _NO_TEXT)
        return {key: value for key, value in result.items() if key != "resultType"}

    is_destructive = as_object(offer.get("annotations")).get("destructiveHint") is True
    return Tool.from_schema(
        name,
        as_text(offer.get("description")) or as_text(offer.get("title")) or name,
        as_object(offer.get("inputSchema")) or {"type": "object"},
        call,
        effect=Effect.PURE if name in pure else Effect.UNSAFE,
        risk=Risk.HIGH if is_destructive and name not in pure else Risk.MODERATE if name not in pure else Risk.SAFE,
        egress=name not in pure,
    )


def adopt_all(
    offers: Sequence[Mapping[str, Any]], upstream: Upstream, pure: Collection[str]
) -> tuple[list[Tool[..., Any]], dict[str, str]]:
    """The tools of a server, and the reasons why others cannot be called."""
    tools, refused = dict[str, Tool[..., Any]](), dict[str, str]()
    for offer in offers:
        name = as_text(offer.get("name"))
        try:
            tools[name] = adopt(offer, upstream, pure)
        except ContractError as error:
            refused[name] = error.message
    return [*tools.values()], refused


def read_text(result: Result) -> str:
    """The text in the content of a result."""
    texts = [as_text(as_object(each).get("text")) for each in as_list(result.get("content"))]
    return "\n".join(each for each in texts if each)
