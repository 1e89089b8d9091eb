"""Errors of connections, name servers and time limits pass; others would come again."""

from __future__ import annotations

import errno
import http.client
import socket
import ssl
from typing import cast
from urllib.error import HTTPError, URLError

import aiohttp
import httpx2
import pytest
import requests
import urllib3.exceptions
from urllib3.connection import HTTPConnection

from remit.call.transient import is_transient

_REFUSED = urllib3.exceptions.NewConnectionError(HTTPConnection("example.org"), "refused")
_POOL = urllib3.HTTPConnectionPool("example.org")


def error_of(module: str, *names: str) -> Exception:
    """An error of a library that is not installed here, its class derived from the other ``names`` in order."""
    kind: type[Exception] = Exception
    for name in names:
        kind = cast("type[Exception]", type(name, (kind,), {"__module__": module}))
    return kind("down")


@pytest.mark.parametrize(
    "error",
    [
        ConnectionResetError("reset"),
        BrokenPipeError("gone"),
        TimeoutError("late"),
        socket.gaierror(socket.EAI_AGAIN, "try again"),
        OSError(errno.ENETUNREACH, "no way"),
        URLError(ConnectionRefusedError("refused")),
        httpx2.ConnectError("refused"),
        httpx2.ReadTimeout("late"),
        httpx2.RemoteProtocolError("cut"),
        error_of("httpx", "TransportError", "NetworkError", "ConnectError"),
        error_of("httpcore", "TimeoutException", "PoolTimeout"),
        requests.ConnectTimeout("late"),
        requests.exceptions.ChunkedEncodingError("cut"),
        aiohttp.ServerDisconnectedError(),
        aiohttp.ClientPayloadError("cut"),
        _REFUSED,
        urllib3.exceptions.ReadTimeoutError(_POOL, "/", "late"),
        urllib3.exceptions.MaxRetryError(_POOL, "/", _REFUSED),
        http.client.IncompleteRead(b"half", 7),
        http.client.RemoteDisconnected("gone"),
        http.client.BadStatusLine("?"),
        ssl.SSLEOFError(8, "unexpected end"),
        ssl.SSLError("bad record"),
        ExceptionGroup("two", [ConnectionResetError("reset"), ExceptionGroup("one", [TimeoutError("late")])]),
    ],
    ids=repr,
)
def test_an_error_of_the_connection_is_transient(error: Exception) -> None:
    assert is_transient(error)


@pytest.mark.parametrize(
    "error",
    [
        ValueError("bad"),
        FileNotFoundError(errno.ENOENT, "no file"),
        HTTPError("http://example.org", 404, "not found", None, None),  # type: ignore[arg-type]
        URLError("unknown url type"),
        httpx2.UnsupportedProtocol("no scheme"),
        httpx2.HTTPStatusError("404", request=httpx2.Request("GET", "http://x"), response=httpx2.Response(404)),
        requests.exceptions.MissingSchema("no scheme"),
        aiohttp.InvalidURL("x"),
        urllib3.exceptions.MaxRetryError(_POOL, "/", urllib3.exceptions.ResponseError("too many redirects")),
        error_of("mine", "ConnectionError"),
        ssl.SSLCertVerificationError("self-signed"),
        ExceptionGroup("two", [ConnectionResetError("reset"), ValueError("bad")]),
    ],
    ids=repr,
)
def test_an_error_that_would_come_again_is_not_transient(error: Exception) -> None:
    assert not is_transient(error)
