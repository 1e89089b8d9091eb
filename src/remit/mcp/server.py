"""Answers the requests of MCP clients. Everything that it does, it does through the client of their principal."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Final

from msgspec import Raw, Struct, field

from remit.agent.run_instructions import RunInfo
from remit.client.client import Client
from remit.errors import CallError, RemitError, RequestError
from remit.mcp.calls import AskedCall, CallLadder, CallMaker, RunPerCall, Send
from remit.mcp.decisions import take_answers
from remit.mcp.peers import REVISION, SERVER_INFO, SESSION_REVISIONS, TASKS_EXTENSION, Asked, Peer
from remit.mcp.resources import TEMPLATES, Resources
from remit.mcp.results import text_result
from remit.mcp.settings import McpSettings
from remit.mcp.tasks import TaskAsked, cancel_task, get_task, update_task
from remit.mcp.tool_list import ToolList
from remit.mcp.wire import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, Message, ProtocolError, Result, read_params
from remit.runtime import Runtime

_LOG: Final = logging.getLogger("remit.mcp")
_LIST_MILLISECONDS: Final = 60_000

INSTRUCTIONS: Final = (
    "Some calls wait for a person. If a result says that a call waits, tell the user, and make the same call again "
    "once it is decided: it continues the same call."
)


class CallAsked(Asked, kw_only=True):
    """A call of a tool. ``answers`` and ``state`` are what an earlier round of it asked for and gave."""

    name: str
    arguments: Raw = field(default_factory=lambda: Raw(b"{}"))
    answers: dict[str, Raw] = field(default_factory=dict[str, Raw], name="inputResponses")
    state: str = field(default="", name="requestState")


class ReadAsked(Asked, kw_only=True):
    """Which resource is read."""

    uri: str


class Sender(Struct, frozen=True, kw_only=True):
    """Who sends a request, and how they are reached.

    ``page`` gives the address of the page of a question, empty without one; ``send`` asks a client whose revision has
    sessions. ``tell`` sends it a notification.
    """

    client: Client
    peer: Peer
    target: str = ""
    page: Callable[[str], str] = lambda _question: ""
    send: Send = lambda _question, _params: None
    tell: Callable[[str, Result], None] = lambda _method, _params: None


class McpServer:
    """The application of a runtime, for MCP clients. It remembers nothing of a client between two requests.

    Args:
        runtime: what it serves.
        settings: its key and its times.
        maker: makes the calls; by default each is a run of its own.
    """

    def __init__(self, runtime: Runtime, settings: McpSettings, maker: CallMaker | None = None) -> None:
        self.runtime, self.settings = runtime, settings
        self._calls = CallLadder(settings, maker or RunPerCall())
        self._methods: Mapping[str, Callable[[Sender, Raw], Any]] = {
            "tools/list": self._list_tools,
            "tools/call": self._call,
            "resources/list": self._list_resources,
            "resources/templates/list": self._list_templates,
            "resources/read": self._read_resource,
        }
        self._methods_without_session: Mapping[str, Callable[[Sender, Raw], Any]] = {
            "server/discover": self._discover,
            "tasks/get": self._get_task,
            "tasks/update": self._update_task,
            "tasks/cancel": self._cancel_task,
        }

    @property
    def info(self) -> Result:
        """The name of the application and the version of Remit."""
        return {"name": self.runtime.app.name, "version": version("remit")}

    @property
    def capabilities(self) -> Result:
        """What the server can do for clients of all revisions."""
        return {"tools": {}, "resources": {}}

    @property
    def instructions(self) -> str:
        """What a model should know of the server."""
        return INSTRUCTIONS

    async def begin(self, client_capabilities: Raw) -> None:
        """Prepare for a client that begins a session, with the capabilities that it declares."""

    def connect(self, write: Callable[[bytes], None]) -> None:
        """Take note of the client of a pair of streams, to which messages can be sent at any time."""

    async def take_notification(self, method: str, params: Raw) -> None:
        """Take a notification of such a client. Most change nothing."""

    def take_response(self, _message: Message) -> bool:
        """Take a response of such a client. Returns whether it answers a request that this server sent by itself."""
        return False

    async def answer(self, sender: Sender, method: str, params: Raw) -> Result:
        """The result of a request.

        Raises:
            ProtocolError: it is refused.
        """
        if method == "ping" and sender.peer.has_session:
            return {}
        found = self._methods.get(method)
        if found is None and not sender.peer.has_session:
            found = self._methods_without_session.get(method)
        try:
            result: Result = await (self.forward(sender, method, params) if found is None else found(sender, params))
        except RemitError as error:
            raise _as_refusal(error) from error
        if sender.peer.has_session:
            return {name: value for name, value in result.items() if name not in ("ttlMs", "cacheScope")}
        return {"resultType": "complete", **result, "_meta": {**result.get("_meta", {}), SERVER_INFO: self.info}}

    async def forward(self, sender: Sender, method: str, _params: Raw) -> Result:
        """The result of a method that is not answered here.

        Raises:
            ProtocolError: there is none.
        """
        raise ProtocolError(METHOD_NOT_FOUND, f"there is no method {method[:100]!r} in revision {sender.peer.revision}")

    async def take_answer(self, client: Client, question: str, answer: Raw) -> None:
        """Take the answer to a form that was sent to a client whose revision has sessions."""
        try:
            await take_answers(client, {question: answer}, [question])
        except RemitError as error:
            raise _as_refusal(error) from error

    async def _discover(self, _sender: Sender, _params: Raw) -> Result:
        capabilities = {**self.capabilities, "extensions": TASKS_EXTENSION}
        told: Result = {"supportedVersions": [REVISION, *SESSION_REVISIONS], "instructions": self.instructions}
        told["capabilities"] = capabilities
        return {**told, "ttlMs": _LIST_MILLISECONDS, "cacheScope": "private"}

    async def _list_tools(self, sender: Sender, _params: Raw) -> Result:
        tools = (await self._tools(sender)).describe()
        return {"tools": tools, "ttlMs": _LIST_MILLISECONDS, "cacheScope": "private"}

    async def _call(self, sender: Sender, params: Raw) -> Result:
        asked = read_params(params, CallAsked)
        tools, arguments = await self._tools(sender), read_arguments(asked)
        if tools.is_search(asked.name):
            return await _search(tools, arguments, sender)
        call = tools.read_call(asked.name, arguments)
        return await self._calls.call(self._describe_call(sender, asked, call.name, call.arguments))

    def _describe_call(self, sender: Sender, asked: CallAsked, name: str, arguments: str) -> AskedCall:
        """The call of a client, for the ladder."""
        return AskedCall(
            client=sender.client,
            peer=sender.peer,
            name=name,
            arguments=arguments,
            target=sender.target,
            page=sender.page,
            send=sender.send,
            kinds=self._kinds,
            state=asked.state,
            answers=asked.answers,
        )

    async def _list_resources(self, sender: Sender, _params: Raw) -> Result:
        found = await self._resources(sender).describe()
        return {"resources": found, "ttlMs": 0, "cacheScope": "private"}

    async def _list_templates(self, _sender: Sender, _params: Raw) -> Result:
        return {"resourceTemplates": TEMPLATES, "ttlMs": _LIST_MILLISECONDS, "cacheScope": "private"}

    async def _read_resource(self, sender: Sender, params: Raw) -> Result:
        found = await self._resources(sender).read(read_params(params, ReadAsked).uri)
        return {"contents": found, "ttlMs": 0, "cacheScope": "private"}

    async def _get_task(self, sender: Sender, params: Raw) -> Result:
        return await get_task(sender.client, sender.peer, read_params(params, TaskAsked), self._kinds)

    async def _update_task(self, sender: Sender, params: Raw) -> Result:
        return await update_task(sender.client, sender.peer, read_params(params, TaskAsked))

    async def _cancel_task(self, sender: Sender, params: Raw) -> Result:
        return await cancel_task(sender.client, sender.peer, read_params(params, TaskAsked))

    @property
    def _kinds(self) -> frozenset[str]:
        """The kinds of objects that can be read as resources."""
        return frozenset(each.kind for each in self.runtime.app.views)

    def _resources(self, sender: Sender) -> Resources:
        return Resources(sender.client, self.runtime.app.views, sender.target)

    async def _tools(self, sender: Sender) -> ToolList:
        tools = await sender.client.tools(target=sender.target)
        return ToolList(tools, self.runtime.tools, self.runtime.app.agents, self.settings.list_above)


def read_arguments(asked: CallAsked) -> str:
    """The arguments of a call, as they were sent.

    Raises:
        ProtocolError: they are not UTF-8.
    """
    try:
        return bytes(asked.arguments).decode()
    except UnicodeDecodeError as error:
        raise ProtocolError(INVALID_PARAMS, "the arguments are not UTF-8") from error


async def _search(tools: ToolList, arguments: str, sender: Sender) -> Result:
    query = read_params(Raw(arguments.encode()), _Query).query
    by, now = sender.client.principal.at(sender.target), datetime.now(UTC)
    found = await tools.search(query, RunInfo(principal=by, target=sender.target, conversation="", now=now))
    if not found:
        return text_result(f"no tool fits {query!r:.100}; search with other words", is_error=True)
    return text_result("\n\n".join(f"{name}: {text}" for name, text in found.items()))


class _Query(Struct):
    """The arguments of a search."""

    query: str


def _as_refusal(error: RemitError) -> ProtocolError:
    """The refusal of a request for an error. What may name files and settings of the server stays in its log."""
    if not isinstance(error, (RequestError, CallError)):
        _LOG.error("a request failed", exc_info=error)
        return ProtocolError(INTERNAL_ERROR, "the server cannot do this now; its log says why", {"code": error.code})
    return ProtocolError(INVALID_PARAMS, error.message, {"code": error.code})
