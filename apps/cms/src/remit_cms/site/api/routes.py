"""The addresses of the API: one table, from which requests are answered and the OpenAPI document is made."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, TypeAlias

from remit.errors import CallError, NotFoundError
from remit_cms.models import View
from remit_cms.site.api.documents import Reader, find_document, list_documents, show_document
from remit_cms.site.api.models import AddressReply, DocumentList, ErrorReply, Index
from remit_cms.site.api.openapi import Endpoint, describe_api
from remit_cms.site.api.requests import Query, parse_query
from remit_cms.site.api.surroundings import list_types, load_types, read_navigation, show_settings
from remit_cms.site.feeds import find_collections
from remit_cms.site.lists import find_content
from remit_cms.site.lookup import ShownPage, load_edition, parse_address
from remit_cms.storage.scope import Scope

PREFIX: Final = "/api"
_MAX_PATH: Final = 500
MEDIA_TYPE: Final = "application/json; charset=utf-8"

Answer: TypeAlias = Callable[[Reader, Query, Mapping[str, str]], Awaitable[View | dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Request:
    """A request of the API: what answers it, the parts of its path, and its query. ``key`` is the same for the same."""

    endpoint: Endpoint
    parts: Mapping[str, str]
    query: Query
    key: str


def is_api(path: str) -> bool:
    """Whether an address is one of the API."""
    return path == PREFIX or path.startswith(f"{PREFIX}/")


def parse_request(path: str, query: bytes) -> Request:
    """What a request asks for.

    Raises:
        NotFoundError: there is no such address.
        InvalidArgumentsError: the query does not fit.
    """
    given = path.removeprefix(PREFIX).split("/")
    for endpoint in ENDPOINTS if len(path) <= _MAX_PATH and path.isprintable() else ():
        parts = _match(endpoint.path.removeprefix(PREFIX).split("/"), given)
        if parts is not None:
            asked = parse_query(query, endpoint.parameters)
            return Request(endpoint, parts, asked, f"{path} {asked!r}")
    raise NotFoundError(f"The API has no such address. {PREFIX} lists what it has.")


def _match(pattern: list[str], given: list[str]) -> dict[str, str] | None:
    if len(pattern) != len(given):
        return None
    parts = dict[str, str]()
    for expected, part in zip(pattern, given, strict=True):
        if expected.startswith("{") and part:
            parts[expected[1:-1]] = part
        elif expected != part:
            return None
    return parts


async def answer_request(scope: Scope, request: Request, url: str) -> bytes:
    """The answer to a request, as JSON.

    Raises:
        NotFoundError: visitors see nothing of that name.
        InvalidArgumentsError: the language or the cursor does not fit.
    """
    locale = scope.resolve_locale(None if request.query.locale is None else request.query.locale[:16])
    reader = Reader(scope=scope, edition=await load_edition(scope), url=url, locale=locale)
    found = await _ANSWERS[request.endpoint.path](reader, request.query, request.parts)
    data = found.model_dump(mode="json", by_alias=True, serialize_as_any=True) if isinstance(found, View) else found
    return _write(data)


def write_error(error: CallError) -> tuple[int, bytes]:
    """The status and the body that say why a request is not answered."""
    status = HTTPStatus.NOT_FOUND if isinstance(error, NotFoundError) else HTTPStatus.BAD_REQUEST
    return status, _write(ErrorReply(error=str(error), error_code=error.code).model_dump(by_alias=True))


def _write(data: object) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


async def _index(reader: Reader, _query: Query, _parts: Mapping[str, str]) -> View:
    collections = await find_collections(reader.scope)
    links = {"openapi": "openapi.json", "settings": "settings", "navigation": "navigation", "types": "types"}
    links |= {"address": "address", "pages": "pages"} | {f"entries/{key}": f"entries/{key}" for key in collections}
    settings = await show_settings(reader)
    return Index(name=settings.name, links={name: f"{reader.url}{PREFIX}/{path}" for name, path in links.items()})


async def _openapi(reader: Reader, _query: Query, _parts: Mapping[str, str]) -> dict[str, Any]:
    settings = await show_settings(reader)
    return describe_api(ENDPOINTS, await load_types(reader.scope), name=settings.name, url=reader.url)


async def _settings(reader: Reader, _query: Query, _parts: Mapping[str, str]) -> View:
    return await show_settings(reader)


async def _navigation(reader: Reader, _query: Query, _parts: Mapping[str, str]) -> View:
    return await read_navigation(reader)


async def _types(reader: Reader, _query: Query, _parts: Mapping[str, str]) -> View:
    return await list_types(reader)


async def _address(reader: Reader, query: Query, _parts: Mapping[str, str]) -> View:
    """What visitors find at an address, whose language is that of the answer."""
    address = parse_address(reader.scope, query.path)
    found = await find_content(reader.scope, address, reader.edition, reader.url)
    if isinstance(found, str):
        return AddressReply(document=None, redirect=found)
    if not isinstance(found, ShownPage):
        raise NotFoundError("Visitors find no page or entry at this address.")
    own = Reader(scope=reader.scope, edition=reader.edition, url=reader.url, locale=address.locale)
    return AddressReply(document=await show_document(own, found), redirect=None)


async def _pages(reader: Reader, query: Query, _parts: Mapping[str, str]) -> DocumentList:
    return await list_documents(reader, None, query)


async def _page(reader: Reader, _query: Query, parts: Mapping[str, str]) -> View:
    return await find_document(reader, None, parts["id"])


async def _entries(reader: Reader, query: Query, parts: Mapping[str, str]) -> DocumentList:
    return await list_documents(reader, await _check_collection(reader, parts), query)


async def _entry(reader: Reader, _query: Query, parts: Mapping[str, str]) -> View:
    return await find_document(reader, await _check_collection(reader, parts), parts["id"])


async def _check_collection(reader: Reader, parts: Mapping[str, str]) -> str:
    collections = await find_collections(reader.scope)
    if (key := parts["collection"]) not in collections:
        raise NotFoundError(f"Visitors see no such collection. Collections: {', '.join(collections) or 'none'}.")
    return key


_ALL: Final[tuple[tuple[Endpoint, Answer], ...]] = (
    (Endpoint("/api", "Where everything is", "Index"), _index),
    (Endpoint("/api/openapi.json", "This description of the API", ""), _openapi),
    (Endpoint("/api/settings", "The settings of the site", "Settings", ("locale",)), _settings),
    (Endpoint("/api/navigation", "The links of header and footer", "Navigation", ("locale",)), _navigation),
    (Endpoint("/api/types", "The types of sections and entries, with their fields", "Types"), _types),
    (Endpoint("/api/address", "What visitors find at an address", "AddressReply", ("path",)), _address),
    (
        Endpoint("/api/pages", "The pages, the newest first", "List", ("locale", "limit", "cursor", "content")),
        _pages,
    ),
    (Endpoint("/api/pages/{id}", "A page with its sections", "Document", ("locale",)), _page),
    (
        Endpoint(
            "/api/entries/{collection}",
            "The entries of a collection, the newest first",
            "List",
            ("locale", "limit", "cursor", "content"),
        ),
        _entries,
    ),
    (Endpoint("/api/entries/{collection}/{id}", "An entry with its fields", "Document", ("locale",)), _entry),
)
ENDPOINTS: Final = tuple(endpoint for endpoint, _ in _ALL)
"""All addresses of the API."""
_ANSWERS: Final = {endpoint.path: answer for endpoint, answer in _ALL}
