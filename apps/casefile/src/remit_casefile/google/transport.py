"""HTTP to Google over one authorized session: each request is made once, and fails in Remit's words.

Nothing is tried again here but a request that was refused for its token, after that was renewed, and by aiohttp a GET
or PUT, never a POST, whose connection ended without a word. Another try of anything else is the business of the layers
around a tool, which know whether its effect allows one.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, Protocol, Self, TypeVar, cast
from urllib.parse import quote, urlencode, urlsplit

from pydantic import BaseModel, ValidationError

from remit.errors import CallError, DeadlineError, DeniedError, ExternalError, InvalidArgumentsError, SetupError
from remit_casefile.google.errors import UnexpectedResponseError, UnreachableError, error_from_response
from remit_casefile.google.session import AccountSession, Credentials, CredentialsLoader, Response

Params = Mapping[str, str | int | bool | Sequence[str] | None]
M = TypeVar("M", bound=BaseModel)

MAX_RESPONSE_BYTES: Final = 32 * 2**20
"""The largest answer that is read, in bytes, where the caller names no other."""
_CHUNK_SIZE: Final = 64 * 2**10
_LOOPBACK_HOSTS: Final = ("127.0.0.1", "::1", "localhost")


def check_address(name: str, url: str) -> None:
    """Refuse an address that a token should not travel to.

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
    """Where each API is. Only https, so that no token travels in clear; on this machine http will do."""

    gmail: str = "https://gmail.googleapis.com"
    drive: str = "https://www.googleapis.com"
    sheets: str = "https://sheets.googleapis.com"

    def __post_init__(self) -> None:
        for name, url in (("gmail", self.gmail), ("drive", self.drive), ("sheets", self.sheets)):
            check_address(name, url)

    @classmethod
    def all_at(cls, url: str) -> Hosts:
        """One address for all three: a proxy, or a server for tests."""
        return cls(gmail=url, drive=url, sheets=url)


class HttpResponse(NamedTuple):
    """An answer that was read whole. The names of its headers are in small letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _RefreshError(Protocol):
    """What google-auth says of credentials that could not be renewed."""

    @property
    def retryable(self) -> bool: ...


class Transport:
    """Makes requests as one Google account. Close it, or use it in ``async with``.

    Args:
        credentials: of google-auth, async or not, or where they come from when first needed. What they need to renew
            themselves is theirs.
        hosts: where the APIs are.
        timeout: seconds for one request and its answer.
        clock: tells the time, for a ``Retry-After`` that names a date.
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
        """Ask with JSON or without a body; the answer is a ``model``.

        Raises:
            CallError: see `send`, and `refusal` for what an answer with another status stands for.
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
        """Ask, and take no answer but a good one."""
        answer = await self.send(method, url, body=body, headers=headers, max_bytes=max_bytes)
        if not 200 <= answer.status < 300:
            raise self.error_for(method, url, answer)
        return answer

    def error_for(self, method: str, url: str, answer: HttpResponse) -> CallError:
        """The error that ``answer`` stands for."""
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
        """Ask once, whatever the answer.

        Raises:
            UnreachableError: no connection; nothing was sent.
            ExternalError: the connection was cut: what was asked may have been done.
            DeadlineError: no answer in time: what was asked may have been done.
            DeniedError: the credentials could not be renewed.
            InvalidArgumentsError: the answer is larger than ``max_bytes`` bytes.
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
            raise DeadlineError(f"{what}: no answer from Google within {limit:g} s") from error
        except exceptions.RefreshError as error:
            raise _refresh_failure(what, error) from error
        except (exceptions.GoogleAuthError, aiohttp.ClientError, OSError) as error:
            if isinstance(error.__cause__, aiohttp.ClientConnectorError):
                raise UnreachableError(f"{what}: no connection to {urlsplit(url).netloc}; nothing was sent") from error
            raise ExternalError(f"{what}: the connection to Google was cut before the answer was whole") from error
        headers = {name.lower(): value for name, value in response.headers.items()}
        return HttpResponse(response.status_code, headers, text)

    async def close(self) -> None:
        """Give back the connections."""
        await self._account_session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class Page(Protocol):
    """One page of a list."""

    @property
    def next_page_token(self) -> str | None:
        """What to ask the next page with; None on the last."""
        ...


P = TypeVar("P", bound=Page)


async def iterate_pages(fetch: Callable[[str | None], Awaitable[P]]) -> AsyncIterator[P]:
    """Every page of a list: ``fetch`` gets the token of each, and None for the first.

    Raises:
        AnswerError: a token came twice, so that the list would never end.
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
    """One segment of a path, whatever characters the name has.

    Raises:
        InvalidArgumentsError: a name that a path cannot hold.
    """
    if name in ("", ".", ".."):
        raise InvalidArgumentsError(f"{name!r} names nothing")
    return quote(name, safe="")


def add_query(url: str, params: Params | None) -> str:
    """The address with its query; what is None or an empty list is left out."""
    values = {name: _query_value(value) for name, value in (params or {}).items() if value is not None}
    query = urlencode(values, doseq=True)
    return f"{url}?{query}" if query else url


def parse_response(answer: HttpResponse, model: type[M], request_label: str) -> M:
    """The answer as a model.

    Raises:
        AnswerError: it is none.
    """
    try:
        return model.model_validate_json(answer.body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UnexpectedResponseError(
            f"{request_label}: Google's answer is no {model.__name__}: {where} {first['msg']}"
        ) from error


def _query_value(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _request_label(method: str, url: str) -> str:
    return f"{method} {urlsplit(url).path}"


def _refresh_failure(request_label: str, error: Exception) -> ExternalError | DeniedError:
    if cast("_RefreshError", error).retryable:
        return UnreachableError(f"{request_label}: the credentials could not be renewed at present; nothing was sent")
    return DeniedError(f"{request_label}: the credentials could not be renewed; sign in again")


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
