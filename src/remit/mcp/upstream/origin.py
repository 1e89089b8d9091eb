"""An MCP server as the origin of a source of tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from remit.call.callee import LeafContext
from remit.errors import CallError, ExternalError, ToolFailed
from remit.mcp.upstream.connection import AnswerRequest, Hooks
from remit.mcp.upstream.content import read_result
from remit.mcp.upstream.incoming import as_object, as_text
from remit.mcp.upstream.transport import Transport
from remit.mcp.upstream.upstream import Upstream
from remit.mcp.wire import ProtocolError, Result
from remit.sources.offer import Offer, Snapshot

_PROGRESS = "progress"


class McpOrigin:
    """Reads the tools of a server, and calls them.

    Args:
        name: the name of the source.
        connect: makes a transport to the server.
        answer: answers what the server asks the person; without it, the server is told that no person can be asked.
        newest: the newest revision of the protocol that is spoken.
    """

    def __init__(
        self, name: str, connect: Callable[[], Transport], answer: AnswerRequest | None, **revision: str
    ) -> None:
        self._name, self._connect, self._answer, self._revision = name, connect, answer, revision
        self._address = connect().address
        self._upstream: Upstream | None = None
        self._with_schema = frozenset[str]()
        self.listed: list[Result] = []
        """The tools as the server described them last."""

    @property
    def version(self) -> object:
        """The number of the connection; None before the first one."""
        return None if self._upstream is None else self._upstream.generation or None

    async def open(self, on_change: Callable[[], None]) -> None:
        """Begin. The server is connected to when it is first read."""

        def notify(method: str, _params: Result) -> None:
            if method == "notifications/tools/list_changed":
                on_change()

        hooks = Hooks(notify=notify)
        if self._answer is not None:
            hooks = Hooks(capabilities={"elicitation": {"form": {}}}, answer=self._answer, notify=notify)
        self._upstream = Upstream(self._name, self._connect, hooks, **self._revision)

    async def close(self) -> None:
        """End the connection, and the process behind it."""
        upstream, self._upstream = self._upstream, None
        if upstream is not None:
            await upstream.__aexit__()

    async def read(self) -> Snapshot:
        """What the server offers now.

        Raises:
            ExternalError: it cannot be reached, or does not describe its tools.
        """
        upstream = self._get_upstream()
        try:
            facts, tools = await upstream.facts(), await upstream.list_tools()
        except ProtocolError as error:
            raise ExternalError(f"the MCP server {self._name} does not list its tools: {error.message}") from error
        except CallError as error:
            raise ExternalError(error.message) from error
        self.listed, offers = tools, tuple(map(_read_offer, tools))
        self._with_schema = frozenset(each.name for each in offers if each.output_schema is not None)
        return Snapshot(address=self._address, instructions=facts.instructions, offers=offers)

    async def call(self, name: str, arguments: Mapping[str, Any], ctx: LeafContext, version: object, /) -> Any:
        """Call a tool, and return the value of its result. Its progress is reported.

        Raises:
            NewConnectionError: the connection is another one; nothing was called.
            ToolFailed: the server answers that the call has failed.
            CallError: it cannot be reached, or its answer is lost.
        """

        def report(progress: Result) -> None:
            told = {each: progress[each] for each in ("progress", "total", "message") if each in progress}
            ctx.emit(_PROGRESS, told)

        generation = version if isinstance(version, int) else 0
        try:
            result = await self._get_upstream().call_tool(name, arguments, on_progress=report, generation=generation)
        except ProtocolError as error:
            raise ToolFailed(f"{self._name} refused the call: {error.message}") from error
        return await read_result(result, has_schema=name in self._with_schema)

    def _get_upstream(self) -> Upstream:
        if self._upstream is None:
            raise ExternalError(f"the MCP server {self._name} is not open")
        return self._upstream


def _read_offer(tool: Result) -> Offer:
    """An offer from a tool as the server describes it. Parts of another type than they must have are left out."""
    return Offer(
        name=as_text(tool.get("name")),
        title=as_text(tool.get("title")),
        description=as_text(tool.get("description")),
        input_schema=as_object(tool.get("inputSchema")),
        output_schema=as_object(tool["outputSchema"]) if "outputSchema" in tool else None,
        annotations=as_object(tool.get("annotations")),
        meta=as_object(tool.get("_meta")),
    )
