"""HTTP to Google over one authorized session: each request is sent once, and failures are Remit errors.

Only two retries happen here: a request rejected for its token, after renewing it; and, inside aiohttp, a GET or PUT
(never a POST) whose connection closed without a response. All other retries belong to the layers around a tool, which
know whether its effect permits them.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, Protocol, Self, TypeVar, cast
from urllib.parse import quote, urlencode, urlsplit

from pydantic import BaseModel, ValidationError

from remit.errors import CallError, InvalidArgumentsError, SetupError
from remit_casefile.google.errors import (
    GoogleRefusedError,
    GoogleTimeoutError,
    GoogleUnavailableError,
    UnexpectedResponseError,
    UnreachableError,
    error_from_response,
)
from remit_casefile.google.session import AccountSession, Credentials, CredentialsLoader, Response

Params = Mapping[str, str | int | bool | Sequence[str] | None]
M = TypeVar("M", bound=BaseModel)

MAX_RESPONSE_BYTES: Final = 32 * 2**20
"""The largest answer that is read, in bytes, where the caller names no other."""
_CHUNK_SIZE: Final = 64 * 2**10
_LOOPBACK_HOSTS: Final = ("127.0.0.1", "::1", "localhost")


def check_address(name: str, url: str) -> None:
    """Reject an address to which a token should not be sent.

    Raises:
        SetupError: it is neither https nor on this machine.
    """
    try:
        parts = urlsplit(url)
        safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK_HOSTS)
    except ValueError:
        parts, safe = urlsplit(""), False
    if not safe or not parts.hostname or url.endswith("/"):
        raise SetupError(f"{name}={url!r}: give https://HOST without a slash at its end")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosts:
    """The address of each API. Only https, to protect tokens; http is accepted on this machine."""

    gmail: str = "https://gmail.googleapis.com"
    drive: str = "https://www.googleapis.com"
    sheets: str = "https://sheets.googleapis.com"

    def __post_init__(self) -> None:
        for name, url in (("gmail", self.gmail), ("drive", self.drive), ("sheets", self.sheets)):
            check_address(name, url)

    @classmethod
    def all_at(cls, url: str) -> Hosts:
        """One address for all three: a proxy, or a test server."""
        return cls(gmail=url, drive=url, sheets=url)


class HttpResponse(NamedTuple):
    """A response read completely, with header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _RefreshError(Protocol):
    """The error of google-auth for credentials that could not be renewed."""

    @property
    def retryable(self) -> bool: ...


class Transport:
    """Sends requests as one Google account. Close it, or use it in ``async with``.

    Args:
        credentials: google-auth credentials, or a function that loads them on first use. They renew themselves.
        hosts: the addresses of the APIs.
        timeout: seconds for one request and its response.
        clock: returns the time, for a ``Retry-After`` with a date.
    """

    def __init__(
        self,
        credentials: Credentials | CredentialsLoader,
        *,
        hosts: Hosts | None = None,
        timeout: float = 20.0,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        if not timeout > 0:
            raise SetupError(f"timeout is {timeout!r} seconds; give a positive number")
        self.hosts = hosts or Hosts()
        self._account_session = AccountSession(credentials)
        self._timeout = timeout
        self._clock = clock

    async def call_json(
        self, method: str, url: str, model: type[M], *, params: Params | None = None, body: object = None
    ) -> M:
        """Send a request with JSON or no body, and parse the response as ``model``.

        Raises:
            CallError: see `send`; other statuses become errors by `error_from_response`.
        """
        headers = {} if body is None else {"content-type": "application/json"}
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        answer = await self.send_checked(method, add_query(url, params), body=data, headers=headers)
        return parse_response(answer, model, _request_label(method, url))

    async def send_checked(
        self,
        method: str,
        url: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str],
        max_bytes: int = MAX_RESPONSE_BYTES,
    ) -> HttpResponse:
        """Send a request, and raise for every status but success."""
        answer = await self.send(method, url, body=body, headers=headers, max_bytes=max_bytes)
        if not 200 <= answer.status < 300:
            raise self.error_for(method, url, answer)
        return answer

    def error_for(self, method: str, url: str, answer: HttpResponse) -> CallError:
        """The error for a response."""
        return error_from_response(
            _request_label(method, url), answer.status, answer.headers, answer.body, self._clock()
        )

    async def send(
        self,
        method: str,
        url: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str],
        max_bytes: int = MAX_RESPONSE_BYTES,
    ) -> HttpResponse:
        """Send a request once, and return any response.

        Raises:
            UnreachableError: no connection; nothing was sent.
            GoogleUnavailableError: the connection was cut: the request may have had its effect.
            GoogleTimeoutError: no response in time: the request may have had its effect.
            GoogleRefusedError: the credentials could not be renewed.
            InvalidArgumentsError: the response is larger than ``max_bytes`` bytes.
            MissingCapabilityError: there are no credentials.
        """
        import aiohttp  # noqa: PLC0415 - with google-auth it takes its time, and most processes never ask Google
        from google.auth import exceptions  # noqa: PLC0415 - as above

        what, limit = _request_label(method, url), self._timeout
        session = await self._account_session.session()
        try:
            response = await session.request(method, url, body, headers, limit, limit, 1, allow_redirects=False)
            try:
                text = await _read_body(response, max_bytes, what)
            finally:
                await response.close()
        except (exceptions.TimeoutError, TimeoutError) as error:
            raise GoogleTimeoutError(f"{what}: no answer from Google within {limit:g} s") from error
        except exceptions.RefreshError as error:
            raise _refresh_failure(what, error) from error
        except (exceptions.GoogleAuthError, aiohttp.ClientError, OSError) as error:
            if isinstance(error.__cause__, aiohttp.ClientConnectorError):
                raise UnreachableError(f"{what}: no connection to {urlsplit(url).netloc}; nothing was sent") from error
            raise GoogleUnavailableError(
                f"{what}: the connection to Google was cut before the answer was whole"
            ) from error
        headers = {name.lower(): value for name, value in response.headers.items()}
        return HttpResponse(response.status_code, headers, text)

    async def close(self) -> None:
        """Release the connections."""
        await self._account_session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class Page(Protocol):
    """One page of a list."""

    @property
    def next_page_token(self) -> str | None:
        """The token of the next page; None on the last."""
        ...


