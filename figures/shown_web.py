"""What the tools of the CMS send to other servers, to the byte, against what the approver was shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, cast
from urllib.parse import parse_qsl

from figures.ssrf_world import Internet
from remit.core.names import show_hidden
from remit.policies import Question
from remit.secrets import EnvSecrets
from remit_cms.web.search_providers import Brave, Exa, SearchProvider, SearXNG, Tavily
from tests.strangers.texts import STRANGE_TEXTS

Case = tuple[str, dict[str, Any]]
Request = tuple[str, bytes]
"""The head and the body of a request, as the server read them."""

_HOOKS: Final = "http://hooks.example/in"
_PATHS: Final = (
    "",
    "?a=1&b=%20%41",
    "/a/../b",
    "/%7Ea%2Fb",
    "//a",
    "/a;b=c?d=/e?f",
    "?",
    "/\u00e4 b",
    "/\u00e4b",
    "/a#b",
)
_HEADERS: Final[tuple[dict[str, str], ...]] = (
    {"X-A": "1", "x-a": "2"},
    {"Content-Type": "text/plain", "ACCEPT": "*"},
    {"X-Note": " a  b "},
    {"Host": "evil.example"},
    {"X-Note": "a\r\nX-Other: b"},
    {"User-Agent": "me", "Authorization": "Bearer of-the-model"},
)
_PAGES: Final = (
    "http://bread.example/rye",
    "http://BREAD.example:80/ry%65#top",
    "http://b\u00fccher.example/rye?q=\u00fc%20",
    "http://bread.example",
    "http://bread.example/rye\\x",
    "http://bread.example/a b",
    "http://user:pw@bread.example/rye",
    "http://10.0.0.1/rye",
)
_NARROWED: Final[tuple[dict[str, Any], ...]] = (
    {"numResults": 20, "recentOnly": True},
    {"includeDomains": ["Bread.example", "rye.example"], "excludeDomains": ["spam.example"]},
    {"category": "news", "livecrawl": "never"},
    {"category": "a&b=c #d", "recentOnly": True},
)
_KEY: Final = "key-of-the-engine"
_OWN: Final = ("accept", "accept-encoding", "content-length", "host", "user-agent")
"""The headers that the client writes itself; a caller may write another ``accept`` and ``user-agent``."""


def build_engines(internet: Internet) -> dict[str, SearchProvider]:
    """Every search engine of the CMS, at a server of the internet."""
    http, url = internet.http(), "http://engine.example/search"
    names = ("BRAVE_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY")
    secrets = EnvSecrets(*names, environ=dict.fromkeys(names, _KEY))
    engines = (
        SearXNG(http, "http://engine.example"),
        Brave(http, secrets, url=url),
        Tavily(http, secrets, url=url),
        Exa(http, secrets, url=url),
    )
    return {each.name: each for each in engines}


def iter_request_cases() -> Iterator[Case]:
    """Calls of the tools that request addresses."""
    # Every third call is in the short form of the figure.
    for headers in _HEADERS:
        yield "http_post", {"url": _HOOKS, "body": "\u00e4", "headers": headers}
        yield "http_get", {"url": _HOOKS, "headers": headers}
    for number, path in enumerate(_PATHS):
        calls: list[Case] = [
            ("http_post", {"url": _HOOKS + path, "body": " \n"}),
            ("http_get", {"url": _HOOKS + path, "headers": {"Accept": "text/plain"}}),
            ("web_fetchContent", {"urls": [_HOOKS + path]}),
        ]
        yield from (*calls[number % 3 :], *calls[: number % 3])
    for page in _PAGES:
        yield "web_fetchContent", {"urls": [page, *_PAGES[:2], page]}
    for text in STRANGE_TEXTS:
        yield "http_post", {"url": _HOOKS, "body": text, "headers": {"X-Note": "a b"}}


def iter_search_cases() -> Iterator[Case]:
    """Calls of the tools that search."""
    for text in (*STRANGE_TEXTS, " rye  bread\u202e ", "rye\nbread", "a&q=b#c%20+d"):
        yield "web_quickSearch", {"query": text}
        yield "web_deepResearch", {"topic": text, "sections": ["sour dough", text, "?x=1&y"]}
    for more in _NARROWED:
        yield "web_quickSearch", {"query": "rye bread", **more}
    yield "web_deepResearch", {"topic": "rye", "includeStatistics": True}


def find_web_difference(tool: str, asked: dict[str, Any], question: Question, requests: list[Request]) -> str:
    """In what requests differ from what was shown; empty if in nothing."""
    shown: dict[str, Any] = json.loads(question.arguments)
    if any(shown.get(name) != _strip(value, name) for name, value in asked.items()):
        return "what was shown is not what was asked"
    if tool in ("web_quickSearch", "web_deepResearch"):
        return _find_in_searches(tool, shown, question.shown, requests)
    lines = question.shown.split("\n")
    addresses = [_address_of(head) for head, _ in requests]
    listed = [each for each in lines if each.startswith(("GET ", "POST "))]
    if sorted(addresses) != sorted(listed if tool == "web_fetchContent" else listed[:1]):
        return f"other addresses: {addresses}, shown {listed}"
    given: dict[str, str] = shown.get("headers") or {}
    if tool == "http_post" and not any(name.lower() == "content-type" for name in given):
        given = {"content-type": "application/json", **given}
    said = ", ".join(name.lower() for name in given) or "none"
    if tool != "web_fetchContent" and lines[1].partition(";")[0] != f"headers: {said}":
        return f"other headers in the preview: {lines[1]}"
    expected = sorted((name.lower(), value.strip()) for name, value in given.items())
    if any(_headers_of(head, given) != expected for head, _ in requests):
        return f"other headers: {requests[0][0]!r}"
    return "" if all(body == shown.get("body", "").encode() for _, body in requests) else "another body"


def _strip(value: Any, name: str) -> Any:
    """A value as it is bound. Words and addresses have no white space around them, and domains no capitals."""
    if isinstance(value, list):
        return [_strip(each, name) for each in cast("list[Any]", value)]
    if not isinstance(value, str) or name == "body":
        return value
    return value.strip().lower() if name.endswith("Domains") else value.strip()


def _address_of(head: str) -> str:
    method, target, _ = head.split("\r\n", maxsplit=1)[0].split(" ")
    hosts = [line[6:] for line in head.split("\r\n") if line.startswith("Host: ")]
    return f"{method} http://{','.join(hosts)}{target}"


def _headers_of(head: str, given: dict[str, str]) -> list[tuple[str, str]]:
    """The headers that are not the client's own, unless they were ``given``."""
    found = [line.partition(": ") for line in head.split("\r\n")[1:] if line]
    kept = {name.lower() for name in given}
    named = [(name.lower(), value.strip()) for name, _, value in found]
    return sorted((name, value) for name, value in named if name in kept or name not in _OWN)


