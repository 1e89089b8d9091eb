"""Messages from a server, read leniently: what it sends beside the protocol is left out, not fatal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, cast

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from remit.mcp.wire import INTERNAL_ERROR, Ident, ProtocolError, Result, cut

_SEARCHED: Final = 4096
_ID: Final = re.compile(rb'"id"\s*:\s*"?([0-9]{1,15})"?\s*[,}]')
_UNREADABLE: Final = b'{"message":"its answer cannot be read"}'


class Incoming(Struct, kw_only=True):
    """A request, a notification or a response of a server."""

    id: Ident | float | None = None
    method: str | None = None
    params: Raw = Raw(b"{}")
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET

    @property
    def has_error(self) -> bool:
        """Whether it says that a request failed."""
        return self.error is not UNSET and bytes(self.error) != b"null"


class _Refusal(Struct, kw_only=True):
    code: int | float = INTERNAL_ERROR
    message: str = ""
    data: Any = None


def read_incoming(content: bytes) -> Iterator[Incoming]:
    """The messages in what arrived: one, or some in a list, as old servers send them.

    Anything else is left out. If it has the id of a request, that one has failed.
    """
    try:
        if content.lstrip()[:1] == b"[":
            parts = msgspec.json.decode(content, type=list[Raw])
            yield from (each for part in parts for each in read_incoming(bytes(part)))
        else:
            yield msgspec.json.decode(content, type=Incoming)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        if (ident := find_id(content[:_SEARCHED], content[-_SEARCHED:])) is not None:
            yield Incoming(id=ident, error=Raw(_UNREADABLE))


def find_id(beginning: bytes, end: bytes) -> int | None:
    """The id of a message that cannot be read, if it stands at its beginning or at its end."""
    found = _ID.search(beginning) or next(reversed([*_ID.finditer(end)]), None)
    return None if found is None else int(found[1])


def read_object(raw: Raw) -> Result:
    """A result or parameters, which must be an object.

    Raises:
        ProtocolError: it is something else.
    """
    try:
        return msgspec.json.decode(raw, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProtocolError(INTERNAL_ERROR, f"the server sent no object: {cut(str(error))}") from error


def read_refusal(raw: Raw) -> ProtocolError:
    """The error of a response."""
    try:
        told = msgspec.json.decode(raw, type=_Refusal)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ProtocolError(INTERNAL_ERROR, "the server sent an error that cannot be read")
    message = cut(told.message) or f"the server sent error {int(told.code)} without a message"
    return ProtocolError(int(told.code), message, told.data)


def as_object(value: object) -> dict[str, Any]:
    """A part of a message that should be an object; an empty one if it is something else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """A part of a message that should be a list; an empty one if it is something else."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def as_text(value: object) -> str:
    """A part of a message that should be text; empty if it is something else."""
    return value if isinstance(value, str) else ""
