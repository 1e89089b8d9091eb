"""Answers of model endpoints over HTTP, read within a limit because an endpoint can send any amount."""

from __future__ import annotations

import os
import ssl
from functools import cache
from typing import Any, Final, Protocol

import httpx2
import openai

from remit.errors import CompletionError, ModelError
from remit.record.current_run import CURRENT_RUN

_MAX_ERROR_BYTES: Final = 64 << 10
"""How much of an error response is read; the rest is dropped."""
_EVENT_STREAM: Final = "text/event-stream"
_REPLACED: Final = (b"content-length", b"transfer-encoding", b"content-type")


class BoundedHttp(openai.DefaultAsyncHttpxClient):
    """A client of model endpoints whose answers are bounded; see `read_answer`.

    It follows no redirects, which would send the conversation and headers with secrets to another host.
    """

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """Send a request, and read its answer unless it is a stream of events that the caller asked for."""
        ask_uncompressed(request)
        options["follow_redirects"] = False
        return await read_answer(await super().send(request, stream=True, **options), stream=stream)


def trusted_certificates(*, trust_env: bool) -> ssl.SSLContext:
    """The trusted certificates, read once for all clients because reading them takes longer than a request.

    ``trust_env``: use the certificates of ``SSL_CERT_FILE`` or ``SSL_CERT_DIR`` if one is set.
    """
    places = (os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")) if trust_env else ()
    return _read_certificates(trust_env, *places)


@cache
def _read_certificates(trust_env: bool, *_places: str | None) -> ssl.SSLContext:  # noqa: FBT001 - a part of the key
    return httpx2.create_ssl_context(trust_env=trust_env)


def ask_uncompressed(request: httpx2.Request) -> None:
    """Request an uncompressed answer, because a small compressed one can expand to any size."""
    request.headers["accept-encoding"] = "identity"


async def read_answer(response: httpx2.Response, *, stream: bool) -> httpx2.Response:
    """The response with its body, of at most twice the ``reply_bytes`` of `Limits`; a stream of events unchanged.

    Raises:
        ModelError: the body is longer. CompletionError: it is compressed.
    """
    if stream and response.is_success and is_event_stream(response) and not _is_compressed(response):
        return response
    try:
        body = await _read_body(response)
    finally:
        await response.aclose()
    kept = [pair for pair in response.headers.raw if pair[0].lower() not in _REPLACED]
    if (kind := response.headers.get("content-type")) is not None:
        kept.append((b"content-type", kind.partition(";")[0].encode()))  # the charset may not be a text encoding
    return httpx2.Response(
        response.status_code, headers=kept, content=body, request=response.request, history=response.history
    )


async def _read_body(response: httpx2.Response) -> bytes:
    if _is_compressed(response):
        raise CompletionError("the model's answer is compressed, although no compression was requested")
    limit = 2 * CURRENT_RUN.get().limits.reply_bytes if response.is_success else _MAX_ERROR_BYTES
    parts, size = list[bytes](), 0
    async for part in response.aiter_raw():
        parts.append(part)
        size += len(part)
        if size > limit and response.is_success:
            raise ModelError(f"the model's answer is longer than {limit:,} bytes; it is not read further")
        if size > limit:
            break
    return b"".join(parts)[:limit]


def _is_compressed(response: httpx2.Response) -> bool:
    return response.headers.get("content-encoding", "identity").lower() != "identity"


def is_event_stream(response: _HasHeaders) -> bool:
    """Whether a response is a stream of events."""
    return response.headers.get("content-type", "").lower().startswith(_EVENT_STREAM)


class _HasHeaders(Protocol):
    @property
    def headers(self) -> httpx2.Headers: ...
