"""The operations on the web: what models get of pages and searches, and what a person is asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from apps.cms.tests.world import World
from figures.ssrf import ListedHits
from figures.ssrf_world import Internet, Page
from remit import LeafContext, Principal, Runtime
from remit.errors import DeniedError, SetupError
from remit.http import GuardedHttp
from remit.testing import superuser
from remit.tools import Arguments
from remit_cms.app import POST_HOSTS_VARIABLE, SEARCH_VARIABLE, app, build
from remit_cms.operations import Web
from remit_cms.web.payloads import HttpPost
from remit_cms.web.requests import HttpRequests
from remit_cms.web.search_providers import NoProvider, SearchProvider

PERSON = superuser(tenant="local-site")
STARTER = b"""<html><head><title>Sourdough</title></head><body><nav>Home Shop</nav><article><h1>Sourdough</h1>
<p>A sourdough starter is flour and water in which wild yeast lives. It takes 7 days until it rises well.</p>
<p>Feed the starter once a day with 50 grams of flour and 50 grams of water, and throw half of it away.</p>
<p>The shop opens at nine, and visitors are welcome to see how the bread is made on every day but Monday.</p>
</article><script>alert(1)</script><footer>Imprint</footer></body></html>"""
HTML = {"content-type": "text/html; charset=utf-8"}


@pytest.fixture
async def internet() -> AsyncIterator[Internet]:
    async with Internet(pages={"/starter": Page(STARTER, headers=HTML)}) as internet:
        yield internet


class Tools:
    """The tools of a CMS in a pretended internet, called as a person calls them, with every question approved."""

    def __init__(
        self, home: Path, internet: Internet, hits: list[str], *, provider: SearchProvider | None = None
    ) -> None:
        web = Web(
            http=internet.http(),
            provider=provider or ListedHits(hits),
            post_hosts={"local-site": frozenset({"hooks.example"})},
        )
        self.cms = build(home, web=web)
        self.runtime = Runtime(self.cms.app)
        self.shown: list[str] = []

    async def __call__(self, name: str, arguments: dict[str, Any], by: Principal = PERSON) -> dict[str, Any]:
        result = await self.runtime.call_by_name(name, Arguments(json.dumps(arguments), arguments), by=by)
        while result.questions:
            for row in await self.runtime.store.list_questions():
                self.shown.append(row.question.shown)
                await self.runtime.decide(row.question.id, approved=True, by=PERSON)
            result = await self.runtime.resume(result.run)
        return json.loads(result.text)


@pytest.fixture
def tools(tmp_path: Path, internet: Internet) -> Tools:
    return Tools(tmp_path, internet, ["http://bread.example/starter", "http://gone.example/gone"])


async def test_a_page_is_read_without_navigation_and_scripts(tools: Tools) -> None:
    urls = ["http://bread.example/starter", "http://gone.example/gone", "http://10.0.0.1/"]
    reply = await tools("web_fetchContent", {"urls": urls})
    page, gone, inside = reply["pages"]
    assert page["title"] == "Sourdough"
    assert "wild yeast" in page["text"]
    assert not any(word in page["text"] for word in ("alert", "Imprint", "Shop"))
    assert gone["error"] == "the server answered with status 404"
    assert inside["error"].startswith("http://10.0.0.1/ cannot be requested: 10.0.0.0/8 is Private-Use")
    assert (reply["success"], reply["message"]) == (True, "Read 1 of 3 pages of the web")


async def test_a_summary_has_the_passages_about_what_was_asked(tools: Tools) -> None:
    arguments = {"urls": ["http://bread.example/starter"], "includeText": False, "includeSummary": True}
    (page,) = (await tools("web_fetchContent", arguments | {"summaryQuery": "how to feed it"}))["pages"]
    assert page["summary"].startswith("Feed the starter once a day")
    assert "text" not in page


async def test_a_search_gives_titles_and_addresses(tools: Tools) -> None:
    reply = await tools("web_quickSearch", {"query": "sourdough", "livecrawl": "fallback", "category": "news"})
    assert [each["url"] for each in reply["results"]] == ["http://bread.example/starter", "http://gone.example/gone"]


async def test_research_reports_passages_with_their_sources(tools: Tools) -> None:
    reply = await tools("web_deepResearch", {"topic": "sourdough starter", "sections": ["feeding", "opening hours"]})
    assert reply["sources"] == [{"number": 1, "title": "Sourdough", "url": "http://bread.example/starter"}]
    assert reply["status"] == "partial"
    feeding, hours = reply["report"].split("## ")[1:]
    assert "Feed the starter once a day" in feeding
    assert "[1]" in feeding
    assert "The shop opens at nine" in hours


async def test_a_person_is_asked_before_anything_is_sent_out(tools: Tools, internet: Internet) -> None:
    await tools("http_get", {"url": "http://bread.example/starter"})
    await tools(
        "http_post", {"url": "https://hooks.example/new", "body": '{"page":"about"}', "headers": {"X-Key": "k"}}
    )
    assert tools.shown[0] == "GET http://bread.example/starter\nheaders: none"
    assert tools.shown[1] == (
        'POST https://hooks.example/new\nheaders: content-type, x-key; 16 bytes:\n{"page":"about"}'
    )
    assert len(internet.connects) >= 1


async def test_a_person_is_shown_the_addresses_as_they_are_requested(tools: Tools, internet: Internet) -> None:
    urls = ["http://BREAD.example:80/st%61rter?q=é#top", "http://bread.example/starter", "http://bread.example/starter"]
    await tools(
        "web_fetchContent", {"urls": [*urls, "http://bäcker.example", "http://10.0.0.1/", "http://a.example/a b"]}
    )
    shown = tools.shown[0].splitlines()
    assert shown[:3] == [
        "GET http://bread.example/st%61rter?q=%C3%A9",
        "GET http://bread.example/starter",
        "GET http://xn--bcker-gra.example/",
    ]
    assert [each[:30] for each in shown[3:]] == ["not requested: http://10.0.0.1", "not requested: http://a.exampl"]
    heads = sorted(request.split("\r\n")[:2] for request in internet.requests)
    assert heads == sorted(
        [f"GET /{path} HTTP/1.1", f"Host: {host}"]
        for host, _, path in (each.removeprefix("GET http://").partition("/") for each in shown[:3])
    )


async def test_pages_none_of_which_can_be_requested_end_before_a_person_is_asked(tools: Tools) -> None:
    reply = await tools("web_fetchContent", {"urls": ["http://10.0.0.1/", "ftp://bread.example/"]})
    assert "http://10.0.0.1/ is not a public address" in reply["error"] or "10.0.0.0/8" in reply["error"]
    assert tools.shown == []


async def test_a_person_is_shown_what_the_search_engine_is_sent(tools: Tools) -> None:
    await tools("web_quickSearch", {"query": " rye\u202e bread "})
    await tools("web_deepResearch", {"topic": "rye", "sections": ["rye", "sour dough"]})
    assert tools.shown == [
        'Search the web with listed\nwords: "rye\\u202e bread"',
        'Search with listed, and read up to 10 pages that it finds\nwords: "rye"\nwords: "rye sour dough"',
    ]


async def test_a_header_that_cannot_be_sent_ends_before_a_person_is_asked(tools: Tools) -> None:
    for headers in ({"X-Key": "a", "x-key": "b"}, {"Host": "evil.example"}, {"X": "\u00e9"}, {"X": " a"}):
        for name, more in (("http_get", {}), ("http_post", {"body": "{}"})):
            reply = await tools(name, {"url": "http://hooks.example/", "headers": headers, **more})
            assert "header" in reply["error"]
    assert tools.shown == []


async def test_a_post_to_a_host_that_the_site_does_not_allow_ends_before_a_person_is_asked(tools: Tools) -> None:
    reply = await tools("http_post", {"url": "http://evil.example/", "body": "{}"})
    assert "does not allow posts to evil.example; allowed: hooks.example" in reply["error"]
    assert tools.shown == []


@pytest.mark.parametrize("url", ["http://bread.example:8601/", "http://127.0.0.1/", "ftp://bread.example/"])
async def test_a_request_of_an_address_that_is_refused_ends_before_a_person_is_asked(tools: Tools, url: str) -> None:
    reply = await tools("http_get", {"url": url})
    assert url in reply["error"]
    assert tools.shown == []


@pytest.mark.parametrize(
    ("name", "arguments"), [("web_quickSearch", {"query": "bread"}), ("web_deepResearch", {"topic": "bread"})]
)
async def test_a_search_without_a_search_engine_ends_before_a_person_is_asked(
    tmp_path: Path, internet: Internet, name: str, arguments: dict[str, Any]
) -> None:
    tools = Tools(tmp_path, internet, [], provider=NoProvider())
    assert "no search engine is configured" in (await tools(name, arguments))["error"]
    assert tools.shown == []


async def test_posts_of_another_tenant_have_no_hosts(tools: Tools) -> None:
    other = superuser(tenant="other")
    reply = await tools("http_post", {"url": "http://hooks.example/", "body": "{}"}, other)
    assert "allowed: none" in reply["error"]


async def test_what_failed_says_so_with_an_error_and_its_code(tools: Tools) -> None:
    failed = await tools("http_get", {"url": "http://gone.example/gone"})
    assert (failed["success"], failed["errorCode"], failed["status"]) == (False, "EXTERNAL_SERVICE_ERROR", 404)
    assert failed["error"] == "http://gone.example/gone answered with status 404"
    unread = await tools("web_fetchContent", {"urls": ["http://gone.example/gone"]})
    assert unread["error"] == "no page could be read: the server answered with status 404"
    assert (unread["success"], unread["errorCode"]) == (False, "EXTERNAL_SERVICE_ERROR")
    nothing = await tools("web_deepResearch", {"topic": "zeppelins xyzzy"})
    assert (nothing["success"], nothing["errorCode"]) == (False, "NOT_FOUND")
    assert nothing["error"] == nothing["message"]
    read = await tools("http_get", {"url": "http://bread.example/starter"})
    assert read["success"] is True
    assert "error" not in read


async def test_an_answer_that_is_not_text_is_refused(tools: Tools, internet: Internet) -> None:
    internet.pages["/picture"] = Page(b"\x89PNG", headers={"content-type": "image/png"})
    reply = await tools("http_get", {"url": "http://bread.example/picture"})
    assert "answered with image/png, which is not text" in reply["error"]


def test_the_application_reads_engine_and_hosts_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("REMIT_HOME", str(tmp_path))
    monkeypatch.setenv(POST_HOSTS_VARIABLE, "local-site=hooks.example, local-site=b.example")
    made = app()
    arguments = {"url": "http://evil.example/", "body": "{}"}
    called = Runtime(made).call_by_name("http_post", Arguments(json.dumps(arguments), arguments), by=PERSON)
    assert "allowed: b.example, hooks.example" in asyncio.run(called).text
    for variable, wrong in ((POST_HOSTS_VARIABLE, "hooks.example"), (SEARCH_VARIABLE, "google")):
        with monkeypatch.context() as patch:
            patch.setenv(variable, wrong)
            with pytest.raises(SetupError, match=variable):
                app()


async def test_the_published_settings_allow_hosts_within_those_of_the_operator(tmp_path: Path) -> None:
    allowed = {host: frozenset({host, "b.example"}) for host in ("a.example", "c.example")}

    async def refusal(of_operator: frozenset[str], of_site: frozenset[str]) -> str:
        async def find_hosts(_: LeafContext) -> tuple[str, frozenset[str]]:
            return "bakery", of_site

        requests = HttpRequests(
            GuardedHttp(), {"bakery": of_operator, "local-site": frozenset({"of-the-tenant"})}, find_hosts
        )
        with pytest.raises(DeniedError) as raised:
            await requests.preview_post(World(tmp_path).call(), HttpPost(url="https://evil.example/", body=""))
        return str(raised.value).partition("allowed: ")[2].partition(". A host")[0]

    nothing = frozenset[str]()
    assert await refusal(allowed["a.example"], allowed["c.example"]) == "b.example"
    assert await refusal(nothing, allowed["c.example"]) == "b.example, c.example"
    assert await refusal(allowed["a.example"], nothing) == "a.example, b.example"
    assert await refusal(nothing, nothing) == "none"
