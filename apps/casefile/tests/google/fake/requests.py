"""What the parts of the fake server share: requests, answers and refusals."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from apps.casefile.tests.google.fake.discovery import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request that fits its method: parameters by their types, and what was sent."""

    method: str
    params: Json
    body: Json = field(default_factory=dict[str, Any])
    media: bytes | None = None
    media_type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """Content as it is, in place of JSON."""

    content: bytes
    mime_type: str


Operation = Callable[[Request], "Json | Media"]


class GoogleResponseError(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, message: str, reason: str = "", *, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or {}
        self.body = {
            "error": {
                "code": status,
                "message": message,
                "errors": [{"domain": "global", "reason": reason or "invalid", "message": message}],
            }
        }

    def content(self) -> bytes:
        """The error, as Google writes it."""
        return json.dumps(self.body).encode()


def page(items: Sequence[Any], token: str | None, size: int) -> tuple[list[Any], str | None]:
    """The items from a token on, and the token of the page that follows, if there is more."""
    if token is not None and not token.startswith("page-"):
        raise GoogleResponseError(400, "Invalid pageToken")
    start = 0 if token is None else int(token.removeprefix("page-"))
    following = start + size
    return list(items[start:following]), f"page-{following}" if following < len(items) else None
