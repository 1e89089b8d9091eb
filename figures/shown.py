"""What left equals what the approver was shown: the tools of both applications that send something out."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from apps.casefile.tests.google.fake.server import FakeGoogle
from apps.casefile.tests.google.fake.serving import serving
from apps.casefile.tests.google.governed import operations
from apps.casefile.tests.google.mails import mail
from apps.casefile.tests.google.world import World as GoogleWorld
from apps.cms.tests.world import World
from figures.cms_web import open_internet, web_tools
from figures.figure import Figure, no_violations
from figures.shown_google import find_google_difference, iter_google_cases
from figures.shown_http import build_issue_tool, find_http_difference, iter_http_cases
from figures.shown_web import build_engines, find_web_difference, iter_request_cases, iter_search_cases
from figures.ssrf_world import Internet, Page
from remit import App, Ask, Effect, Policy, Runtime, Tool, When
from remit.policies import Question
from remit.testing import superuser
from remit.tools import Arguments
from remit_casefile.app import build as build_casefile
from remit_cms.app import build as build_cms
from remit_cms.web.search_providers import SearchProvider
from tests.loopback import serve

Request = tuple[str, bytes]
"""What left: the head of a request, or only its target, and the body."""
Sent = Callable[[str], list[Request]]
"""The requests that left so far, of those among which one of a tool would be."""
Compare = Callable[[str, dict[str, Any], Question, list[Request]], str]
CompareOne = Callable[[str, dict[str, Any], Question, str, bytes], str]
Calls = dict[str, Counter[str]]
"""Of each tool, how many calls were asked, sent something, or were refused."""
Cases = list[tuple[str, dict[str, Any]]]

NOT_SHOWN: Final = {"cms_deliverWebhook"}
"""Tools that send what nobody is asked about: a person approved the address, and ADR 127 says what is sent to it."""

_ADA: Final = superuser(tenant="local-site")
_BOSS: Final = superuser(name="boss", tenant="local-site")


def figures(*, short: bool) -> Iterator[Figure]:
    """Calls whose bytes on the wire differ from what was shown, and requests that calls without an approval sent."""
    yield asyncio.run(_measure(short=short))


async def _measure(*, short: bool) -> Figure:
    counts: Counter[str] = Counter()
    calls: Calls = defaultdict(Counter)
    step = 3 if short else 1
    cases = {"google": list(iter_google_cases()), "http": list(iter_http_cases()), "web": list(iter_request_cases())}
    searches = list(iter_search_cases())
    async with _google_runtime() as (runtime, sent):
        await _compare(runtime, cases["google"][::step], sent, _of_one(find_google_difference), counts, calls)
    async with _http_runtime() as (runtime, sent):
        await _compare(runtime, cases["http"][::step], sent, _of_one(find_http_difference), counts, calls)
    async with open_internet() as internet:
        internet.pages["/search"] = Page(json.dumps(_FOUND).encode())
        async with _web_runtime(internet) as (runtime, sent):
            await _compare(runtime, cases["web"][::step], sent, find_web_difference, counts, calls)
        for engine in build_engines(internet).values():
            async with _web_runtime(internet, engine) as (runtime, sent):
                await _compare(runtime, searches[::step], sent, find_web_difference, counts, calls)
    counts.update(f"{tool}: most of its calls sent nothing" for tool in list_silent_tools(calls))
    asked, left, refused = (sum(each[name] for each in calls.values()) for name in ("asked", "left", "refused"))
    counts.update(f"{tool} sends something out and is not measured" for tool in list_unmeasured_tools())
    how = (
        f"calls of every tool of both applications that sends something out, by their inventories, and of tools "
        f"made from JSON schemas and types, with hostile values, at a fake Google, search engines and servers on this "
        f"machine: the bytes that left are read by "
        f"Python's own readers and compared with the question; {left} of them left, {refused} were refused"
    )
    found = f"; differing: {dict(counts)}" if counts else ""
    return no_violations("shown.differs", counts.total(), asked if left + refused == asked else 0, how + found)


def list_silent_tools(calls: Mapping[str, Mapping[str, int]]) -> list[str]:
    """The tools of whose calls fewer than half sent something: of what never leaves, nothing could differ."""
    return [tool for tool, each in calls.items() if each["left"] * 2 < each["asked"]]


def list_unmeasured_tools() -> set[str]:
    """The tools that send something out and of which there is no case. There are none."""
    cases = (iter_google_cases(), iter_http_cases(), iter_request_cases(), iter_search_cases())
    return list_sending_tools() - NOT_SHOWN - {tool for listed in cases for tool, _ in listed}


def list_sending_tools() -> set[str]:
    """The tools of both applications that send something out, as their inventories say; pipelines call them."""
    with TemporaryDirectory() as folder:
        listed = [app.operations for app in (build_cms(Path(folder)).app, build_casefile(Path(folder)).app)]
        tools = [tool for operations in listed if operations is not None for tool in operations.callees]
    return {tool.name for tool in tools if tool.facts.egress and tool.facts.effect is not Effect.COMPOSED}


def _of_one(compare: CompareOne) -> Compare:
    """Compares calls of tools that send one request."""

    def compare_one(tool: str, asked: dict[str, Any], question: Question, requests: list[Request]) -> str:
        return compare(tool, asked, question, *requests[0]) if len(requests) == 1 else f"{len(requests)} requests"

    return compare_one


async def _compare(
    runtime: Runtime, cases: Cases, sent: Sent, compare: Compare, counts: Counter[str], calls: Calls
) -> None:
    """Make each call, approve it as shown, and count those whose request differs, and what became of each tool's."""
    for tool, arguments in cases:
        calls[tool]["asked"] += 1
        before = len(sent(tool))
        result = await runtime.call_by_name(tool, Arguments(json.dumps(arguments), arguments), by=_ADA)
        if len(sent(tool)) != before:
            counts[f"{tool}: something left before the question"] += 1
        if not result.questions:
            calls[tool]["refused"] += 1
            continue
        (row,) = [row for row in await runtime.store.list_questions() if row.question.id == result.questions[0]]
        await runtime.decide(row.question.id, approved=True, by=_BOSS)
        await runtime.resume(result.run)
        requests = sent(tool)[before:]
        calls[tool]["left"] += bool(requests)
        difference = compare(tool, arguments, row.question, requests) if requests else ""
        counts.update([f"{tool}: {difference}"] if difference else [])


