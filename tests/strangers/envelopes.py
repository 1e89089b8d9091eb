"""Envelopes of requests and responses as other programs fill them, and what becomes of each."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from math import inf, nan
from typing import Any, Final
from uuid import UUID

from tests.strangers.texts import STRANGE_TEXTS

TEXTS: Final = (
    *STRANGE_TEXTS,
    "",
    "5",
    "007",
    "1e5",
    "-0",
    "true",
    "null",
    "NaN",
    "Infinity",
    '"quoted"',
    '{"a": 1}',
    "[1, 2]",
    '{"status":"PENDING","request_id":"x","payload":null}',
    '{"success": false, "error": "x"}',
    " 5 ",
    "a\r\nb\u2028c\x85d",
    "\ufeffa\x1bb\x7f",
)
"""Texts that a tool takes and returns: none of them is a number, an object or nothing."""

VALUES: Final[tuple[Any, ...]] = (
    *TEXTS,
    None,
    True,
    0,
    1.0,
    -0.0,
    1e22,
    5e-324,
    2**53 + 1,
    2**63 - 1,
    [],
    {},
    [[], [None], {"": ""}],
    {"a b": 1, "ü": 2, "__proto__": 3, "1": 4, "\u2028": 5, "error": "x", "errorCode": "Y"},
    {"status": "PENDING", "request_id": "x", "payload": None},
)
"""Values of JSON, as parameters, results, payloads and metadata."""


def _deep(levels: int) -> list[Any]:
    """Lists within lists."""
    found: list[Any] = []
    for _ in range(levels):
        found = [found]
    return found


_ID: Final = "0f0e0d0c-0b0a-4908-8706-050403020100"

ENVELOPES: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "an id": ({"request_id": _ID}, ""),
    "an id in capitals": ({"request_id": _ID.upper()}, ""),
    "an id without hyphens": ({"request_id": UUID(_ID).hex}, "request_id"),
    "an id in braces": ({"request_id": f"{{{_ID}}}"}, "request_id"),
    "an id as a name": ({"request_id": f"urn:uuid:{_ID}"}, "request_id"),
    "an id that is a number": ({"request_id": 5}, "request_id"),
    "an id that is none": ({"request_id": "abc"}, "request_id"),
    "an id that is null": ({"request_id": None}, "request_id"),
    "a user with spaces around": ({"user_id": " ada\n"}, ""),
    "a user in wide letters": ({"user_id": "\uff41\uff44\uff41"}, ""),
    "a user in capitals": ({"user_id": "ADA"}, "'ADA'"),
    "a user in letters that look alike": ({"user_id": "\u0430da"}, "user"),
    "a user with a letter that no one sees": ({"user_id": "ada\u200b"}, "U+200B"),
    "a user that is empty": ({"user_id": ""}, "user"),
    "a user that is null": ({"user_id": None}, "user_id"),
    "a user that is a number": ({"user_id": 5}, "user_id"),
    "no session": ({"session_id": None}, ""),
    "an empty session": ({"session_id": ""}, ""),
    "a session with a line break": ({"session_id": "a\nb"}, "U+000A"),
    "a session that runs backwards": ({"session_id": "a\u202eb"}, "U+202E"),
    "a session in another form": ({"session_id": "e\u0301"}, "NFC"),
    "a session with NUL": ({"session_id": "a\x00"}, "NUL"),
    "a long session": ({"session_id": "x" * 1001}, "1,000"),
    "a session that is a number": ({"session_id": 5}, "session_id"),
    "an operation with a space": ({"operation": "keep_value "}, "operation"),
    "an operation in capitals": ({"operation": "KEEP_VALUE"}, "operation"),
    "an operation that is a number": ({"operation": 5}, "operation"),
    "an operation that is null": ({"operation": None}, "operation"),
    "an operation that is a list": ({"operation": ["keep_value"]}, "operation"),
    "an operation that is an object": ({"operation": {"name": "keep_value"}}, "operation"),
    "an empty operation": ({"operation": ""}, "operation"),
    "a payload that is null": ({"payload": None}, "payload"),
    "a payload as a text": ({"payload": '{"value": 1}'}, "payload"),
    "a payload in a list": ({"payload": [{"value": 1}]}, "payload"),
    "an empty payload": ({"payload": {}}, "payload"),
    "a payload in other letters": ({"payload": {"Value": 1}}, "payload"),
    "a field of another spelling": ({"requestId": _ID}, "requestId"),
    "a field in lines": ({"a\nb": 1}, "a"),
    "metadata that is null": ({"metadata": None}, "metadata"),
    "metadata that is a text": ({"metadata": "x"}, "metadata"),
    "metadata that is a list": ({"metadata": [["a", 1]]}, "metadata"),
    "metadata of very many letters": ({"metadata": {"a": "x" * 5000}}, "metadata"),
    "metadata that is no number": ({"metadata": {"a": nan}}, "NaN"),
    "a payload that is no number": ({"payload": {"value": inf}}, "Infinity"),
    "a number of more bits": ({"payload": {"value": 2**64}}, "65 bits"),
    "half a character": ({"payload": {"value": "a\ud800"}}, "surrogates"),
    "a payload that is nested too deeply": ({"payload": {"value": _deep(5000)}}, "recursion"),
}
"""Fields of a request, and what is named of one that fails; nothing if it is answered."""

TOOLS: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "a name with a space": ({"tool_name": "say "}, "'say '"),
    "a name in capitals": ({"tool_name": "SAY"}, "'SAY'"),
    "a name in lines": ({"tool_name": "say\nx"}, "say"),
    "a name that no one sees": ({"tool_name": "\u200b"}, "tool"),
    "an empty name": ({"tool_name": ""}, "tool_name"),
    "a long name": ({"tool_name": "x" * 65}, "tool_name"),
    "a name that is null": ({"tool_name": None}, "tool_name"),
    "parameters that are null": ({"parameters": None}, "parameters"),
    "parameters as a text": ({"parameters": '{"text": "a"}'}, "parameters"),
    "parameters in a list": ({"parameters": [{"text": "a"}]}, "parameters"),
    "no parameters": ({"parameters": {}}, "text"),
    "a parameter of another kind": ({"parameters": {"text": 5}}, "text"),
    "a parameter that is null": ({"parameters": {"text": None}}, "text"),
    "a parameter too many": ({"parameters": {"text": "a", "": 1}}, "no such parameter"),
    "how it is to run": ({"auto_approve": True}, "auto_approve"),
}
"""Fields of a request for a tool, and what is named of each."""

DETAILS: Final[dict[str, dict[str, object]]] = {
    "words": {"words": "May", "ü\u2028": [1, None, {"a": 2**70}]},
    "words of replies": {
        "words": "",
        "error": "x",
        "errorCode": "Y",
        "success": True,
        "cancelled": True,
        "reason": "z",
    },
    "a time": {"at": datetime(2026, 1, 1, tzinfo=UTC)},
    "an amount": {"amount": Decimal("0.10")},
    "an id": {"id": UUID(_ID)},
    "a set": {"names": {"a"}},
    "bytes": {"raw": b"\xff"},
    "no number": {"x": nan},
    "half a character": {"x": "a\ud800b"},
    "a key that is a number": {"x": {5: 1}},
    "an object": {"x": object()},
}
"""Details of errors, which a response must be able to say, or leave out."""

MESSAGES: Final = (*TEXTS, "a\ud800b", "x" * 100_000)
"""Messages of errors."""
