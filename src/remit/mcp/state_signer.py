"""Signs what the server gives to a client to be given back, so that no process needs to remember it."""

from __future__ import annotations

import hmac
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from remit.client.client import Client

S = TypeVar("S", bound=Struct)

KEY_BYTES: Final = 32
_MOST_CHARS: Final = 20_000


class ForeignStateError(Exception):
    """A text was not signed here, was changed, is too old, or was signed for something else."""


class StateSigner:
    """Signs values of one kind for a time, and reads them. All processes with the same key read them.

    The values are not secret: the client may read them, but it can neither make nor change them.
    """

    def __init__(self, key: bytes, kind: str, seconds: float, clock: Callable[[], float] = time.time) -> None:
        self._key = hmac.digest(key, f"mcp {kind}".encode(), sha256)
        self._seconds, self._clock = seconds, clock

    def sign(self, value: Struct) -> str:
        """The value as a text of printable ASCII characters, without spaces."""
        content = _to_text(msgspec.json.encode((self._clock() + self._seconds, value)))
        return f"{content}.{self._signature_of(content)}"

    def read(self, text: str, kind: type[S]) -> S:
        """The value that `sign` has written.

        Raises:
            ForeignStateError: it has not.
        """
        content, _, signature = text.rpartition(".")
        if len(text) > _MOST_CHARS or not text.isascii():
            raise ForeignStateError
        if not hmac.compare_digest(signature, self._signature_of(content)):
            raise ForeignStateError
        try:
            until, value = msgspec.json.decode(urlsafe_b64decode(f"{content}=="), type=tuple[float, kind])
        except msgspec.DecodeError as error:  # another version of Remit has signed it
            raise ForeignStateError from error
        if until < self._clock():
            raise ForeignStateError
        return value

    def _signature_of(self, content: str) -> str:
        return _to_text(hmac.digest(self._key, content.encode(), sha256))


def owner_of(client: Client) -> tuple[str, str]:
    """Whose state it is: the tenant and the name of the principal."""
    return client.principal.tenant, client.principal.name


def _to_text(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")
