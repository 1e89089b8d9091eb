"""A desk whose tools are those of somebody else's server, which is wrapped."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Raw

from remit import App, Policy, Runtime, Tool, When
from remit.gateway.relay import Relay
from remit.gateway.server import WrappedServer
from remit.gateway.session_runs import SessionRuns
from remit.gateway.wrapped_source import WrappedOrigin, WrappedSource
from remit.mcp.server import Sender
from remit.mcp.settings import McpSettings
from remit.mcp.upstream.transport import Lose, Outgoing, Take
from remit.sources.pins import PinFolder, Pins
from tests.mcp.kit import ADA, BOB, GRACE, KEY, Desk, Params, ProcessDied

_TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
_NAMES = {"erase": "Erase a text", "launch": "Launch a text", "look": "Look at a text"}


class DeskServer:
    """A server with sessions in this process, by the port of transports. It keeps all requests that it got."""

    cancels_by_closing = False
    address = "desk"

    def __init__(self, desk: WrappedDesk) -> None:
        self._desk = desk
        self._take: Take = lambda _content: None

    async def open(self, take: Take, lose: Lose) -> None:
        """Begin to receive messages."""
        del lose  # it is never lost
        self._take = take

    def begin_session(self, revision: str) -> None:
        """Change nothing."""

    async def close(self) -> None:
        """End nothing."""

    async def send(self, message: Outgoing) -> None:
        """Answer a message at once."""
        request = json.loads(message.content)
        self._desk.sent.append(request)
        if "id" not in request:
            return
        if "method" not in request:
            return
        if self._desk.failure is not None and request["method"] == self._desk.fails_at:
            raise self._desk.failure
        response = {"jsonrpc": "2.0", "id": request["id"], **self._answer(request["method"], request["params"])}
        self._take(json.dumps(response).encode())

    def _answer(self, method: str, params: Params) -> Params:
        if method == "initialize":
            info = {"name": "desk", "version": "1"}
            told: Params = {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}, "prompts": {}},
                "serverInfo": info,
            }
            return {"result": {**told, "instructions": "A desk."}}
        if method == "tools/list":
            return {"result": {"tools": self._desk.offers}}
        if method == "tools/call":
            return {"result": self._call(params["name"], params["arguments"])}
        if method == "prompts/list":
            return {"result": {"prompts": [{"name": "greet", "_meta": {"own": 1}}]}}
        return {"error": {"code": -32601, "message": f"no method {method}"}}

    def _call(self, name: str, arguments: Mapping[str, str]) -> Params:
        text = arguments["text"]
        if name == "erase":
            self._desk.erase(text)
            return {
                "content": [{"type": "text", "text": "{}"}],
                "structuredContent": {"erased": text},
                "isError": False,
            }
        if name == "launch":
            self._desk.launched.append(text)
            raise ProcessDied
        if text == "nothing":
            return {"content": [{"type": "text", "text": self._desk.refusal}], "isError": True}
        return {"content": [{"type": "text", "text": f"{text} is there"}], "_meta": {"own": 2}}


class PinsInMemory(PinFolder):
    """Pins that no file has."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._pins = dict[str, Pins]()

    def read(self, source: str) -> Pins | None:
        """The pins of a source."""
        return self._pins.get(source)

    def write(self, pins: Pins) -> None:
        """Replace the pins of a source."""
        self._pins[pins.source] = pins


class OpenedServer(WrappedServer):
    """A server whose source is opened by the first request, and is not closed before its process ends."""

    _is_open = False

    @property
    def source(self) -> WrappedSource:
        """Its tools."""
        return self._source

    async def answer(self, sender: Sender, method: str, params: Raw) -> Params:
        if not self._is_open:
            self._is_open = True
            await self._source.__aenter__()
        return await super().answer(sender, method, params)


class WrappedDesk(Desk):
    """A desk whose tools are those of a server. Each process connects to it."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fails_at: str
        self.failure: Exception | None
        self.sent: list[Params] = []
        self.offers: list[Params] = [
            {"name": name, "description": text, "inputSchema": _TEXT, "_meta": {"own": 3}}
            for name, text in _NAMES.items()
        ]
        self.processes = 0
        self.refusal = "there is no such text"
        self.fails_at, self.failure = "", None
        self.pins = PinsInMemory(Path())

    def govern(self, tools: Sequence[Tool[..., Any]]) -> App:
        """The application that governs the server: erasing is asked about."""
        return App(name="desk", tools=tools, policy=Policy.only(When("erasing", verdict=self._ask, tools=["erase"])))

    def process(self, **settings: Any) -> OpenedServer:
        """One more process."""
        self.processes += 1
        runtime = Runtime(App(name="desk"), store=self.store, clock=self.clock)
        runtime.add_principals(ADA, BOB, GRACE)
        origin = WrappedOrigin("desk", lambda: DeskServer(self), Relay(), newest="2025-11-25")
        source = WrappedSource("desk", origin, self.pins)
        runs = SessionRuns(runtime.client(ADA), f"session {self.processes}", "A session")
        return OpenedServer(runtime, McpSettings(key=KEY, **settings), source, runs, self.govern)
