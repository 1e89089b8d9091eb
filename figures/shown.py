"""What left equals what the approver was shown: the tools of casefiles and of HTTP that send something out."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator
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
from remit import App, Ask, Policy, Runtime, Tool, When
from remit.policies import Question
from remit.testing import superuser
from remit.tools import Arguments
from tests.loopback import serve

Sent = Callable[[str], list[tuple[str, bytes]]]
"""The requests that left so far, of those among which one of a tool would be: target and body."""
Compare = Callable[[str, dict[str, Any], Question, str, bytes], str]
Cases = list[tuple[str, dict[str, Any]]]

_ADA: Final = superuser(tenant="default")
_BOSS: Final = superuser(name="boss", tenant="default")


def figures(*, short: bool) -> Iterator[Figure]:
    """Calls whose bytes on the wire differ from what was shown, and requests that calls without an approval sent."""
    yield asyncio.run(_measure(short=short))


async def _measure(*, short: bool) -> Figure:
    counts: Counter[str] = Counter()
    async with _google_runtime() as (runtime, sent):
        await _compare(runtime, list(iter_google_cases())[:: 3 if short else 1], sent, find_google_difference, counts)
    async with _http_runtime() as (runtime, sent):
        await _compare(runtime, list(iter_http_cases())[:: 3 if short else 1], sent, find_http_difference, counts)
    asked, left, refused = (counts.pop(each, 0) for each in ("asked", "left", "refused"))
    how = (
        f"calls of every tool of casefiles that sends something out, of the HTTP tools of the CMS, and of tools "
        f"made from JSON schemas and types, with hostile values, at a fake Google and servers on this machine: the "
        f"bytes that left are read by "
        f"Python's own readers and compared with the question; {left} of them left, {refused} were refused"
    )
    found = f"; differing: {dict(counts)}" if counts else ""
    return no_violations("shown.differs", counts.total(), asked if left + refused == asked else 0, how + found)


async def _compare(runtime: Runtime, cases: Cases, sent: Sent, compare: Compare, counts: Counter[str]) -> None:
    """Make each call, approve it as shown, and count those whose request differs."""
    for tool, arguments in cases:
        counts["asked"] += 1
        before = len(sent(tool))
        result = await runtime.call_by_name(tool, Arguments(json.dumps(arguments), arguments), by=_ADA)
        if len(sent(tool)) != before:
            counts[f"{tool}: something left before the question"] += 1
        if not result.questions:
            counts["refused"] += 1
            continue
        (row,) = [row for row in await runtime.store.list_questions() if row.question.id == result.questions[0]]
        await runtime.decide(row.question.id, approved=True, by=_BOSS)
        await runtime.resume(result.run)
        requests = sent(tool)[before:]
        counts["left"] += bool(requests)
        difference = compare(tool, arguments, row.question, *requests[0]) if len(requests) == 1 else ""
        if difference or len(requests) > 1:
            counts[f"{tool}: {difference or f'{len(requests)} requests'}"] += 1


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
    """The tools of the CMS that request one address, in a pretended internet, and tools that post to a server here."""
    received: list[tuple[str, bytes]] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        body = await reader.readexactly(int(head.partition("content-length: ")[2].partition("\r\n")[0]))
        received.append((head.split(" ")[1], body))
        writer.write(b"ok")
        await writer.drain()

    with TemporaryDirectory() as folder:
        async with serve(handle) as port, open_internet() as internet:
            world = World(Path(folder))
            wanted = ("http_get", "http_post")
            tools = [tool for tool in web_tools(world, internet) if tool.name in wanted]
            tools += [build_issue_tool(port), build_issue_tool(port, typed=True)]

            def sent(tool: str) -> list[tuple[str, bytes]]:
                targets = [request.split(" ")[1] for request in internet.requests]
                return list(zip(targets, internet.bodies, strict=True)) if tool in wanted else received

            yield _runtime("web", tools), sent
            await world.database.close()