def _find_in_searches(tool: str, shown: dict[str, Any], preview: str, requests: list[Request]) -> str:
    """Whether the engine was sent what was shown, and other servers no more than the address that it had found."""
    at_engine = ["Host: engine.example\r\n" in head for head, _ in requests]
    sent = [_read_search(*request) for request, is_search in zip(requests, at_engine, strict=True) if is_search]
    lines = [", ".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in each) for each in sent]
    if not preview.endswith("\u2026") and [show_hidden(each) for each in lines] != preview.split("\n")[1:]:
        return f"other searches: {lines}, shown {preview}"
    if [_words_of(dict(each)) for each in sent] != _list_words(tool, shown, dict(sent[0]) if sent else {}):
        return f"other words: {lines}"
    read = [request for request, is_search in zip(requests, at_engine, strict=True) if not is_search]
    if any((_address_of(head), _headers_of(head, {}), body) != ("GET " + _PAGES[0], [], b"") for head, body in read):
        return f"something was sent elsewhere: {read}"
    return "a page was read by a search" if read and tool == "web_quickSearch" else ""


def _read_search(head: str, body: bytes) -> list[tuple[str, Any]]:
    """The fields of a request to a search engine, in order, and any header that is neither its key nor a type."""
    query = head.split(" ")[1].partition("?")[2]
    fields = list(json.loads(body).items()) if body else parse_qsl(query, keep_blank_values=True)
    headers = _headers_of(head, {"accept": ""})
    known = ("application/json", "*/*")
    return [*fields, *((name, value) for name, value in headers if value not in known and _KEY not in value)]


def _words_of(fields: dict[str, Any]) -> str:
    return fields.get("q") or fields["query"]


def _list_words(tool: str, shown: dict[str, Any], fields: dict[str, Any]) -> list[str]:
    """The words of each search, with operators where the engine takes domains in no ``fields``."""
    if tool == "web_deepResearch":
        topic = shown["topic"]
        return [topic if each == topic else f"{topic} {each}" for each in shown["sections"] or [topic]]
    included: list[str] = shown["includeDomains"] or []
    excluded: list[str] = shown["excludeDomains"] or []
    if "q" in fields:
        narrowed = [" OR ".join(f"site:{each}" for each in included), *(f"-site:{each}" for each in excluded)]
        return [" ".join(filter(None, (shown["query"], *narrowed)))]
    listed = [fields.get(f"{kind}_domains", fields.get(f"{kind}Domains", [])) for kind in ("include", "exclude")]
    return [shown["query"]] if listed == [included, excluded] else []