P = TypeVar("P", bound=Page)


async def iterate_pages(fetch: Callable[[str | None], Awaitable[P]]) -> AsyncIterator[P]:
    """All pages of a list: ``fetch`` gets the token of each, and None for the first.

    Raises:
        UnexpectedResponseError: a token was repeated, so the list would never end.
    """
    token: str | None = None
    seen: set[str] = set()
    while True:
        page = await fetch(token)
        yield page
        token = page.next_page_token
        if not token:
            return
        if token in seen:
            raise UnexpectedResponseError(f"Google gave the page token {token!r} twice; the list would never end")
        seen.add(token)


def quote_segment(name: str) -> str:
    """Quote a name as one path segment.

    Raises:
        InvalidArgumentsError: the name cannot be a path segment.
    """
    if name in ("", ".", ".."):
        raise InvalidArgumentsError(f"{name!r} names nothing")
    return quote(name, safe="")


def add_query(url: str, params: Params | None) -> str:
    """The URL with a query; None and empty lists are omitted."""
    values = {name: _query_value(value) for name, value in (params or {}).items() if value is not None}
    query = urlencode(values, doseq=True)
    return f"{url}?{query}" if query else url


def parse_response(answer: HttpResponse, model: type[M], request_label: str) -> M:
    """The response as a model.

    Raises:
        UnexpectedResponseError: it does not fit the model.
    """
    try:
        return model.model_validate_json(_whole_text(answer.body))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UnexpectedResponseError(
            f"{request_label}: Google's answer is not a {model.__name__}: {where} {first['msg']}"
        ) from error


def _whole_text(body: bytes) -> bytes:
    """JSON in which a half of a sign, which some texts of strangers end with, is replaced; else it cannot be read."""
    if _HALF.search(body) is None:
        return body
    try:
        text = json.dumps(json.loads(body), ensure_ascii=False)
    except (ValueError, RecursionError):
        return body
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")
"""An escaped half of a sign; two make one."""


def _query_value(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _request_label(method: str, url: str) -> str:
    return f"{method} {urlsplit(url).path}"


def _refresh_failure(request_label: str, error: Exception) -> UnreachableError | GoogleRefusedError:
    if cast("_RefreshError", error).retryable:
        return UnreachableError(f"{request_label}: the credentials could not be renewed at present; nothing was sent")
    return GoogleRefusedError(f"{request_label}: the credentials could not be renewed; sign in again")


async def _read_body(response: Response, max_bytes: int, request_label: str) -> bytes:
    chunks = list[bytes]()
    size = 0
    async for chunk in response.content(_CHUNK_SIZE):
        size += len(chunk)
        if size > max_bytes:
            raise InvalidArgumentsError(
                f"{request_label}: the answer is larger than {max_bytes} bytes; allow more, or ask for less"
            )
        chunks.append(chunk)
    return b"".join(chunks)
