"""Which scripts of other sites may read the API: the headers of CORS (Fetch Standard, 3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from remit.errors import SetupError
from remit_cms.site.http_caching import RequestHeaders

_ANY_ORIGIN: Final = "*"
_PREFLIGHT: Final = {
    "access-control-allow-methods": "GET, HEAD",
    "access-control-allow-headers": "if-none-match",
    "access-control-max-age": "86400",
}


@dataclass(frozen=True, slots=True)
class Cors:
    """The origins whose scripts may read the API, such as ``https://app.example``; ``*`` stands for all.

    Raises:
        SetupError: one of them is no origin.
    """

    origins: Sequence[str] = ()

    def __post_init__(self) -> None:
        for origin in self.origins:
            if origin != _ANY_ORIGIN and not _is_origin(origin):
                raise SetupError(f"{origin!r} is no origin; give one such as https://app.example, or '*' for all")

    def headers_for(self, request: RequestHeaders) -> dict[str, str]:
        """The headers of a response to a request, by which a browser lets scripts read it."""
        if not self.origins:
            return {}
        shared = {"access-control-expose-headers": "etag"}
        if _ANY_ORIGIN in self.origins:
            return {**shared, "access-control-allow-origin": _ANY_ORIGIN}
        allowed = next((origin for origin in _origins_in(request) if origin in self.origins), None)
        return (
            {"vary": "origin"}
            if allowed is None
            else {**shared, "access-control-allow-origin": allowed, "vary": "origin"}
        )

    def preflight_for(self, request: RequestHeaders) -> dict[str, str]:
        """The headers of a response to the question of a browser whether it may send a request."""
        headers = self.headers_for(request)
        return {**headers, **_PREFLIGHT} if "access-control-allow-origin" in headers else headers


def _origins_in(request: RequestHeaders) -> Iterator[str]:
    yield from (value.decode("latin-1") for name, value in request if name == b"origin")


def _is_origin(text: str) -> bool:
    try:
        parts = urlsplit(text)
        is_whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        return False
    return bool(is_whole) and text == f"{parts.scheme}://{parts.netloc}" and "@" not in text and text == text.lower()
