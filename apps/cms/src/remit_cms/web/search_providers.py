"""The port to search engines of the web, and four of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast
from urllib.parse import urlencode, urlsplit

from remit.errors import ExternalError, RateLimitedError, SetupError
from remit.http import GuardedHttp, HttpReply
from remit.secrets import SecretRef, Secrets

_TOO_MANY_REQUESTS: Final = 429
_MAX_SNIPPET: Final = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """A search: the words, how many results, and what narrows them."""

    words: str
    count: int = 5
    include_domains: Sequence[str] = ()
    exclude_domains: Sequence[str] = ()
    recent_only: bool = False
    category: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """A page that a search engine found."""

    url: str
    title: str
    snippet: str = ""
    published: str = ""


class SearchProvider(Protocol):
    """The port to a search engine."""

    @property
    def name(self) -> str:
        """Its name, for messages."""
        ...

    def build_fields(self, query: SearchQuery) -> Mapping[str, object]:
        """What it is sent for a search, which the person who is asked about it sees."""
        ...

    async def search(self, query: SearchQuery) -> list[SearchHit]:
        """The pages that it finds, best first.

        Raises:
            RateLimitedError: it was asked too often. ExternalError: it cannot be reached, or refuses.
        """
        ...


@dataclass(frozen=True, slots=True)
class SearXNG:
    """A SearXNG of one's own, at ``url``, whose settings allow the format ``json``. It may be on a private network."""

    http: GuardedHttp
    url: str
    name: str = "searxng"

    def build_fields(self, query: SearchQuery) -> Mapping[str, str]:
        """The query of the address."""
        fields = {"q": _narrowed_words(query), "format": "json", "categories": query.category or "general"}
        return fields | ({"time_range": "month"} if query.recent_only else {})

    async def search(self, query: SearchQuery) -> list[SearchHit]:
        """Ask for one page of results."""
        fields = self.build_fields(query)
        body = _read_json(self.name, await self.http.get(f"{self.url.rstrip('/')}/search?{urlencode(fields)}"))
        return _hits(query, body.get("results"), snippet="content", published="publishedDate")


@dataclass(frozen=True, slots=True)
class Brave:
    """The Brave Search API."""

    http: GuardedHttp
    secrets: Secrets
    key: SecretRef = "env:BRAVE_API_KEY"
    url: str = "https://api.search.brave.com/res/v1/web/search"
    name: str = "brave"

    def build_fields(self, query: SearchQuery) -> Mapping[str, str]:
        """The query of the address."""
        fields = {"q": _narrowed_words(query), "count": str(query.count)}
        return fields | ({"freshness": "pm"} if query.recent_only else {})

    async def search(self, query: SearchQuery) -> list[SearchHit]:
        """Ask for one page of results."""
        fields = self.build_fields(query)
        headers = {
            "accept": "application/json",
            "x-subscription-token": (await self.secrets.resolve(self.key)).reveal(),
        }
        body = _read_json(self.name, await self.http.get(f"{self.url}?{urlencode(fields)}", headers))
        found = cast("dict[str, Any]", body.get("web") or {})
        return _hits(query, found.get("results"), snippet="description", published="page_age")


@dataclass(frozen=True, slots=True)
class Tavily:
    """The Tavily API."""

    http: GuardedHttp
    secrets: Secrets
    key: SecretRef = "env:TAVILY_API_KEY"
    url: str = "https://api.tavily.com/search"
    name: str = "tavily"

    def build_fields(self, query: SearchQuery) -> Mapping[str, object]:
        """The JSON of the body."""
        return {
            "query": query.words,
            "max_results": query.count,
            "include_domains": list(query.include_domains),
            "exclude_domains": list(query.exclude_domains),
            "topic": "news" if query.category == "news" else "general",
        } | ({"time_range": "month"} if query.recent_only else {})

    async def search(self, query: SearchQuery) -> list[SearchHit]:
        """Ask for one page of results."""
        fields = self.build_fields(query)
        headers = {"authorization": f"Bearer {(await self.secrets.resolve(self.key)).reveal()}"}
        body = _read_json(self.name, await _post_json(self.http, self.url, fields, headers))
        return _hits(query, body.get("results"), snippet="content", published="published_date")


@dataclass(frozen=True, slots=True)
class Exa:
    """The Exa API."""

    http: GuardedHttp
    secrets: Secrets
    key: SecretRef = "env:EXA_API_KEY"
    url: str = "https://api.exa.ai/search"
    name: str = "exa"

    def build_fields(self, query: SearchQuery) -> Mapping[str, object]:
        """The JSON of the body."""
        fields: dict[str, Any] = {
            "query": query.words,
            "numResults": query.count,
            "contents": {"text": {"maxCharacters": _MAX_SNIPPET}},
        }
        optional = {
            "includeDomains": list(query.include_domains),
            "excludeDomains": list(query.exclude_domains),
            "category": query.category,
        }
        return fields | {name: value for name, value in optional.items() if value}

    async def search(self, query: SearchQuery) -> list[SearchHit]:
        """Ask for one page of results."""
        fields = self.build_fields(query)
        headers = {"x-api-key": (await self.secrets.resolve(self.key)).reveal()}
        body = _read_json(self.name, await _post_json(self.http, self.url, fields, headers))
        return _hits(query, body.get("results"), snippet="text", published="publishedDate")


