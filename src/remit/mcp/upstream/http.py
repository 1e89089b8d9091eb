"""A server behind an address: streamable HTTP, one message a request."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Mapping
from typing import Final

from remit.errors import DeniedError, ExternalError, LostAnswerError, RateLimitedError, SetupError
from remit.mcp.peers import REVISION
from remit.mcp.upstream.event_stream import TooLongError, read_events
from remit.mcp.upstream.http_connection import HttpError, HttpPool, Response
from remit.mcp.upstream.repeated_headers import encode_header, is_safe_header
from remit.mcp.upstream.transport import Lose, Outgoing, Take
from remit.mcp.wire import MOST_BYTES
from remit.secrets import Secret

SESSION_HEADER: Final = "mcp-session-id"
REVISION_HEADER: Final = "mcp-protocol-version"
_STREAM: Final = "text/event-stream"
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SESSION: Final = re.compile(r"[\x21-\x7e]{1,4096}")
_MOST_REJOINS: Final = 5
_REJOIN_SECONDS: Final = 1.0
_MOST_REJOIN_SECONDS: Final = 30.0


class SessionEndedError(Exception):
    """The server knows the session no longer, so it has carried out nothing."""


class HttpTransport:
    """Sends each message as a request, and receives what its response has: a message, or a stream of them.

    Args:
        name: the name of the server, for errors.
        url: its address.
        headers: further headers of each request, such as ``{"authorization": Secret(…)}``.
        most_bytes: the largest message that it may send.

    Raises:
        SetupError: the address or a header is not valid.
    """

    cancels_by_closing = True

    def __init__(
        self,
        name: str,
        url: str,
        *,
        headers: Mapping[str, str | Secret] | None = None,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._name, self._most_bytes = name, most_bytes
        self._pool = HttpPool(url)
        given = dict(headers or {})
        for header in given:
            if not _HEADER_NAME.fullmatch(header):
                raise SetupError(f"MCP server {name}: {header!r} is not the name of a header")
        self._given, self._session, self._revision = given, "", ""
        self._take: Take = lambda _content: None

    @property
    def address(self) -> str:
        """The address without its query, which may be secret."""
        return self._pool.address

    async def open(self, take: Take, lose: Lose) -> None:
        """Remember who takes the messages. Connections are made when they are needed."""
        self._take = take

    def begin_session(self, revision: str) -> None:
        """Send the revision with each further message."""
        self._revision = revision
        self.cancels_by_closing = revision == REVISION

    async def send(self, message: Outgoing) -> None:
        """Send a message, and take what its response has until the message is settled.

        Raises:
            ExternalError: nothing was sent, or it was refused.
            LostAnswerError: it was sent, and its answer cannot arrive.
            SessionEndedError: the session is over; the same request can be sent in another one.
        """
        try:
            async with self._pool.exchange("POST", self._headers(message), message.content) as response:
                if session := response.headers.get(SESSION_HEADER, ""):
                    self._session = session if _SESSION.fullmatch(session) else ""
                last_event, wait = await self._take_response(response, message)
        except HttpError as error:
            raise self._failure(error) from error
        if message.has_answer and not message.is_settled():
            await self._rejoin(message, last_event, wait)

    async def close(self) -> None:
        """End the session, if there is one, and all connections."""
        if self._session:
            with contextlib.suppress(HttpError, TimeoutError):
                async with asyncio.timeout(2), self._pool.exchange("DELETE", self._headers(Outgoing(content=b""))):
                    pass
        self._pool.close()

    async def _take_response(self, response: Response, message: Outgoing) -> tuple[str, float]:
        """Take what a response has. Returns the id of its last event, and after how many seconds to ask for more."""
        if response.status == 200 and response.media_type == _STREAM:
            return await self._take_events(response, message)
        if response.status in (401, 403) or (response.status == 404 and self._session):
            raise self._refusal(response.status)
        content = await response.read(self._most_bytes)
        if content is None:
            raise LostAnswerError(f"{self._name}: its answer is longer than {self._most_bytes:,} bytes")
        if response.media_type == "application/json" and content.strip():
            self._take(content)
        if response.status not in (200, 202, 204) and not (message.has_answer and message.is_settled()):
            raise self._refusal(response.status)
        return "", _REJOIN_SECONDS

    async def _take_events(self, response: Response, message: Outgoing) -> tuple[str, float]:
        last_event, wait = "", _REJOIN_SECONDS
        try:
            async with (
                contextlib.aclosing(response.chunks()) as chunks,
                contextlib.aclosing(read_events(chunks, self._most_bytes)) as events,
            ):
                async for event in events:
                    last_event = event.id or last_event
                    wait = wait if event.retry is None else event.retry / 1000
                    if event.data:
                        self._take(event.data)
                    if message.has_answer and message.is_settled():
                        break
        except TooLongError as error:
            raise LostAnswerError(f"{self._name}: its answer is longer than {self._most_bytes:,} bytes") from error
        except HttpError:
            if not last_event:
                raise
        return last_event, min(wait, _MOST_REJOIN_SECONDS)

    async def _rejoin(self, message: Outgoing, last_event: str, wait: float) -> None:
        """Ask for the rest of a stream that has ended before the answer, which servers with sessions may have kept."""
        for _ in range(_MOST_REJOINS):
            if not last_event or self._revision == REVISION:
                break
            await asyncio.sleep(wait)
            headers = self._headers(message) | {"last-event-id": last_event}
            try:
                async with self._pool.exchange("GET", headers) as response:
                    if response.status != 200 or response.media_type != _STREAM:
                        break
                    newer, wait = await self._take_events(response, message)
                    last_event = newer or last_event
            except HttpError:
                continue
            if message.is_settled():
                return
        raise LostAnswerError(f"{self._name}: its response ended without an answer")

    def _headers(self, message: Outgoing) -> dict[str, str]:
        headers = {
            "accept": "application/json, text/event-stream",
            "accept-encoding": "identity",
            "user-agent": "remit",
        }
        if message.content:
            headers["content-type"] = "application/json"
        if self._revision:
            headers[REVISION_HEADER] = self._revision
        if self._session:
            headers[SESSION_HEADER] = self._session
        headers |= message.headers
        if message.method and headers.get(REVISION_HEADER) == REVISION:
            headers["mcp-method"] = message.method
            if message.name:
                headers["mcp-name"] = encode_header(message.name)
        for name, value in self._given.items():
            revealed = value.reveal() if isinstance(value, Secret) else value
            if not is_safe_header(revealed):
                raise SetupError(f"MCP server {self._name}: the header {name} has a value that headers cannot have")
            headers[name.lower()] = revealed
        return headers

    def _failure(self, error: HttpError) -> ExternalError:
        if error.is_sent:
            return LostAnswerError(f"{self._name}: {error}; the request may have been carried out")
        return ExternalError(f"the MCP server {self._name}: {error}")

    def _refusal(self, status: int) -> Exception:
        """The error for a status without a message. A server or proxy that failed may have carried out the request."""
        where = f"the MCP server {self._name}"
        if status in (401, 403):
            return DeniedError(f"{where} refuses the credentials (status {status})")
        if status == 429:
            return RateLimitedError(f"{where} limits the rate of requests")
        if status == 404 and self._session:
            self._session = ""
            return SessionEndedError(f"{where} has ended the session")
        if status >= 500:
            return LostAnswerError(f"{where} failed with the status {status}; the request may have been carried out")
        return ExternalError(f"{where} refused the request with the status {status}")