def _runtime(name: str, tools: list[Tool[..., Any]]) -> Runtime:
    """An application of tools whose every call is asked about."""
    policy = Policy(When("shown", tools=[tool.name for tool in tools], verdict=Ask(reason="something is sent")))
    runtime = Runtime(App(name=name, tools=tools, policy=policy))
    runtime.add_principals(_ADA, _BOSS)
    return runtime


@asynccontextmanager
async def _google_runtime() -> AsyncGenerator[tuple[Runtime, Sent]]:
    """The tools that write to Google, at the fake, which has a thread to answer in."""
    async with serving(FakeGoogle()) as google:
        world = GoogleWorld(google)
        clients = world.clients
        google.mailbox.deliver(mail(message_id="<earlier@example.com>"), thread="thread")
        google.mailbox.deliver(mail(message_id="<later@example.com>"), thread="thread")
        google.sheets.put("book", "Sheet1", [["a"]])

        class Always:
            def of(self, _ctx: object) -> Any:
                return clients

        tools = [tool for each in operations(Always()) for tool in each.callees if tool.facts.egress]
        yield _runtime("casefile", tools), lambda _tool: google.sent
        await world.transport.close()


@asynccontextmanager
async def _http_runtime() -> AsyncGenerator[tuple[Runtime, Sent]]:
    """Tools that post to a server here."""
    received: list[Request] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        body = await reader.readexactly(int(head.partition("content-length: ")[2].partition("\r\n")[0]))
        received.append((head.split(" ")[1], body))
        writer.write(b"ok")
        await writer.drain()

    async with serve(handle) as port:
        yield _runtime("issues", [build_issue_tool(port), build_issue_tool(port, typed=True)]), lambda _tool: received


@asynccontextmanager
async def _web_runtime(
    internet: Internet, engine: SearchProvider | None = None
) -> AsyncGenerator[tuple[Runtime, Sent]]:
    """The tools of the CMS for other servers, in a pretended internet, with one search engine."""
    with TemporaryDirectory() as folder:
        world = World(Path(folder))
        runtime = _runtime("web", [*web_tools(world, internet, engine)])
        yield runtime, lambda _tool: list(zip(internet.requests, internet.bodies, strict=True))
        await world.database.close()


_HITS: Final = [{"url": "http://bread.example/rye", "title": "Rye"}]
_FOUND: Final = {"results": _HITS, "web": {"results": _HITS}}
"""What all search engines answer."""
