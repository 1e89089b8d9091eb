"""Carries what a server sends by itself to the client behind the gateway, and the client's answers back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from msgspec import UNSET, Raw

from remit.core.deadline import Deadline
from remit.mcp.upstream.connection import Hooks
from remit.mcp.upstream.incoming import read_object, read_refusal
from remit.mcp.wire import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    Message,
    ProtocolError,
    Result,
    write_notification,
    write_request,
)
from remit.record.secret import contains_secret, redact_secrets_in_content

_ANSWER_SECONDS: Final = 3600.0
_CHANGED: Final = "notifications/tools/list_changed"
_PASSED_ON: Final = ("elicitation", "sampling", "roots")
"""The capabilities of a client that the server may use through the gateway."""


class Relay:
    """Between one server and one client. As long as there is no client, the server's requests are refused."""

    def __init__(self) -> None:
        self._write: Callable[[bytes], None] | None = None
        self._capabilities = dict[str, Any]()
        self._answers = dict[str, asyncio.Future[Message]]()
        self._next = 0

    def make_hooks(self, on_change: Callable[[], None]) -> Hooks:
        """What a connection to the server does about messages that the server sends by itself.

        ``on_change`` is called when the server says that its tools have changed.
        """

        def notify(method: str, params: Result) -> None:
            if method == _CHANGED:
                on_change()
            self._tell(method, params)

        return Hooks(capabilities=self._capabilities, answer=self._ask, notify=notify)

    def connect(self, write: Callable[[bytes], None]) -> None:
        """Send further messages to this client."""
        self._write = write

    def declare(self, capabilities: Mapping[str, Any]) -> None:
        """Declare to the server what the client can do, before the connection to it begins."""
        self._capabilities.update({name: capabilities[name] for name in _PASSED_ON if name in capabilities})

    def take_answer(self, message: Message) -> bool:
        """Take a response of the client. Returns whether it answers a request of the server."""
        answer = self._answers.get(message.id) if isinstance(message.id, str) else None
        if answer is None or answer.done():
            return False
        answer.set_result(message)
        return True

    async def _ask(self, method: str, params: Result) -> Result:
        """The client's answer to a request of the server.

        Raises:
            ProtocolError: the client refuses it, or does not answer.
        """
        if self._write is None:
            raise ProtocolError(METHOD_NOT_FOUND, f"no client answers {method[:100]!r}")
        self._next += 1
        ident = f"remit-{self._next}"
        answer = self._answers[ident] = asyncio.get_running_loop().create_future()
        try:
            self._write(_redact(write_request(ident, method, params)))
            with Deadline(_ANSWER_SECONDS, lambda _error: TimeoutError()):
                message = await answer
        except TimeoutError as error:
            raise ProtocolError(INTERNAL_ERROR, "the client does not answer") from error
        finally:
            del self._answers[ident]
        if message.result is not UNSET:
            return read_object(message.result)
        raise read_refusal(Raw(b"{}") if message.error is UNSET else message.error)

    def _tell(self, method: str, params: Result) -> None:
        if self._write is not None:
            with suppress(RuntimeError):
                self._write(_redact(write_notification(method, params)))


def _redact(message: bytes) -> bytes:
    """A message without the values of secrets."""
    content = message.decode()
    return redact_secrets_in_content(content).encode() if contains_secret(content) else message
