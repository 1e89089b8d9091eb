"""Messages of MCP: JSON-RPC 2.0, one message at a time, and the errors of the protocol."""

from __future__ import annotations

from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from remit.chat.encoded_json import encode_json
from remit.schemas.jsontext import decode_strictly

P = TypeVar("P", bound=Struct)

Ident = int | str
"""The id of a request."""

Result = dict[str, Any]
"""The result of a request, as JSON."""

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
HEADER_MISMATCH: Final = -32020
MISSING_CAPABILITY: Final = -32021
UNSUPPORTED_REVISION: Final = -32022

MOST_BYTES: Final = 4_000_000
"""The largest message that a transport without a limit of its own takes."""

_MOST_CHARS: Final = 400


class ProtocolError(Exception):
    """A request that is not answered by a result. ``code`` is one of JSON-RPC or of MCP."""

    def __init__(self, code: int, message: str, data: object = UNSET) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class Message(Struct, kw_only=True):
    """A request, a notification (without an id), or a response (without a method)."""

    jsonrpc: str
    id: Ident | UnsetType = UNSET
    method: str | UnsetType = UNSET
    params: Raw = Raw(b"{}")
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET

    @property
    def is_response(self) -> bool:
        """Whether it answers a request of the server."""
        return self.method is UNSET


def read_message(content: bytes) -> Message:
    """Read one message.

    Raises:
        ProtocolError: it is not JSON, or not a message.
    """
    try:
        message = decode_strictly(content, Message)
    except msgspec.ValidationError as error:
        raise ProtocolError(INVALID_REQUEST, f"this is not one message of JSON-RPC: {cut(str(error))}") from error
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise ProtocolError(PARSE_ERROR, f"this is not JSON: {cut(str(error))}") from error
    if message.jsonrpc != "2.0" or (message.is_response and message.id is UNSET):
        raise ProtocolError(INVALID_REQUEST, "this is not a message of JSON-RPC 2.0")
    return message


def read_params(params: Raw, kind: type[P]) -> P:
    """Read the parameters of a request.

    Raises:
        ProtocolError: they are of another form.
    """
    try:
        return msgspec.json.decode(params, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ProtocolError(INVALID_PARAMS, f"the parameters are not valid: {cut(str(error))}") from error


def write_result(ident: Ident, result: Result) -> bytes:
    """The response with a result."""
    return encode_json({"jsonrpc": "2.0", "id": ident, "result": result})


def write_error(ident: Ident | None, error: ProtocolError) -> bytes:
    """The response with an error. ``ident`` is None if the id could not be read."""
    told: Result = {"code": error.code, "message": error.message}
    if error.data is not UNSET:
        told["data"] = error.data
    return encode_json({"jsonrpc": "2.0", "id": ident, "error": told})


def write_request(ident: Ident, method: str, params: Result) -> bytes:
    """A request of the server to the client, which revisions with sessions have."""
    return encode_json({"jsonrpc": "2.0", "id": ident, "method": method, "params": params})


def write_notification(method: str, params: Result) -> bytes:
    """A notification to the client."""
    return encode_json({"jsonrpc": "2.0", "method": method, "params": params})


def cut(problem: str) -> str:
    """What is wrong, without most of a long value that it quotes."""
    return problem if len(problem) <= _MOST_CHARS else f"{problem[: _MOST_CHARS // 2]}…{problem[-_MOST_CHARS // 2 :]}"
