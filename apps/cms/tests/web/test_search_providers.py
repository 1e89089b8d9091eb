"""Search engines: what is sent to each, and what is made of its reply, at a server of this machine."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from figures.ssrf_world import Internet, Page
from remit.errors import ExternalError, RateLimitedError, SetupError
from remit.secrets import EnvSecrets
from remit_cms.web.search_providers import Brave, Exa, SearchProvider, SearchQuery, SearXNG, Tavily, provider_of

SECRETS = EnvSecrets(
    "BRAVE_API_KEY",
    "TAVILY_API_KEY",
    "EXA_API_KEY",
    environ=dict.fromkeys(("BRAVE_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY"), "key-of-the-engine"),
)
QUERY = SearchQuery(words="sourdough starter", count=2, exclude_domains=["spam.example"], recent_only=True)


def result(snippet: str, published: str, *urls: str) -> list[dict[str, str]]:
    return [{"url": url, "title": " A  page ", snippet: "about\nbread", published: "2026-11-01"} for url in urls]


URLS = (
    "https://a.example/",
    "https://b.spam.example/",
    "https://a.example/",
    "javascript:x",
    "https://[",
    "https://c.example/",
)
ENGINES: dict[str, tuple[dict[str, Any], str]] = {
    "searxng": ({"results": result("content", "publishedDate", *URLS)}, "/search"),
    "brave": ({"web": {"results": result("description", "page_age", *URLS)}}, "/res/v1/web/search"),
    "tavily": ({"results": result("content", "published_date", *URLS)}, "/search"),
    "exa": ({"results": result("text", "publishedDate", *URLS)}, "/search"),
}


def engine(name: str, internet: Internet) -> SearchProvider:
    http = internet.http()
    match name:
        case "searxng":
            return SearXNG(http, "http://engine.example")
        case "brave":
            return Brave(http, SECRETS, url="http://engine.example/res/v1/web/search")
        case "tavily":
            return Tavily(http, SECRETS, url="http://engine.example/search")
        case _:
            return Exa(http, SECRETS, url="http://engine.example/search")


@pytest.mark.parametrize("name", ENGINES)
async def test_each_engine_finds_pages_each_once_within_the_domains(name: str) -> None:
    body, path = ENGINES[name]
    async with Internet(pages={path: Page(json.dumps(body).encode())}) as internet:
        hits = await engine(name, internet).search(QUERY)
    assert [hit.url for hit in hits] == ["https://a.example/", "https://c.example/"]
    assert (hits[0].title, hits[0].snippet, hits[0].published) == ("A page", "about bread", "2026-11-01")


async def test_what_an_engine_does_not_send_as_text_is_left_out() -> None:
    results: list[dict[str, object]] = [
        {"url": "https://a.example/\ud83d", "title": ["x"], "content": "bread \udc00", "publishedDate": {}}
    ]
    body = json.dumps({"results": results}).encode()
    async with Internet(pages={"/search": Page(body)}) as internet:
        (hit,) = await engine("searxng", internet).search(QUERY)
    assert (hit.url, hit.title) == ("https://a.example/\ufffd", "https://a.example/\ufffd")
    assert (hit.snippet, hit.published) == ("bread \ufffd", "")


@pytest.mark.parametrize(
    ("name", "header"),
    [("brave", "x-subscription-token: key"), ("tavily", "authorization: Bearer key"), ("exa", "x-api-key: key")],
)
async def test_the_key_is_sent_as_the_engine_takes_it(name: str, header: str) -> None:
    body, path = ENGINES[name]
    async with Internet(pages={path: Page(json.dumps(body).encode())}) as internet:
        await engine(name, internet).search(QUERY)
        assert header in internet.requests[0]


async def test_what_narrows_a_search_is_sent_in_the_words_or_in_fields() -> None:
    pages = {path: Page(json.dumps(body).encode()) for body, path in ENGINES.values()}
    async with Internet(pages=pages) as internet:
        await engine("searxng", internet).search(QUERY)
        query = parse_qs(urlsplit(internet.requests[0].split(" ")[1]).query)
        assert query["q"] == ["sourdough starter -site:spam.example"]
        assert query["time_range"] == ["month"]
        await engine("tavily", internet).search(QUERY)
        sent = json.loads(internet.bodies[1])
        assert (sent["query"], sent["max_results"], sent["exclude_domains"]) == (
            "sourdough starter",
            2,
            ["spam.example"],
        )


@pytest.mark.parametrize(
    ("page", "kind", "message"),
    [
        (Page(status=429), RateLimitedError, "was asked too often"),
        (Page(status=401, body=b"key-of-the-engine"), ExternalError, "refused the search with status 401"),
        (Page(b"<html>"), ExternalError, "did not answer in JSON"),
        (Page(b"[" * 90_000), ExternalError, "did not answer in JSON"),
        (Page(b"[]"), ExternalError, "answered with something else than results"),
    ],
)
async def test_an_engine_that_refuses_is_an_error_that_names_it(
    page: Page, kind: type[Exception], message: str
) -> None:
    async with Internet(pages={"/search": page}) as internet:
        with pytest.raises(kind, match=message):
            await engine("exa", internet).search(QUERY)


async def test_without_an_engine_a_search_says_how_to_configure_one() -> None:
    with pytest.raises(ExternalError, match=r"no search engine is configured.*REMIT_CMS_SEARCH"):
        await provider_of("", SECRETS).search(QUERY)


def test_a_setting_names_an_engine_or_is_refused() -> None:
    assert [provider_of(each, SECRETS).name for each in ("brave", "tavily", "exa")] == ["brave", "tavily", "exa"]
    assert provider_of("searxng:http://127.0.0.1:8888", SECRETS).name == "searxng"
    for wrong in ("google", "searxng", "searxng:localhost", "brave:x"):
        with pytest.raises(SetupError, match="give searxng:URL"):
            provider_of(wrong, SECRETS)
