"""The MCP server of another program, connected to again when its connection is lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Self, TypeVar

from msgspec import Raw

from remit.errors import ExternalError
from remit.mcp.peers import REVISION
from remit.mcp.upstream.connection import Connection, Hooks, OnProgress, ServerFacts
from remit.mcp.upstream.http import SessionEndedError
from remit.mcp.upstream.incoming import as_object, as_text, read_object
from remit.mcp.upstream.repeated_headers import InvalidHeaderError, RepeatedParameters, list_repeated, write_repeated
from remit.mcp.upstream.transport import Transport
from remit.mcp.wire import INTERNAL_ERROR, INVALID_PARAMS, ProtocolError, Result
from remit.sources.source import NewConnectionError

_LOG: Final = logging.getLogger("remit.mcp")
_MOST_PAGES: Final = 100
_MOST_TOOLS: Final = 5_000
_LIST_SECONDS: Final = 60.0
_MOST_ROUNDS: Final = 10
_FIRST_WAIT: Final = 0.5
_LONGEST_WAIT: Final = 30.0

T = TypeVar("T")


class Upstream:
    """A server, by its name. ``async with`` closes it; it is connected to when it is first needed.

    Args:
        name: the name of the server, for errors.
        connect: makes a transport to it, for each connection a new one.
        hooks: what to do about messages that the server sends by itself.
        newest: the newest revision of the protocol that is spoken.
    """

    def __init__(
        self, name: str, connect: Callable[[], Transport], hooks: Hooks | None = None, *, newest: str = REVISION
    ) -> None:
        self.name, self._connect, self._hooks, self._newest = name, connect, hooks or Hooks(), newest
        self._connection: Connection | None = None
        self.generation = 0
        """How many connections were made."""
        self._opening = asyncio.Lock()
        self._failures, self._next_try, self._failure = 0, 0.0, ""
        self._repeated = dict[str, RepeatedParameters]()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        async with self._opening:
            connection, self._connection = self._connection, None
            if connection is not None:
                await connection.close()

    async def facts(self) -> ServerFacts:
        """What the server says of itself; connects if needed.

        Raises:
            ExternalError: it cannot be reached.
        """
        return (await self._find_connection()).facts

    async def request(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        headers: Mapping[str, str] | None = None,
        on_progress: OnProgress | None = None,
        generation: int = 0,
    ) -> Raw:
        """Send a request, and return its result as it arrived; see `Connection.request`.

        ``generation``: the number of the connection that is meant; 0 for any.

        Raises:
            NewConnectionError: the connection is another one than is meant; nothing was sent.
            ProtocolError: the server answers with an error.
            ExternalError: it was not sent. LostAnswerError: it was sent, and its answer cannot arrive.
        """
        return await self._use(
            lambda each: each.request(method, params, headers=headers, on_progress=on_progress), generation
        )

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification.

        Raises:
            ExternalError: it was not sent.
        """
        await self._use(lambda each: each.notify(method, params))

    async def list_tools(self) -> list[Result]:
        """All tools that the server offers, as it describes them.

        Raises:
            ProtocolError: the server answers with an error, or does not come to an end.
            ExternalError: it cannot be reached.
        """
        try:
            async with asyncio.timeout(_LIST_SECONDS):
                tools = await self._list_pages()
        except TimeoutError as error:
            raise ExternalError(f"the MCP server {self.name} does not list its tools in time") from error
        kept, repeated = list[Result](), dict[str, RepeatedParameters]()
        for each in tools:
            try:
                repeated[each["name"]] = list_repeated(each.get("inputSchema"))
            except (InvalidHeaderError, RecursionError) as error:
                _LOG.warning("%s: its tool %.100s is left out: %s", self.name, each["name"], error)
            else:
                kept.append(each)
        self._repeated = repeated
        return kept

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        on_progress: OnProgress | None = None,
        generation: int = 0,
    ) -> Result:
        """Call a tool. What the server asks for before it answers is answered by the hooks.

        ``generation``: the number of the connection that is meant; 0 for any.

        Raises:
            NewConnectionError: the connection is another one than is meant; nothing was called.
            ProtocolError: the server answers with an error, or what it asks for is refused.
            ExternalError: the call was not sent. LostAnswerError: it was sent, and its answer cannot arrive.
        """
        params: Result = {"name": name, "arguments": arguments}
        headers = write_repeated(self._repeated.get(name, {}), arguments)
        for _ in range(_MOST_ROUNDS):
            raw = await self.request(
                "tools/call", params, headers=headers, on_progress=on_progress, generation=generation
            )
            result = read_object(raw)
            kind = result.get("resultType", "complete")
            if kind == "complete":
                return result
            if kind != "input_required":
                raise ProtocolError(INTERNAL_ERROR, f"it answers with {str(kind)[:100]!r}, which was not asked for")
            params = {"name": name, "arguments": arguments, **await self._answer_all(result)}
        raise ProtocolError(INTERNAL_ERROR, f"it asked {_MOST_ROUNDS} times, and gave no result")

    async def _answer_all(self, result: Result) -> Result:
        """The answers to all that a result asks for, and the state that goes with them."""
        connection = await self._find_connection()
        answers: Result = {}
        for key, each in as_object(result.get("inputRequests")).items():
            asked = as_object(each)
            answers[key] = await connection.answer(as_text(asked.get("method")), as_object(asked.get("params")))
        if not answers:
            await asyncio.sleep(_FIRST_WAIT)  # it holds the call, and only wants to be asked again
        told: Result = {"inputResponses": answers} if answers else {}
        return told | ({"requestState": result["requestState"]} if "requestState" in result else {})

    async def _list_pages(self) -> list[Result]:
        tools, cursor, seen = list[Result](), "", set[str]()
        for _ in range(_MOST_PAGES):
            page = read_object(await self.request("tools/list", {"cursor": cursor} if cursor else {}))
            if not isinstance(page.get("tools"), list):
                raise ProtocolError(INVALID_PARAMS, "its list of tools is no list")
            tools += [each for each in map(as_object, page["tools"]) if as_text(each.get("name"))]
            cursor = as_text(page.get("nextCursor"))
            if not cursor:
                return tools
            if cursor in seen or len(tools) > _MOST_TOOLS:
                break
            seen.add(cursor)
        raise ProtocolError(INTERNAL_ERROR, "its list of tools does not end")

    async def _use(self, use: Callable[[Connection], Awaitable[T]], generation: int = 0) -> T:
        """Use the connection. A session that the server has ended is begun again, once."""
        for _ in range(2):
            connection = await self._find_connection()
            if generation not in (0, self.generation):
                raise NewConnectionError(
                    f"connection {self.generation} of {self.name} is not the one that was compared"
                )
            try:
                return await use(connection)
            except SessionEndedError:
                await self._drop(connection)
        raise ExternalError(f"the MCP server {self.name} ends each session at once")

    async def _find_connection(self) -> Connection:
        """The connection, which is made if there is none.

        Raises:
            ExternalError: the server cannot be reached, or could not be a moment ago.
        """
        connection = self._connection
        if connection is not None and not connection.lost:
            return connection
        async with self._opening:
            connection = self._connection
            if connection is not None and not connection.lost:
                return connection
            if connection is not None:
                self._connection = None
                await connection.close()
            loop = asyncio.get_running_loop()
            if (wait := self._next_try - loop.time()) > 0:
                raise ExternalError(f"{self._failure}; it is tried again in {wait:.1f} s")
            made = Connection(self.name, self._connect(), self._hooks, self._newest)
            try:
                await made.open()
            except BaseException as error:
                await made.close()
                if isinstance(error, ExternalError):
                    self._failures += 1
                    wait = min(_FIRST_WAIT * 2 ** (self._failures - 1), _LONGEST_WAIT)
                    self._next_try, self._failure = loop.time() + wait, error.message
                    raise ExternalError(error.message) from error  # nothing of the caller was sent
                raise
            self._failures = 0
            self._connection = made
            self.generation += 1
            return made

    async def _drop(self, connection: Connection) -> None:
        async with self._opening:
            if self._connection is connection:
                self._connection = None
                await connection.close()