def check_provider(provider: SearchProvider) -> None:
    """Refuse searches while no search engine is configured.

    Raises:
        ExternalError: says how one is configured.
    """
    if isinstance(provider, NoProvider):
        raise ExternalError(
            "no search engine is configured, so the web cannot be searched; the operator sets REMIT_CMS_SEARCH to "
            "searxng:URL, brave, tavily or exa"
        )


@dataclass(frozen=True, slots=True)
class NoProvider:
    """Stands for a search engine while none is configured."""

    name: str = "none"

    def build_fields(self, query: SearchQuery) -> Mapping[str, object]:
        """Nothing, with the way out."""
        del query
        check_provider(self)
        return {}

    async def search(self, query: SearchQuery) -> list[SearchHit]:
        """Refuse, with the way out."""
        del query
        check_provider(self)
        return []


_KEYED: Final = {"brave": Brave, "tavily": Tavily, "exa": Exa}


def provider_of(written: str, secrets: Secrets) -> SearchProvider:
    """The search engine of a setting: ``searxng:URL``, ``brave``, ``tavily`` or ``exa``; empty for none.

    Raises:
        SetupError: the setting names no such search engine.
    """
    name, _, url = written.strip().partition(":")
    if not name:
        return NoProvider()
    if name == "searxng" and urlsplit(url).scheme in ("http", "https") and urlsplit(url).hostname:
        return SearXNG(GuardedHttp.for_server(url), url)
    if name in _KEYED and not url:
        return _KEYED[name](GuardedHttp(), secrets)
    raise SetupError(
        f"REMIT_CMS_SEARCH is {written!r}; give searxng:URL with the URL of a SearXNG, or brave, tavily or exa"
    )


async def _post_json(http: GuardedHttp, url: str, fields: object, headers: Mapping[str, str]) -> HttpReply:
    return await http.post(url, json.dumps(fields).encode(), {"content-type": "application/json", **headers})


def _read_json(name: str, reply: HttpReply) -> dict[str, Any]:
    if reply.status == _TOO_MANY_REQUESTS:
        raise RateLimitedError(f"the search engine {name} was asked too often; try again later")
    if reply.status != 200:
        raise ExternalError(f"the search engine {name} refused the search with status {reply.status}")
    try:
        body = json.loads(reply.text)
    except (ValueError, RecursionError) as error:
        raise ExternalError(f"the search engine {name} did not answer in JSON") from error
    if not isinstance(body, dict):
        raise ExternalError(f"the search engine {name} answered with something else than results")
    return cast("dict[str, Any]", body)


def _narrowed_words(query: SearchQuery) -> str:
    """The words with the operators that engines without fields for domains understand."""
    included = " OR ".join(f"site:{each}" for each in query.include_domains)
    return " ".join(filter(None, (query.words, included, *(f"-site:{each}" for each in query.exclude_domains))))


def _hits(query: SearchQuery, results: object, *, snippet: str, published: str) -> list[SearchHit]:
    """The results that fit the domains, whatever else an engine sends."""
    found: dict[str, SearchHit] = {}
    for each in cast("list[object]", results) if isinstance(results, list) else ():
        fields = cast("dict[str, Any]", each) if isinstance(each, dict) else {}
        url = _text(fields.get("url"))
        try:
            parts = urlsplit(url)
        except ValueError:
            continue
        if parts.scheme not in ("http", "https") or not _fits(query, parts.hostname or ""):
            continue
        found.setdefault(
            url,
            SearchHit(
                url=url,
                title=" ".join((_text(fields.get("title")) or url).split())[:300],
                snippet=" ".join(_text(fields.get(snippet)).split())[:_MAX_SNIPPET],
                published=_text(fields.get(published))[:40],
            ),
        )
    return list(found.values())[: query.count]


def _text(value: object) -> str:
    """A text or number of an engine, with U+FFFD for half a character; empty for other values."""
    text = str(value) if isinstance(value, (str, int, float)) else ""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _fits(query: SearchQuery, host: str) -> bool:
    def is_below(domain: str) -> bool:
        return host == domain or host.endswith(f".{domain}")

    included, excluded = query.include_domains, query.exclude_domains
    return (not included or any(map(is_below, included))) and not any(map(is_below, excluded))
