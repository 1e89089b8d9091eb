"""Sessions, which the revisions before `REVISION` have: who is at the other end, told once.

A session is a signed text that the client sends with each request. No process remembers it, so it outlives all of them.
"""

from __future__ import annotations

import contextlib
from typing import Final

from msgspec import UNSET, Raw, Struct, field

from remit.client.client import Client
from remit.mcp.peers import SESSION_REVISIONS, Capabilities, Peer
from remit.mcp.server import McpServer
from remit.mcp.state_signer import ForeignStateError, StateSigner, owner_of
from remit.mcp.wire import Message, Result, read_params

_SESSION_SECONDS: Final = 30 * 24 * 3600.0
_REQUEST_SECONDS: Final = 24 * 3600.0


class InitializeAsked(Struct, kw_only=True):
    """The beginning of a session."""

    revision: str = field(name="protocolVersion")
    capabilities: Capabilities = field(default_factory=Capabilities)


class _Declared(Struct, kw_only=True):
    """What a client declares that it can do, as it was sent."""

    capabilities: Raw = Raw(b"{}")


class _Session(Struct, frozen=True, array_like=True):
    owner: tuple[str, str]
    peer: Peer


class _Request(Struct, frozen=True, array_like=True):
    owner: tuple[str, str]
    question: str
    has_form: bool


class Sessions:
    """Begins sessions, and signs what belongs to one: its name, and the ids of the server's own requests."""

    def __init__(self, server: McpServer) -> None:
        self._server = server
        self._sessions = StateSigner(server.settings.key, "session", _SESSION_SECONDS)
        self._requests = StateSigner(server.settings.key, "request", _REQUEST_SECONDS)

    async def begin(self, params: Raw) -> tuple[Peer, Result]:
        """The client of a new session, and the answer to it: with its own revision, or the newest one.

        Raises:
            ProtocolError: the parameters are not valid.
        """
        asked = read_params(params, InitializeAsked)
        await self._server.begin(read_params(params, _Declared).capabilities)
        revision = asked.revision if asked.revision in SESSION_REVISIONS else SESSION_REVISIONS[0]
        told: Result = {"protocolVersion": revision, "capabilities": self._server.capabilities}
        told |= {"serverInfo": self._server.info, "instructions": self._server.instructions}
        return Peer.of(revision, asked.capabilities), told

    def name(self, client: Client, peer: Peer) -> str:
        """The name of a session of a principal."""
        return self._sessions.sign(_Session(owner_of(client), peer))

    def find(self, client: Client, name: str) -> Peer:
        """The client of the session with a name.

        Raises:
            ForeignStateError: it is no session of this principal, or too old.
        """
        session = self._sessions.read(name, _Session)
        if session.owner != owner_of(client):
            raise ForeignStateError
        return session.peer

    def name_request(self, client: Client, question: str, params: Result) -> str:
        """The id of the request that asks a client about a question."""
        return self._requests.sign(_Request(owner_of(client), question, params["mode"] == "form"))

    def find_question(self, client: Client, name: str) -> str:
        """The question of the form with an id. What a client says of an address decides nothing.

        Raises:
            ForeignStateError: no form with this id was sent to this principal, or it was long ago.
        """
        asked = self._requests.read(name, _Request)
        if asked.owner != owner_of(client) or not asked.has_form:
            raise ForeignStateError
        return asked.question

    async def take_answer(self, client: Client, message: Message) -> None:
        """Take the answer to a request of the server. An error, and an answer to anything else, decides nothing.

        Raises:
            ProtocolError: the answer cannot be taken.
        """
        if not isinstance(message.id, str) or message.result is UNSET:
            return
        with contextlib.suppress(ForeignStateError):
            await self._server.take_answer(client, self.find_question(client, message.id), message.result)
