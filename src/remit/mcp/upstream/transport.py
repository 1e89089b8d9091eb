"""What a connection needs of a transport: to send messages, and to be told of each that arrives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec import Struct

Take = Callable[[bytes], None]
"""Takes one message that arrived."""

Lose = Callable[[str], None]
"""Is told why no more messages can arrive."""


class Outgoing(Struct, frozen=True, kw_only=True):
    """A message to a server.

    ``method``, ``name`` and ``headers`` are what the headers of HTTP repeat. ``has_answer`` is whether an answer is
    expected, and ``is_settled`` whether it has arrived.
    """

    content: bytes
    method: str = ""
    name: str = ""
    headers: Mapping[str, str] = {}
    has_answer: bool = False
    is_settled: Callable[[], bool] = lambda: False


class Transport(Protocol):
    """Carries messages to one server and back. It is opened once."""

    @property
    def address(self) -> str:
        """The command or the address of the server, without anything secret."""
        ...

    @property
    def cancels_by_closing(self) -> bool:
        """Whether a request that is cancelled is told so by the end of its own exchange."""
        ...

    async def open(self, take: Take, lose: Lose) -> None:
        """Begin to receive messages.

        Raises:
            OSError: the server cannot be reached.
        """
        ...

    def begin_session(self, revision: str) -> None:
        """Send the revision of the protocol with each further message."""
        ...

    async def send(self, message: Outgoing) -> None:
        """Send a message. A transport whose answers belong to an exchange returns once this message is settled.

        Raises:
            ExternalError: nothing was sent.
            LostAnswerError: it was sent, and its answer cannot arrive.
        """
        ...

    async def close(self) -> None:
        """End the connection, and the process behind it."""
        ...
