"""What a browser has already of a response, and whether it takes the response packed (RFC 9110, 12.5.3 and 13.1.2)."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

RequestHeaders: TypeAlias = Iterable[tuple[bytes, bytes]]

_PACKED_TYPES: Final = ("text/", "application/json", "application/xml", "application/atom+xml", "application/feed+json")
_LEAST_LENGTH: Final = 1000
"""Shorter responses fit into one packet as they are."""
_LEVEL: Final = 6
_REFUSED: Final = re.compile(r"q\s*=\s*0(?:\.0*)?", re.IGNORECASE)


def is_current(etag: str, headers: RequestHeaders) -> bool:
    """Whether the sender of a request has the response with this tag."""
    known = {each.removeprefix("W/") for each in _values(headers, b"if-none-match")}
    return not {"*", etag.removeprefix("W/")}.isdisjoint(known)


def accepts_gzip(headers: RequestHeaders) -> bool:
    """Whether the sender of a request takes responses packed."""
    given = {coding.strip().lower(): parameters for coding, _, parameters in _codings(headers)}
    parameters = given.get("gzip", given.get("x-gzip", given.get("*")))
    return parameters is not None and _REFUSED.fullmatch(parameters.strip()) is None


def is_worth_packing(body: bytes, content_type: str) -> bool:
    """Whether a response is much shorter when it is packed: pictures are packed already."""
    return len(body) >= _LEAST_LENGTH and content_type.startswith(_PACKED_TYPES)


def pack(body: bytes) -> bytes:
    """The packed body, which is the same for the same one."""
    return gzip.compress(body, _LEVEL, mtime=0)


def _codings(headers: RequestHeaders) -> Iterator[tuple[str, str, str]]:
    yield from (each.partition(";") for each in _values(headers, b"accept-encoding"))


def _values(headers: RequestHeaders, name: bytes) -> list[str]:
    given = ",".join(value.decode("latin-1") for key, value in headers if key == name)
    return [each.strip() for each in given.split(",")]
