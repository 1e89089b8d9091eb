"""An exported page shows everything that happened, and nothing in it can become markup or run."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from remit import Agent, App, Context, Effect, LeafContext, Principal, Risk, Runtime, tool
from remit.agent import WorkingMemory
from remit.errors import RequestError
from remit.export.markup import element
from remit.export.page import write_page
from remit.record.secret import Secret
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls
from remit.tools import Changed, entity
from tests.runtime.kit import World, runtime_of

ADA = Principal("ada", permissions=frozenset({"approvals:decide"}))
HOSTILE = (
    """</style></title><script>alert(1)</script><img src=x onerror=alert(1)>"'`><a href="javascript:x">&lt;"""
    "\x00\u202e\ud800"
)
TAGS = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "main",
    "header",
    "h1",
    "h2",
    "p",
    "span",
    "section",
    "footer",
    "div",
    "details",
    "summary",
    "code",
    "pre",
    "b",
    "time",
    *("table", "tr", "th", "td", "ul", "li"),
}
ATTRIBUTES = {"charset", "http-equiv", "content", "name", "lang", "class", "dir", "datetime"}


class Page(HTMLParser):
    """A page as a browser would read it: its elements, attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.texts = list[str](), set[str](), list[str]()
        self.style = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] == ["style"] and not self.style:
            self.style = data
        else:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def check(self) -> None:
        assert set(self.tags) <= TAGS
        assert self.attributes <= ATTRIBUTES


@entity("page")
class Seen(BaseModel):
    """A page."""

    id: str
    name: str


async def page_of(runtime: Runtime, run: str) -> Page:
    page = Page(await runtime.client(ADA).export_run(run, format="html"))
    page.check()
    return page


async def test_a_page_shows_messages_calls_questions_decisions_usage_and_the_end() -> None:
    script: list[Any] = [calls(("erase", {"text": "the \u00fcber page"})), "It is gone."]
    runtime = runtime_of(Scripted(script), World().write("erase", Effect.KEYED, Risk.HIGH), directory=None)
    ada = runtime.client(ADA)
    run = await ada.run("Erase the page", target="bakery/main")
    waiting = await page_of(runtime, run.run)
    for shown in (
        "Erase: ",
        "high risk",
        "No decision is on record.",
        "no result",
        "waiting",
        "for bakery/main",
    ):
        assert shown in waiting.text
    await ada.decide(run.questions[0], approved=True, reason="Reads better")
    await ada.resume(run.run)
    page = await page_of(runtime, run.run)
    for shown in (
        "Erase the page",
        "the \u00fcber page",
        "Approved by ada: Reads better",
        "wrote the",
        "It is gone.",
        "done",
    ):
        assert shown in page.text
    assert "changed: Erased: text the" in page.text
    assert page.text.count("Erase the page") == 1


async def test_a_page_contradicts_an_answer_that_claims_what_was_not_done() -> None:
    runtime = runtime_of(Scripted(["It is gone."]))
    page = await page_of(runtime, (await runtime.run("go", by=ADA)).run)
    assert "It is gone. nothing was changed" in page.text


async def test_a_page_names_what_was_changed() -> None:
    @tool(effect=Effect.KEYED)
    async def rename(ctx: LeafContext) -> str:
        """Rename."""
        ctx.emit(Changed("page", "7", fields=("title",), name="About us"))
        return ctx.key[:0]

    runtime = runtime_of(Scripted([calls(("rename", {})), "Done."]), rename)
    page = await page_of(runtime, (await runtime.run("go", by=ADA)).run)
    assert "changed: Renamed: About us" in page.text


async def test_a_page_shows_the_history_that_a_run_starts_from() -> None:
    agent = Agent("agent", instructions="Work.", model=Scripted(["done"]))
    runtime = Runtime(App(name="test", agents=(agent,)))
    result = await runtime.run("go", by=ADA, messages=[{"role": "user", "content": "Hello <b>there</b>"}])
    page = await page_of(runtime, result.run)
    page.check()
    assert "it starts from a message of the user: Hello <b>there</b>" in page.text


async def test_a_message_of_the_runtime_is_not_signed_by_the_person() -> None:
    @tool(effect=Effect.PURE)
    async def look() -> Seen:
        """Look."""
        return Seen(id="7", name="About us")

    agent = Agent("agent", instructions="Work.", tools=(look,), memory=WorkingMemory())
    model = Scripted([calls(("look", {})), "Seen.", "Yes."])
    runtime = Runtime(App(name="test", agents=(agent,)), model=model)
    await runtime.run("look", by=ADA, conversation="talk")
    page = await page_of(runtime, (await runtime.run("and?", by=ADA, conversation="talk")).run)
    assert page.text.count("working_memory") == 2
    assert "Message of the runtime" in page.text
    assert page.text.count("ada") == 3  # in both headers and over the message, not over the memory


async def test_calls_and_agents_within_a_call_are_shown_in_it_and_direct_calls_too() -> None:
    @tool(effect=Effect.PURE)
    async def look(ctx: LeafContext, at: str) -> str:
        """Look."""
        ctx.log("looking", at=at)
        return f"saw {at}"

    @tool(effect=Effect.COMPOSED)
    async def tour(ctx: Context) -> str:
        """Look twice."""
        await ctx.call(look, at="left")
        raise ValueError("lost")

    helper = Agent(
        "helper", instructions="Help.", tools=(look,), model=Scripted([calls(("look", {"at": "up"})), "up!"])
    )
    chief = Agent("chief", instructions="Lead.", tools=(tour, helper))
    model = Scripted([calls(("tour", {}), ("helper", {"prompt": "look up"})), "seen"])
    runtime = Runtime(App(name="test", agents=(chief,), tools=(tour,)), model=model)
    page = await page_of(runtime, (await runtime.run("go", by=ADA)).run)
    for shown in ("saw left", "lost", "look up", "saw up", "up!", "looking", "helper", "seen"):
        assert shown in page.text
    direct = await page_of(runtime, (await runtime.call(tour, ADA)).run)
    assert "saw left" in direct.text
    assert "failed" in direct.text


async def test_what_was_erased_is_shown_as_erased() -> None:
    runtime = runtime_of(Scripted(["SECRET"]))
    run = (await runtime.run("go", by=ADA)).run
    seqs = [each.seq for each in await runtime.store.read(run) if "SECRET" in each.body]
    await runtime.store.erase(run, seqs)
    page = await page_of(runtime, run)
    assert "erased: message" in page.text
    assert "SECRET" not in page.text
    assert f"{len(seqs)} were erased" in page.text
    await runtime.store.erase(run, [0])
    positions = await runtime.store.read(run)
    assert f"Run {run} was erased." in Page(write_page("", [positions], {})).text


async def test_a_conversation_is_one_page_and_another_principal_gets_none() -> None:
    runtime = runtime_of(Scripted(["first", "second"]))
    ada: Any = runtime.client(ADA)
    for prompt in ("one", "two"):
        await ada.run(prompt, conversation="talk")
    await ada.rename_conversation("talk", HOSTILE[:60])
    page = Page(await ada.export_conversation("talk", format="html"))
    page.check()
    assert [each for each in ("one", "first", "two", "second") if each not in page.text] == []
    for export in (
        lambda: runtime.client(Principal("eve")).export_conversation("talk"),
        lambda: ada.export_conversation("talk", format="pdf"),
    ):
        with pytest.raises(RequestError):
            await export()


@settings(max_examples=15, deadline=None)
@example(HOSTILE)
@given(st.text(alphabet=st.sampled_from("<>&\"'=/ scriptonxa:-!\n\r\t\u2028\u202e\0")))
async def test_no_text_becomes_markup(hostile: str) -> None:
    @tool(effect=Effect.KEYED)
    async def say(ctx: LeafContext, text: str) -> str:
        """Say."""
        ctx.log(text)
        return text

    model = Scripted([calls(("say", {"text": hostile})), hostile or "-"])
    storable = hostile.replace("\ud800", "").replace("\0", "") or "-"
    agent = Agent("agent", instructions=storable, tools=(say,))
    store = InMemoryStore()
    runtime = Runtime(App(name="test", agents=(agent,)), model=model, store=store)
    run = (await runtime.run(storable, by=ADA)).run
    page = Page(write_page(hostile, [await store.read(run)], {}))
    page.check()
    assert page.tags.count("style") == 1


async def test_the_page_loads_nothing_and_its_policy_allows_its_own_style_alone() -> None:
    runtime = runtime_of(Scripted(["hello"]))
    text = await runtime.client(ADA).export_run((await runtime.run("go", by=ADA)).run, format="html")
    digest = b64encode(sha256(Page(text).style.encode()).digest()).decode()
    policy = f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-{digest}'"
    assert policy in text.replace("&#x27;", "'")
    assert not re.search(r"https?://|url\(|@import|src=", text)


def test_secrets_that_are_known_by_now_are_not_exported() -> None:
    Secret("env:KEY", 'pass<"word">')
    assert str(element("p", 'it is pass<"word">')) == "<p>it is [secret env:KEY]</p>"
