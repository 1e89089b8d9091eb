"""Content on its way: in one request, or in pieces."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from email.message import EmailMessage

from apps.casefile.tests.google.fake.discovery import Json, Route
from apps.casefile.tests.google.fake.requests import GoogleResponseError

_SPAN = re.compile(r"bytes (?:(\d+)-(\d+)|\*)/(\d+)")


@dataclass(slots=True)
class Session:
    """An upload in pieces. ``answer`` is what it came to, once all has arrived."""

    route: Route
    params: Json
    metadata: Json
    mime_type: str
    received: bytes = b""
    answer: bytes | None = None

    def take(self, span: str, piece: bytes, keep: int | None) -> bool:
        """Take a piece, or with ``keep`` only so much of it; whether everything is there now."""
        found = _SPAN.fullmatch(span)
        if found is None:
            raise GoogleResponseError(400, f"Invalid Content-Range: {span}")
        if found[1] is not None:
            start, there = int(found[1]), len(self.received)
            if start > there or int(found[2]) - start + 1 != len(piece):
                raise GoogleResponseError(400, f"Invalid Content-Range: {span} after {there} bytes")
            self.received += piece[there - start : keep]  # what is there already is ignored, as Google does
        return len(self.received) == int(found[3])

    @property
    def range(self) -> dict[str, str]:
        """What has arrived, as a header says it."""
        return {"range": f"bytes=0-{len(self.received) - 1}"} if self.received else {}


def related(content_type: str, body: bytes) -> tuple[Json, bytes, str]:
    """Metadata, content and its type out of one body of two parts."""
    header = EmailMessage()
    header["Content-Type"] = content_type
    boundary = header.get_boundary()
    if boundary is None:
        raise GoogleResponseError(400, "Missing multipart boundary")
    parts = body.split(b"--" + boundary.encode())
    if len(parts) != 4 or parts[3].strip() != b"--":
        raise GoogleResponseError(400, "Malformed multipart body")
    (_, said), (kind, content) = _part(parts[1]), _part(parts[2])
    return json.loads(said), content, kind


def _part(text: bytes) -> tuple[str, bytes]:
    """The type of a part and its content; lines end as the client ends them."""
    newline = b"\r\n" if text.startswith(b"\r\n") else b"\n"
    head, _, content = text.removeprefix(newline).partition(newline * 2)
    kind = re.search(rb"content-type:\s*(\S+)", head, re.IGNORECASE)
    return (kind[1].decode() if kind else ""), content.removesuffix(newline)
