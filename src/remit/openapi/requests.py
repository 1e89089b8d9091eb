"""The request of a call, and what its reply means."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast
from urllib.parse import quote

from msgspec import Struct

from remit.errors import ExternalError, LostAnswerError, RateLimitedError, ToolFailed
from remit.http.guarded import HttpReply
from remit.openapi.operations import BODY, Operation
from remit.openapi.parameters import write_form
from remit.openapi.security import Sent

_MOST_ERROR: Final = 2_000
_JSON_TYPES: Final = ("application/json", "+json")
_TRY_AGAIN: Final = frozenset({408, 425, 429})
"""Statuses of requests that were not carried out, and may be sent again."""


class Request(Struct, frozen=True, kw_only=True):
    """A request without its credentials: what is approved, shown and sent."""

    method: str
    url: str
    headers: dict[str, str]
    cookies: list[str]
    body: bytes | None = None

    def with_credentials(self, sent: Sent) -> Request:
        """The request with credentials, which replace what the arguments gave in their place."""
        url = self.url
        if sent.query:
            names = {name for name, _ in sent.query}
            base, _, query = url.partition("?")
            kept = [pair for pair in query.split("&") if pair and pair.partition("=")[0] not in names]
            url = f"{base}?{'&'.join([*kept, *(f'{name}={value}' for name, value in sent.query)])}"
        headers = {**self.headers, **sent.headers}
        if cookies := [*self.cookies, *sent.cookies]:
            headers["cookie"] = "; ".join(cookies)
        return Request(method=self.method, url=url, headers=headers, cookies=[], body=self.body)


def make_request(operation: Operation, server: str, arguments: Mapping[str, Any]) -> Request:
    """The request of a call with these arguments, which were checked against the operation's schema.

    Raises:
        InvalidArgumentsError: an argument cannot be sent where it belongs.
    """
    path, query = operation.path, list[tuple[str, str]]()
    headers, cookies = {"accept": "application/json, text/plain;q=0.9, */*;q=0.5"}, list[str]()
    for each in operation.parameters:
        if each.name not in arguments:
            continue
        value: object = arguments[each.name]
        if each.place == "path":
            path = path.replace(f"{{{each.name}}}", each.write_path(value))
        elif each.place == "query":
            query += each.write_query(value)
        elif each.place == "header" and value is not None:
            headers[each.name.lower()] = each.write_header(value)
        elif value is not None:
            cookies.append(f"{quote(each.name, safe='')}={quote(each.write_header(value), safe='')}")
    body = _write_body(operation, arguments)
    if body is not None:
        headers["content-type"] = operation.media_type
    url = server.rstrip("/") + path
    if query:
        url += ("&" if "?" in path else "?") + "&".join(f"{name}={value}" for name, value in query)
    return Request(method=operation.method, url=url, headers=headers, cookies=cookies, body=body)


def read_reply(operation: Operation, reply: HttpReply) -> Any:
    """The result of a call: JSON as a value, other text as text.

    Raises:
        ToolFailed: the server refuses the request (4xx). RateLimitedError: it wants the request later.
        ExternalError: the server failed before it did anything. LostAnswerError: it failed (5xx), perhaps after it did.
    """
    if reply.status in _TRY_AGAIN:
        error = RateLimitedError if reply.status == 429 else ExternalError
        raise error(f"{operation.name}: the server answers {reply.status}: {_tell(reply)}")
    if reply.status >= 500:
        raise LostAnswerError(f"{operation.name}: the server failed with {reply.status}: {_tell(reply)}")
    if reply.status >= 400:
        raise ToolFailed(f"the server answers {reply.status}: {_tell(reply)}")
    if reply.status >= 300:
        return f"{reply.status}: {reply.headers.get('location', '')[:_MOST_ERROR]}"
    if not reply.body:
        return f"done ({reply.status})"
    try:
        text = reply.text
    except ExternalError:
        return f"a file of {len(reply.body):,} bytes ({reply.media_type or 'of an unknown type'})"
    if reply.is_cut:
        return f"{text}\n(cut: the answer is longer)"
    return _read_json(text) if reply.media_type.endswith(_JSON_TYPES) else text


def _write_body(operation: Operation, arguments: Mapping[str, Any]) -> bytes | None:
    if not operation.media_type:
        return None
    if operation.body is None:
        if BODY not in arguments:
            return None
        content: object = arguments[BODY]
    else:
        content = {name: arguments[name] for name in operation.body if name in arguments}
    if operation.media_type == "text/plain":
        return str(content).encode()
    if operation.media_type.startswith("application/x-www-form-urlencoded"):
        return write_form(cast("dict[str, Any]", content) if isinstance(content, dict) else {BODY: content})
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def _read_json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return text


def _tell(reply: HttpReply) -> str:
    """What the server says of an error, cut."""
    try:
        text = " ".join(reply.text.split())
    except ExternalError:
        return "(no text)"
    return text if len(text) <= _MOST_ERROR else f"{text[:_MOST_ERROR]}…"
