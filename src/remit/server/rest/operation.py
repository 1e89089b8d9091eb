"""Operations of the REST API: what a request carries, what it gets, and how it is answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar, cast
from urllib.parse import unquote

import msgspec
from msgspec import Struct, structs
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Scope

from remit.client.client import Client
from remit.core.checks import check_text
from remit.errors import RequestError
from remit.schemas.jsontext import decode_strictly
from remit.server.documents.document import Asked
from remit.server.responses import JSON, write_document
from remit.server.serving import ServerSettings, Serving

_MOST_CHARS: Final = 400
_QUERY_BYTES: Final = 48 * 1024
_QUERY_NAMES: Final = 100

Q = TypeVar("Q", bound=Struct)
B = TypeVar("B", bound=Struct | None)


class NoQuery(Asked):
    """An operation that takes no query."""


@dataclass(frozen=True, slots=True)
class Sent(Generic[Q, B]):
    """A checked request: who sends it, its path, its query, its body, and its idempotency key."""

    client: Client
    serving: Serving
    path: Mapping[str, str]
    query: Q
    body: B
    key: str
    request: Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path.

    ``answer`` is the type of its document, None if it answers with a `Response` of its own, of ``media_type``. Its
    summary is the docstring of ``handle``. ``further`` are other statuses of its document. ``most_bytes`` limits its
    body, which is the content of a file if it ``takes_content``. ``keyed``: it takes an ``Idempotency-Key``.
    """

    method: str
    path: str
    handle: Callable[[Sent[Any, Any]], Awaitable[object]]
    answer: Any
    media_type: str = JSON
    query: type[Struct] = NoQuery
    body: type[Struct] | None = None
    status: int = 200
    further: tuple[int, ...] = ()
    takes_content: bool = False
    keyed: bool = False
    most_bytes: Callable[[ServerSettings], int] = lambda settings: settings.body_bytes

    @property
    def name(self) -> str:
        """Its name, which is unique."""
        return self.handle.__name__

    def route(self, serving: Serving) -> Route:
        """The route of this operation."""

        async def endpoint(request: Request) -> Response:
            client = await serving.client(request)
            answer = await self.handle(await self._read(request, client, serving))
            return answer if isinstance(answer, Response) else write_document(answer, self.status)

        return SegmentRoute(self.path, endpoint, methods=[self.method], name=self.name)

    async def _read(self, request: Request, client: Client, serving: Serving) -> Sent[Any, Any]:
        query = _read_query(request, self.query)
        body = (
            None
            if self.body is None
            else _read_body(await serving.read_body(request, self.most_bytes(serving.settings)), self.body)
        )
        key = request.headers.get("idempotency-key", "") if self.keyed else ""
        for asked in (query, body):
            _check_texts(asked)
        path = cast("Mapping[str, str]", request.path_params)
        return Sent(client, serving, path, query, body, key, request)


class SegmentRoute(Route):
    """A route whose parameters are segments of the address as it was sent: an id with a slash is written with %2F."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match the address; see `Route.matches`."""
        sent: bytes = scope.get("raw_path") or b""
        if b"%2f" not in sent.lower():
            return super().matches(scope)
        match, found = super().matches({**scope, "path": sent.decode("latin-1")})
        for name, value in found.get("path_params", {}).items():
            found["path_params"][name] = unquote(value)
        return match, found


def _read_query(request: Request, kind: type[Q]) -> Q:
    sent: bytes = request.scope.get("query_string", b"")
    if len(sent) > _QUERY_BYTES or sent.count(b"&") >= _QUERY_NAMES:
        raise RequestError(f"the query is too long; give at most {_QUERY_NAMES} names in {_QUERY_BYTES:,} bytes")
    items = request.query_params.multi_items()
    given = dict(items)
    if len(given) != len(items):
        [(name, _)] = Counter(name for name, _ in items).most_common(1)
        raise RequestError(f"the query has {name!r:.100} twice; give it once")
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        raise RequestError(f"the query is not valid: {_cut(str(error))}") from error


def _read_body(content: bytes, kind: type[B]) -> B:
    try:
        return decode_strictly(content, kind)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise RequestError(f"the body is not valid: {_cut(str(error))}") from error


def _check_texts(asked: object) -> None:
    """Refuse texts that cannot be stored: to a client they would be a mistake of the program that calls it."""
    if isinstance(asked, Struct):
        for name, value in zip(asked.__struct_encode_fields__, structs.astuple(asked), strict=True):
            if isinstance(value, str):
                check_text(name, value, RequestError)


def _cut(problem: str) -> str:
    """What is wrong with a request, and at its end where, without most of a long value that it quotes."""
    return problem if len(problem) <= _MOST_CHARS else f"{problem[: _MOST_CHARS // 2]}…{problem[-_MOST_CHARS // 2 :]}"
